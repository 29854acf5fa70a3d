public import Base
public import ConversionModel

/// Answers the requests of apps for the conversion value that fits their user now.
///
/// An answer depends on the request, the models and the time alone, and no state is kept. The user's earlier activity
/// is known only from the request:
///
/// - The values that the app set last give the *least* activity: the minimum count of each event in the meaning of the
///   value. The event `n` of the request adds one. Counts of 1, 2, 3 therefore work one by one. From a value that means
///   3 to 4 times, the next event leads to 4 and never to 5, however often it happens: a value with a range of counts
///   is left only through other changes, such as revenue. Models should count in single steps, the last one open-ended.
/// - The revenue is the total that the app sends, so the revenue ranges of a model may have any width. That of window 1 or 2
///   follows from the total since the first call and those of the windows before, if the app does not send it. Without a
///   total it is the least revenue that the values mean, and the answer says so. If no value fits both revenue and counts, revenue decides.
/// - `last_active_day` is the exact number of whole days from the first call to now.
///
/// In a window that is not cumulative, only its own values and totals count. In a cumulative one, those of all windows
/// so far count.
public struct ConversionValueAPI: Sendable {
  /// The models. The one in force at the first call is used, which also decodes the postbacks, by install date.
  public let models: Models
  /// The exchange rates for revenue in another currency than the model's.
  public let rates: CurrencyRates
  /// App Store ids by bundle id. They take precedence over the ids in the models.
  public let appIDs: [String: Int64]
  /// The SDK keys that are accepted; nil if all are. A key is part of the app, so it is no secret.
  public let sdkKeys: Set<String>?
  /// Indicates that requests of version 1 without an SDK key get the values 0, 1, 2 in turn, and then an empty one, so that
  /// an app can be tested without a model.
  package var answersTests = false

  /// The number of seconds by which a first call may lie in the future and still count as now, because clocks differ.
  public static let clockTolerance = 300

  /// Creates an API that answers by these models.
  public init(
    models: Models,
    rates: CurrencyRates = .none,
    appIDs: [String: Int64] = [:],
    sdkKeys: Set<String>? = nil
  ) {
    self.models = models
    self.rates = rates
    self.appIDs = appIDs
    self.sdkKeys = sdkKeys
  }

  /// Returns the answer at the time `now` to a request with this query: the percent-encoded text after the `?`.
  public func answer(_ version: ConversionValueVersion, query: String, now: Timestamp) -> ConversionValueAnswer {
    do throws(ConversionValueRefusal) {
      let parameters = QueryParameters(query, version: version)
      if answersTests, version == .v1, try parameters.isEmpty(.sdkKey) {
        let next = try parameters.currentValue().map { $0 + 1 } ?? 0
        return ConversionValueAnswer(test: next <= 2 ? next : nil)
      }
      let request = try ConversionValueRequest(parameters)
      if let sdkKeys, !(request.sdkKey.map(sdkKeys.contains) ?? false) { throw parameters.invalid(.sdkKey) }
      guard let age = Self.seconds(from: request.firstCall, to: now) else { throw parameters.invalid(.firstCall) }
      guard let model = model(of: request) else { throw .noModel(app: request.bundleID) }
      return switch version {
      case .v1: try risingValue(request, under: model, age: age, now: now)
      case .v2: try windowValues(request, under: model, age: age)
      }
    } catch {
      return ConversionValueAnswer(error)
    }
  }

  /// Answers for SKAdNetwork 1 to 3: no value later than 24 hours after the last update, nor later than the number of
  /// hours for which the model says that the app updates its value. Decoding uses the same hours.
  private func risingValue(
    _ request: ConversionValueRequest,
    under model: ConversionModel,
    age: Int,
    now: Timestamp
  ) throws(ConversionValueRefusal) -> ConversionValueAnswer {
    let sinceUpdate = request.lastCall.map { Self.seconds(from: $0, to: now) ?? 0 } ?? age
    guard sinceUpdate <= 24 * 3600 else { throw request.windowClosed(after: 24) }
    guard age <= model.measurementHours * 3600 else { throw request.windowClosed(after: model.measurementHours) }
    let (encoding, _) = try encoding(of: request, under: model, window: 0, age: age)
    return ConversionValueAnswer(fine: max(encoding.fine ?? 0, request.currentValue ?? 0))
  }

