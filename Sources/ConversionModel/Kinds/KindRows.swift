internal import JSON

@available(iOS 18.0, *)
extension ModelReader {
  /// Reads the rows of `revenue`: a row for each range `[0, t₀)`, `[t₀, t₁)` and so on, the last one open. The first
  /// range is left out where t₀ is 0.
  ///
  /// The estimate is the middle of a range, except 0 for a range that begins at 0, and for the last range
  /// `open_value`, or its start where that is absent. The event happened at least once where the range does not begin
  /// at 0.
  mutating func revenueRows(_ node: JSONNode) -> Rows? {
    let name = text(node["event"])
    let thresholds: [Amount]?
    switch either(node, "thresholds", "buckets") {
    case "thresholds": thresholds = increasing(node["thresholds"]) { $0.amount($1) }
    case "buckets": thresholds = amountSteps(node["buckets"])
    default: thresholds = nil
    }
    let open = node["open_value"].value == nil ? nil : amount(node["open_value"])
    guard let name, let thresholds, let last = thresholds.last else { return nil }
    if let open, open < last { note(node["open_value"], mustBe: "at least \(last), where the last range begins") }
    let starts = (thresholds.first == .zero ? [] : [.zero]) + thresholds
    return starts.indices.map { index in
      let (start, end) = (starts[index], index + 1 < starts.count ? starts[index + 1] : nil)
      let estimate: Amount = end.map { start == .zero ? .zero : .midpoint(start, $0) } ?? max(open ?? start, start)
      let revenue = Revenue(estimate: estimate, minimum: start, maximum: end)
      return [ModelEvent(name: name, minimumCount: start == .zero ? 0 : 1, revenue: revenue)]
    }
  }

  /// Reads the amounts that `buckets` generates: multiples of `round_to`, which is 0.01 by default.
  private mutating func amountSteps(_ node: JSONNode) -> [Amount]? {
    guard isObject(node, keys: ["count", "min", "max", "scale", "round_to"], called: "buckets") else { return nil }
    let unit = node["round_to"].value == nil ? Amount(units: Amount.unitsPerWhole / 100) : amount(node["round_to"])
    let (first, last) = (amount(node["min"]), amount(node["max"]))
    guard let unit, let first, let last else { return nil }
    guard unit > .zero else {
      note(node["round_to"], mustBe: "more than 0")
      return nil
    }
    func multiple(_ amount: Amount, _ key: String) -> UInt64? {
      let (quotient, remainder) = amount.units.quotientAndRemainder(dividingBy: unit.units)
      guard remainder == 0, let multiple = UInt64(exactly: quotient) else {
        note(
          node[key],
          mustBe: "a multiple of round_to, which is \(unit), and at most 18446744073709551615 times as much"
        )
        return nil
      }
      return multiple
    }
    guard let first = multiple(first, "min"), let last = multiple(last, "max") else { return nil }
    return steps(node, from: first, through: last)?.map { Amount(units: Int128($0) * unit.units) }
  }
}

/// Kinds whose rows are ranges of one event's count.
@available(iOS 18.0, *)
extension ModelReader {
  /// Reads the rows of `engagement`: a row for each range of the event's count, from one count to below the next; the
  /// last is open.
  mutating func engagementRows(_ node: JSONNode) -> Rows? {
    let name = text(node["event"])
    let counts: [Int64]?
    switch either(node, "counts", "buckets") {
    case "counts": counts = increasing(node["counts"]) { $0.integer($1, in: 1...1_000_000_000) }
    case "buckets": counts = countSteps(node["buckets"])
    default: counts = nil
    }
    guard let name, let counts else { return nil }
    return countRows(of: name, from: counts)
  }

  /// Reads the rows of `retention`: ranges of the last day on which the user was active, as the count of the event
  /// `last_active_day`. The day of the first launch is 0.
  mutating func retentionRows(_ node: JSONNode) -> Rows? {
    increasing(node["days"]) { $0.integer($1, in: 1...35) }.map { countRows(of: Activity.lastActiveDay, from: $0) }
  }

  private mutating func countSteps(_ node: JSONNode) -> [Int64]? {
    guard isObject(node, keys: ["count", "min", "max", "scale"], called: "buckets") else { return nil }
    let first = integer(node["min"], in: 1...1_000_000_000)
    let last = integer(node["max"], in: 1...1_000_000_000)
    guard let first, let last else { return nil }
    return steps(node, from: UInt64(first), through: UInt64(last))?.map { Int64($0) }
  }

  /// Returns a row for each range of counts. Row 0 stands for counts below the first; it names no event where that
  /// means no event at all.
  private func countRows(of name: String, from counts: [Int64]) -> Rows {
    let below = counts.first.map { Int($0) - 1 } ?? 0
    let first = below == 0 ? [] : [ModelEvent(name: name, minimumCount: 0, maximumCount: below)]
    return [first]
      + counts.indices.map { index in
        let most = index + 1 < counts.count ? Int(counts[index + 1]) - 1 : nil
        return [ModelEvent(name: name, minimumCount: Int(counts[index]), maximumCount: most)]
      }
  }
}

/// Kinds whose rows are sets of events that happened.
@available(iOS 18.0, *)
extension ModelReader {
  /// The encoding of events in a value: by rank (`order`), or with a bit for each event (`bits`).
  private enum Arrangement: String, CaseIterable {
    case order, bits
  }

  /// Reads the rows of `events`. In order, a row is the highest-ranked event that happened: row 1 is the first event,
  /// and so on. As bits, a row is all events that happened: the first event is bit 0. Row 0 means that none happened.
  mutating func eventRows(_ node: JSONNode) -> Rows? {
    let names = names(node["events"])
    let arrangement = node["as"].value == nil ? .order : word(node["as"], Arrangement.self)
    guard let names, let arrangement else { return nil }
    switch arrangement {
    case .order: return [[]] + names.map { [ModelEvent(name: $0, minimumCount: 1)] }
    case .bits:
      guard names.count <= 6 else {
        note(node["events"], "There are \(names.count) events, but a value has only 6 bits. Use at most 6 events.")
        return nil
      }
      return (0..<1 << names.count).map { value in
        names.enumerated().filter { value >> $0.offset & 1 == 1 }.map { ModelEvent(name: $0.element, minimumCount: 1) }
      }
    }
  }

  /// Reads the rows of `funnel`: row n means that the first n steps were done; row 0 means that none was.
  mutating func funnelRows(_ node: JSONNode) -> Rows? {
    names(node["steps"]).map { names in
      (0...names.count).map { done in names.prefix(done).map { ModelEvent(name: $0, minimumCount: 1) } }
    }
  }
}
