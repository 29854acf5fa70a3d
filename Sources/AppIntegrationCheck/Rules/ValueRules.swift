internal import Base
internal import ConversionModel

extension DeviceCheck {
  /// Checks the fine value against the row before, the time and the model.
  mutating func checkValues(_ row: SessionValues, _ model: ConversionModel?, age: Int64?) {
    checkChain(row.previous, after: current, previous, MetadataField.previousValue)
    for window in 0...2 {
      let field = MetadataField.previousCoarse[window]
      checkChain(row.previousCoarse[window], after: coarse[window], previousCoarse[window], field)
    }
    let knowsLife = life.count(row, model, age: age, isFirst: rowCount == 0)
    guard let value = row.current else { return }
    if let current, value != current, !row.isLegacy, let age {
      let sinceFirst = row.lastCall.flatMap { last in firstCall.map { last - $0 } } ?? age
      if sinceFirst >= ModelWindow.spans[0].upperBound {
        note(.fineAfter48Hours, "value \(current), then \(value), \(sinceFirst) s after the first call")
      }
    }
    if let current, value < current {
      if row.isLegacy {
        note(.legacyRegression, "value \(current), then \(value)")
      } else if let model, model.hasRisingValues, !hasRefund {
        note(.regression, "value \(current), then \(value)")
      }
      return
    }
    guard let age, age < ModelWindow.spans[0].upperBound, knowsLife, !isFinal(row, model, age: age),
      let expected = life.expected, let before = life.expectedBefore, value != expected, value != before
    else { return }
    let values = "value \(value), by the model \(expected)"
    guard rowCount > 0, row.lastCall != nil, row.lastCall == lastCall else { return note(.valueAgainstModel, values) }
    if let stall, stall == (lastCall, expected) { return }
    stall = (lastCall, expected)
    note(.lastCallStalls, values)
  }

  /// Tells if the app may no longer change the fine value: the model locks the window and a row before had the lock, or for
  /// SKAdNetwork 3, 24 hours have passed since the last update, or the measurement hours of the model since the first call.
  func isFinal(_ row: SessionValues, _ model: ConversionModel?, age: Int64) -> Bool {
    guard row.isLegacy else { return locks[0] != nil && model?.window(0)?.isLockedEarly == true }
    if let model, age > Int64(model.measurementHours) * 3600 { return true }
    guard let firstCall, let last = lastCall ?? row.lastCall else { return false }
    return age - (last - firstCall) > 86_400
  }

  /// Checks a value before the latest one: metadata may lag by one update, so it is one of the values in the row before.
  private mutating func checkChain(_ value: Int?, after current: Int?, _ previous: Int?, _ field: MetadataField) {
    guard let value, let current, value != current, value != previous ?? 0 else { return }
    note(.previousChain, "\(field.name) \(value), in the row before \(previous ?? 0) and the value \(current)")
  }
}

/// The activity of a device as a conversion model counts it.
struct ModelledLife {
  /// The model's value for the activity so far, and for the activity before the last event; nil if it is not known.
  private(set) var expected: Int?
  private(set) var expectedBefore: Int?
  private var counts: [String: Int] = [:]
  private var isWhole = false
  private var model: (bundleID: String, firstCall: Int64, model: ConversionModel?)?

  /// Returns the model in force for an app at the first call. Models of one app without a bundle id count for any.
  mutating func model(of bundleID: String, at firstCall: Int64, among models: Models) -> ConversionModel? {
    if let model, model.bundleID == bundleID, model.firstCall == firstCall { return model.model }
    let time = Timestamp(milliseconds: min(max(firstCall, 0), 253_402_300_799) * 1000)
    let app = models.appID(bundleID: bundleID) ?? models.onlyAppWithoutBundleID
    let found = app.flatMap { models.model(appID: $0, at: time) }
    model = (bundleID, firstCall, found)
    return found
  }

  /// Counts a row's event. Returns false if the value cannot be known, because the rows do not begin with the first launch,
  /// or the revenue is in another currency than the model's.
  mutating func count(_ row: SessionValues, _ model: ConversionModel?, age: Int64?, isFirst: Bool) -> Bool {
    if isFirst { isWhole = age.map { $0 <= 3600 } ?? true }
    guard let model, let window = model.window(0) else { return false }
    let names = window.countedEvents
    if let event = row.event, names.contains(event) { counts[event, default: 0] += 1 }
    if names.contains(Activity.lastActiveDay) { counts[Activity.lastActiveDay] = Int((age ?? 0) / 86_400) }
    expectedBefore = isFirst ? 0 : expected
    expected = nil
    guard isWhole, let revenue = row.total(of: model) else { return false }
    expected = model.encode(Activity(counts: counts, revenue: revenue), window: 0).map { $0.fine ?? 0 }
    if row.isLegacy, let value = expected { expected = max(value, expectedBefore ?? 0) }
    return true
  }
}

extension SessionValues {
  /// Returns the total of a model's kind of revenue; nil if a part of it is malformed or in another currency.
  fileprivate func total(of model: ConversionModel) -> Amount? {
    guard let currency = model.currency else { return .zero }
    guard !defects.contains(where: { $0.rule == .revenueCurrency }) else { return nil }
    var sum = Amount.zero
    for case let total? in model.revenueKind.parts(purchases: revenue, ads: adRevenue) {
      for (code, amount) in total where amount > .zero {
        guard code == currency else { return nil }
        sum += amount
      }
    }
    return sum
  }
}

extension ConversionModel {
  /// Indicates that a higher fine value never means less: with growing activity the value only rises.
  fileprivate var hasRisingValues: Bool {
    guard let window = window(0) else { return false }
    var (counts, revenue): ([String: Int], Amount) = ([:], .zero)
    for value in window.fineValues {
      guard let meaning = window.meaning(fine: value) else { continue }
      let next = Dictionary(meaning.events.map { ($0.name, $0.minimumCount) }) { max($0, $1) }
      let minimum = meaning.revenue?.minimum ?? .zero
      guard minimum >= revenue, counts.allSatisfy({ next[$0.key] ?? 0 >= $0.value }) else { return false }
      (counts, revenue) = (next, minimum)
    }
    return true
  }
}

extension ModelWindow {
  /// The names of the events in the meanings of the fine values.
  fileprivate var countedEvents: Set<String> {
    Set(fineValues.compactMap(meaning(fine:)).flatMap { $0.events.map(\.name) })
  }
}
