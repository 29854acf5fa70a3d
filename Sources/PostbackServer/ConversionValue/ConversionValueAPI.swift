public import ConversionModel

/// Answers apps that ask which conversion value their user is worth now.
///
/// Pure: an answer depends on the request, the models and the time alone, and nothing is kept of it. What a user did before
/// is known from the request only:
///
/// - The values that the app told Apple last say what happened *at the least*: the least count of each event in what the
///   value means. The event `n` counts once more. So counting from 1 to 2 to 3 works, but from a value that means 3 to 4
///   times the next event leads to 4, not to 5, however often it happens: a value whose counts are a range is left only
///   through something else. Count in single steps, the last one open.
/// - Revenue is the total that the app sends, so that its ranges may be as wide as one likes; where it sends none, the
///   least revenue that its values mean. Where no value fits revenue and counts together, revenue decides.
/// - `last_active_day` is the number of whole days from the first call to now, exactly.
///
/// In a window that is not cumulative only its own values and totals count; in a cumulative one all windows so far.
public struct ConversionValueAPI: Sendable {
  /// The models, of which that of the first call counts: the one that decodes the postbacks, by install date.
  public var models: Models
  /// For revenue in another currency than the model's.
  public let rates: CurrencyRates
  /// App Store ids by bundle id; they go before those that models say.
  public let appIDs: [String: Int64]
  /// The SDK keys that are let in; nil where all are. A key is part of the app, so it keeps no secret.
  public let sdkKeys: Set<String>?

  /// How far in the future a first call may be, as clocks differ, to count as now; in seconds.
  public static let clockTolerance = 300

  /// An API of these models.
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

  /// The answer at the time `now` to a request with that query: what stands behind the `?`, percent-encoded.
  public func answer(_ version: ConversionValueVersion, query: String, now: Timestamp) -> ConversionValueAnswer {
    do throws(ConversionValueRefusal) {
      let parameters = QueryParameters(query, version: version)
      let request = try ConversionValueRequest(parameters)
      if let sdkKeys, !(request.sdkKey.map(sdkKeys.contains) ?? false) { throw parameters.invalid(.sdkKey) }
      guard let age = Self.seconds(from: request.firstCall, to: now) else { throw parameters.invalid(.firstCall) }
      guard let model = model(of: request) else { throw .noModel(app: request.bundleID) }
      return switch version {
      case .v1: try rising(request, under: model, age: age, now: now)
      case .v2: try windowed(request, under: model, age: age)
      }
    } catch {
      return ConversionValueAnswer(error)
    }
  }

  /// SKAdNetwork 3 and before: no value from 24 hours after the last update on, nor after the hours for which the model
  /// says that the app updates it, as decoding goes by them.
  private func rising(
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

  /// SKAdNetwork 4: the windows that end 48 hours, 7 days and 35 days after the first call, of which the first alone has a
  /// fine value. At its very end a window is over, as clients count.
  private func windowed(
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
      locksWindow: locksWindow
    )
  }

  private func encoding(
    of request: ConversionValueRequest,
    under model: ConversionModel,
    window index: Int,
    age: Int
  ) throws(ConversionValueRefusal) -> (encoding: Encoding, locksWindow: Bool) {
    guard let window = model.window(index) else { throw .windowNotDescribed(index) }
    var activity = model.leastActivity(toldBy: request, in: window)
    if let total = try total(of: request, under: model, in: window) { activity.revenue = total }
    activity.count(request.event)
    activity.counts["last_active_day"] = age / (24 * 3600)
    guard let encoding = model.encode(activity, window: index) else { throw .windowNotDescribed(index) }
    guard !encoding.isExact, activity.revenue > .zero else { return (encoding, encoding.locksWindow) }
    // Counts known at the least may be too low for any value that the revenue is in: then it decides alone.
    for event in window.earningEvents { activity.counts[event] = nil }
    guard let byRevenue = model.encode(activity, window: index), byRevenue.isExact else {
      return (encoding, encoding.locksWindow)
    }
    // An event that locks the window does so whatever the value.
    if case .event = window.lockRule { return (byRevenue, encoding.locksWindow) }
    return (byRevenue, byRevenue.locksWindow)
  }

  private func model(of request: ConversionValueRequest) -> ConversionModel? {
    guard let appID = appIDs[request.bundleID] else {
      return models.model(bundleID: request.bundleID, at: request.firstCall)
    }
    return models.model(appID: appID, at: request.firstCall)
  }

  /// What the app says of its revenue, in the model's currency; nil where the model has none, or the app says nothing.
  ///
  /// By the rates of the first call, so that a total never falls because a rate moved.
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

  /// Whole seconds, as apps count them; nil where `start` is in the future.
  private static func seconds(from start: Timestamp, to now: Timestamp) -> Int? {
    let seconds = Int((now.milliseconds - start.milliseconds) / 1000)
    return seconds >= -clockTolerance ? max(seconds, 0) : nil
  }
}
