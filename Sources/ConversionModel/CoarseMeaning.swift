/// The meanings of coarse values that stand for ranges of fine values.
extension CoarseStarts {
  /// The meaning of each coarse value: nil where none of its fine values is listed.
  func meanings(over fine: [Meaning?], hasCurrency: Bool) -> [Meaning?] {
    CoarseValue.allCases.map { coarse in
      let covered = fine[fineValues(of: coarse, count: fine.count)].compactMap { $0 }
      return covered.isEmpty ? nil : Meaning(covering: covered, hasCurrency: hasCurrency)
    }
  }
}

extension Meaning {
  /// The meaning that covers all `meanings`, of which there is at least one.
  ///
  /// An event's counts and revenue range from the least to the greatest of any of the meanings; a meaning that does
  /// not name the event counts as 0. The revenue estimate is the mean of the estimates.
  init(covering meanings: [Meaning], hasCurrency: Bool) {
    var names: [String] = []
    for event in meanings.flatMap(\.events) where !names.contains(event.name) { names.append(event.name) }
    let events = names.map { name in ModelEvent(covering: meanings.map { $0.events.filter { $0.name == name } }, name) }
    self.init(events: events, hasCurrency: hasCurrency)
  }
}

extension ModelEvent {
  /// The event `name` that covers several meanings; each element of `mentions` holds one meaning's entries for it.
  fileprivate init(covering mentions: [[ModelEvent]], _ name: String) {
    let said = mentions.flatMap { $0 }
    let isMissing = mentions.contains { $0.isEmpty }
    let isOpen = said.contains { $0.maximumCount == nil }
    let hasRevenue = said.contains { $0.revenue != nil }
    self.init(
      name: name,
      minimumCount: isMissing ? 0 : said.map(\.minimumCount).min() ?? 0,
      maximumCount: isOpen ? nil : said.compactMap(\.maximumCount).max(),
      revenue: hasRevenue
        ? Revenue(covering: mentions.map { $0.compactMap(\.revenue).reduce(.zero, +) }) : nil
    )
  }
}

extension Revenue {
  /// The range that covers several, of which there is at least one.
  fileprivate init(covering all: [Revenue]) {
    let minimum = all.map(\.minimum).min() ?? .zero
    let isExact = all.allSatisfy { $0.minimum == minimum && $0.maximum == minimum }
    let isOpen = all.contains { $0.maximum == nil }
    // A range excludes its maximum, so the maximum has to be above an exact amount that it covers.
    let maximum = all.compactMap { $0.maximum == $0.minimum ? $0.minimum.successor : $0.maximum }.max()
    self.init(
      estimate: .mean(all.map(\.estimate)),
      minimum: minimum,
      maximum: isExact ? minimum : isOpen ? nil : maximum.flatMap { $0 < .limit ? $0 : nil }
    )
  }
}

extension Amount {
  /// The exclusive upper bound of amounts in models and of converted amounts: 10¹⁵.
  static let limit = Amount(1_000_000_000_000_000)

  /// The next amount that can be read: 0.000001 more than this one.
  var successor: Amount { Amount(units: units + 10) }

  /// The mean, rounded down to six fraction digits; zero for an empty array.
  static func mean(_ amounts: [Amount]) -> Amount {
    guard !amounts.isEmpty else { return .zero }
    let mean = amounts.reduce(.zero, +).units / Int128(amounts.count)
    return Amount(units: mean / 10 * 10)
  }
}
