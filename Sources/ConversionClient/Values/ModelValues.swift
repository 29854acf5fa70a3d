internal import Base
public import ConversionModel
internal import Foundation

/// A conversion model on the device, which decides without a server.
///
/// It encodes the user's activity by the rule of `ConversionModel.encode`, as `postback model encode` does.
@available(iOS 18.0, *)
public struct ModelValues: ConversionValueSource {
  private let models: Models
  private let appID: Int64
  private let rates: CurrencyRates

  /// True: models may have windows of their own for re-engagements.
  public var knowsReengagements: Bool { true }

  /// The models of an app. The one in force at the first call is used.
  ///
  /// - Parameters:
  ///   - models: The models.
  ///   - appID: The App Store id of the app.
  ///   - rates: The exchange rates for revenue in other currencies than the model's.
  public init(_ models: Models, appID: Int64, rates: CurrencyRates = .none) {
    (self.models, self.appID, self.rates) = (models, appID, rates)
  }

  /// Encodes the activity of a window, or of all windows so far where the window is cumulative.
  ///
  /// - Throws: `noModel` where no model is in force at the first call or it does not describe the window, and
  ///   `noRate` where revenue cannot be converted.
  public func values(for request: ConversionValueRequest) async throws(ConversionClientError) -> ConversionValues? {
    let firstCall = Timestamp(milliseconds: Int64(request.firstCall) * 1000)
    let type: ConversionType = request.conversionType == .install ? .install : .reEngagement
    guard let model = models.model(appID: appID, at: firstCall), let window = model.window(request.window, type)
    else { throw .noModel }
    let history = window.isCumulative ? request.activity[...] : request.activity[request.window...]
    var activity = Activity()
    for part in history {
      activity.counts.merge(part.counts, uniquingKeysWith: +)
      activity.revenue += try revenue(of: part, under: model, at: firstCall)
    }
    activity.counts[Activity.lastActiveDay] = request.age / 86_400
    guard let encoding = model.encode(activity, window: request.window, conversionType: type) else { throw .noModel }
    guard encoding.fine != nil || encoding.coarse != nil else { return nil }
    return ConversionValues(
      window: request.window,
      fineValue: encoding.fine,
      coarseValue: encoding.coarse.flatMap { CoarseConversionValue(rawValue: $0.rank) },
      locksWindow: encoding.locksWindow
    )
  }

  /// The revenue of the model's kind, in its currency.
  private func revenue(
    of activity: ConversionValueRequest.Activity,
    under model: ConversionModel,
    at time: Timestamp
  ) throws(ConversionClientError) -> Amount {
    guard let currency = model.currency else { return .zero }
    let totals = model.revenueKind.parts(purchases: activity.purchases, ads: activity.adRevenue)
    var sum = Amount.zero
    for (code, amount) in totals.joined() {
      do {
        sum += try rates.convert(try Amount(rounding: "\(amount)"), from: code, to: currency, on: time)
      } catch {
        throw .noRate("\(error)")
      }
    }
    return sum
  }
}
