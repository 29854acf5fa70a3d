internal import Foundation

/// The names under which the state is stored, as published clients store it.
private enum Key {
  static let fine = "skan_current_conversion_value"
  static let fineOfSKAdNetwork3 = "skan_conversion_value"
  static let previousFine = "prev_fine_value"
  static let firstCall = "skan_first_call_to_skadnetwork_timestamp"
  static let lastCall = "skan_last_call_to_skadnetwork_timestamp"
  static let purchases = "skan_total_revenue_by_currency"
  static let ads = "skan_total_admon_revenue_by_currency"
  static func coarse(_ window: Int) -> String { "p\(window)_coarse" }
  static func previousCoarse(_ window: Int) -> String { "p\(window)_prev_coarse_value" }
  static func lock(_ window: Int) -> String { "p\(window)_window_lock" }
  static func purchases(_ window: Int) -> String { "p\(window)_total_iap_revenue" }
  static func ads(_ window: Int) -> String { "p\(window)_total_admon_revenue" }
  /// Names that published clients do not have.
  static func counts(_ window: Int) -> String { "p\(window)_event_counts" }
  static let tag = "conversion_tag"

  static let all =
    [fine, fineOfSKAdNetwork3, previousFine, firstCall, lastCall, purchases, ads, tag]
    + (0...2).flatMap { [coarse($0), previousCoarse($0), lock($0), purchases($0), ads($0), counts($0)] }

  /// The name of the value in S2S metadata of SKAdNetwork 3; nil if it has none.
  static func metadataOfSKAdNetwork3(_ key: String) -> String? {
    switch key {
    case fineOfSKAdNetwork3: key
    case firstCall: "skan_first_call_timestamp"
    case lastCall: "skan_last_call_timestamp"
    case purchases: key
    default: nil
    }
  }
}

extension AdConversionType {
  /// The beginning of the names under which the state is stored. `place` is that of a re-engagement, the latest being 0.
  fileprivate func prefix(_ place: Int) -> String {
    switch self {
    case .install: ""
    case .reengagement: place == 0 ? "reengagement_" : "reengagement_\(place)_"
    }
  }
}

extension ConversionState {
  /// The stored state of a conversion. Numbers may be stored as texts; values out of range are ignored.
  init(
    of type: AdConversionType,
    at place: Int = 0,
    under framework: AdFramework,
    in store: any KeyValueStore
  ) throws(ConversionClientError) {
    let prefix = type.prefix(place)
    let stored: [String: StoredValue]
    do {
      stored = try store.load(Key.all.map { prefix + $0 })
    } catch {
      throw .storage(error)
    }
    func value(_ key: String) -> StoredValue? { stored[prefix + key] }
    func coarse(_ key: String) -> CoarseConversionValue? { value(key)?.integer.flatMap(CoarseConversionValue.init) }
    func time(_ key: String) -> Int? { value(key)?.integer.flatMap { $0 > 0 ? $0 : nil } }
    func fine(_ key: String) -> Int? { value(key)?.integer.flatMap { (0...63).contains($0) ? $0 : nil } }
    self.init(of: type)
    fineValue = fine(Key.fine) ?? fine(Key.fineOfSKAdNetwork3)
    previousFineValue = fine(Key.previousFine)
    firstCall = time(Key.firstCall)
    lastCall = time(Key.lastCall)
    purchases = CurrencyTotals(value(Key.purchases)?.parsed)
    ads = CurrencyTotals(value(Key.ads)?.parsed)
    if case .text(let text) = value(Key.tag) { tag = text }
    for window in windows.indices {
      windows[window].coarse = coarse(Key.coarse(window))
      windows[window].previousCoarse = coarse(Key.previousCoarse(window))
      windows[window].lockedAt = time(Key.lock(window))
      windows[window].purchases = CurrencyTotals(value(Key.purchases(window))?.parsed)
      windows[window].ads = CurrencyTotals(value(Key.ads(window))?.parsed)
      windows[window].counts = value(Key.counts(window))?.counts ?? [:]
    }
  }

  /// The values to store, by name.
  private func stored(under framework: AdFramework) -> [String: StoredValue] {
    var values: [String: StoredValue] = [:]
    values[framework.hasWindows ? Key.fine : Key.fineOfSKAdNetwork3] = fineValue.map { .integer($0) }
    values[Key.previousFine] = previousFineValue.map { .integer($0) }
    values[Key.firstCall] = firstCall.map { .integer($0) }
    values[Key.lastCall] = lastCall.map { .integer($0) }
    values[Key.purchases] = purchases.stored
    values[Key.ads] = ads.stored
    values[Key.tag] = tag.map { .text($0) }
    for (index, window) in windows.enumerated() {
      values[Key.coarse(index)] = window.coarse.map { .integer($0.rawValue) }
      values[Key.previousCoarse(index)] = window.previousCoarse.map { .integer($0.rawValue) }
      values[Key.lock(index)] = window.lockedAt.map { .integer($0) }
      values[Key.purchases(index)] = window.purchases.stored
      values[Key.ads(index)] = window.ads.stored
      values[Key.counts(index)] = StoredValue(counts: window.counts)
    }
    return values
  }

  /// The changes of the storage since an earlier state, which is what the storage has under the same names.
  func stored(
    under framework: AdFramework,
    since earlier: ConversionState,
    at place: Int = 0
  ) -> [String: StoredValue?] {
    let (old, new) = (earlier.stored(under: framework), stored(under: framework))
    var changes: [String: StoredValue?] = [:]
    for key in Set(old.keys).union(new.keys) where old[key] != new[key] {
      changes[type.prefix(place) + key] = .some(new[key])
    }
    return changes
  }

  /// The state as texts, under the names of S2S metadata.
  func details(under framework: AdFramework) -> [String: String] {
    var details: [String: String] = [:]
    for (key, value) in stored(under: framework) {
      let isOurs = key == Key.tag || windows.indices.contains { Key.counts($0) == key }
      if !isOurs, let name = framework.hasWindows ? key : Key.metadataOfSKAdNetwork3(key) { details[name] = value.text }
    }
    return details
  }
}

extension StoredValue {
  /// The whole number, also if it is stored as a text.
  fileprivate var integer: Int? {
    switch self {
    case .integer(let integer): integer
    case .text(let text): Int(text)
    case .amounts: nil
    }
  }

  /// The value as text: digits, the text, or a JSON object of amounts.
  fileprivate var text: String {
    switch self {
    case .integer(let integer): "\(integer)"
    case .text(let text): text
    case .amounts: CurrencyTotals(self).json
    }
  }

  /// The amounts, also if they are stored as the text of a JSON object.
  fileprivate var parsed: StoredValue {
    guard case .text(let text) = self,
      let amounts = try? JSONDecoder().decode([String: Decimal].self, from: Data(text.utf8))
    else { return self }
    return .amounts(amounts)
  }

  /// The counts of events in the text of a JSON object.
  fileprivate var counts: [String: Int]? {
    guard case .text(let text) = self else { return nil }
    return try? JSONDecoder().decode([String: Int].self, from: Data(text.utf8)).filter { $0.value > 0 }
  }

  /// The text of a JSON object with the counts of events; nil if there are none.
  fileprivate init?(counts: [String: Int]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    guard !counts.isEmpty, let text = try? encoder.encode(counts) else { return nil }
    self = .text(String(decoding: text, as: UTF8.self))
  }
}
