internal import JSON

/// Kinds whose rows are ranges of one event's count.
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
    increasing(node["days"]) { $0.integer($1, in: 1...35) }.map { countRows(of: "last_active_day", from: $0) }
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
    let first: [ModelEvent] =
      below == 0 ? [] : [ModelEvent(name: name, minimumCount: 0, maximumCount: below, revenue: nil)]
    return [first]
      + counts.indices.map { index in
        [
          ModelEvent(
            name: name,
            minimumCount: Int(counts[index]),
            maximumCount: index + 1 < counts.count ? Int(counts[index + 1]) - 1 : nil,
            revenue: nil
          )
        ]
      }
  }
}