  /// Answers for SKAdNetwork 4: the windows end 48 hours, 7 days and 35 days after the first call, and only the first
  /// has a fine value. A window is over at the exact second of its end, as the published clients count.
  private func windowValues(
    _ request: ConversionValueRequest,
    under model: ConversionModel,
    age: Int
  ) throws(ConversionValueRefusal) -> ConversionValueAnswer {
    let hours = [48, 7 * 24, 35 * 24]
    guard let window = hours.firstIndex(where: { age < $0 * 3600 }) else { throw request.windowClosed(after: hours[2]) }
    let (encoding, locksWindow) = try encoding(of: request, under: model, window: window, age: age)
    return ConversionValueAnswer(
      fine: encoding.fine ?? request.currentValue ?? 0,
      coarse: encoding.coarse,
      window: window,
      locksWindow: locksWindow,
      lacksRevenue: lacksRevenue(request, under: model, window: window)
    )
  }

  /// Encodes the least activity that the request reports, by the window of the model.
  private func encoding(
    of request: ConversionValueRequest,
    under model: ConversionModel,
    window index: Int,
    age: Int
  ) throws(ConversionValueRefusal) -> (encoding: Encoding, locksWindow: Bool) {
    guard let window = model.window(index) else { throw .windowNotDescribed(index) }
    var activity = model.leastActivity(reportedBy: request, in: window)
    if let total = try total(of: request, under: model, in: window) { activity.revenue = total }
    activity.count(request.event)
    activity.counts[Activity.lastActiveDay] = age / (24 * 3600)
    guard let encoding = model.encode(activity, window: index) else { throw .windowNotDescribed(index) }
    guard !encoding.isExact, activity.revenue > .zero else { return (encoding, encoding.locksWindow) }
    // The least counts may be too low for every value in the revenue range. Then revenue decides alone.
    for event in window.earningEvents { activity.counts[event] = nil }
    guard let byRevenue = model.encode(activity, window: index), byRevenue.isExact else {
      return (encoding, encoding.locksWindow)
    }
    // A lock rule about an event holds for every value.
    if case .event = window.lockRule { return (byRevenue, encoding.locksWindow) }
    return (byRevenue, byRevenue.locksWindow)
  }

  /// Indicates that the values of a window depend on its revenue, and that the totals of the request do not say it.
  private func lacksRevenue(_ request: ConversionValueRequest, under model: ConversionModel, window index: Int) -> Bool
  {
    guard let window = model.window(index), !window.earningEvents.isEmpty else { return false }
    return request.revenue.isUnknown(model.revenueKind, window: index, sinceFirstCall: window.isCumulative)
  }

  private func model(of request: ConversionValueRequest) -> ConversionModel? {
    guard let appID = appIDs[request.bundleID] else {
      return models.model(bundleID: request.bundleID, at: request.firstCall)
    }
    return models.model(appID: appID, at: request.firstCall)
  }

  /// The total revenue that the app reports, in the model's currency; nil if the model has no currency or the app
  /// reports no total.
  ///
  /// It is converted at the rates of the day of the first call, so that a total never falls because a rate changed.
  private func total(
    of request: ConversionValueRequest,
    under model: ConversionModel,
    in window: ModelWindow
  ) throws(ConversionValueRefusal) -> Amount? {
    guard let currency = model.currency,
      let total = request.revenue.total(
        of: model.revenueKind,
        window: window.postbackSequenceIndex,
        sinceFirstCall: window.isCumulative
      )
    else { return nil }
    var sum = Amount.zero
    for part in total where part.amount > .zero {
      do {
        sum += try rates.convert(part.amount, from: part.currency, to: currency, on: request.firstCall)
      } catch {
        throw .noRate(app: request.bundleID, "\(error)")
      }
    }
    return sum
  }

  /// The whole seconds from `start` to `now`, as apps count them, and 0 within the clock tolerance; nil if `start` is
  /// further in the future.
  private static func seconds(from start: Timestamp, to now: Timestamp) -> Int? {
    let seconds = Int((now.milliseconds - start.milliseconds) / 1000)
    return seconds >= -clockTolerance ? max(seconds, 0) : nil
  }
}

/// A version of the conversion value API.
public enum ConversionValueVersion: CaseIterable, Sendable {
  /// For SKAdNetwork 1 to 3: one fine value, which only rises.
  case v1
  /// For SKAdNetwork 4: three conversion windows with fine and coarse values.
  case v2
}
