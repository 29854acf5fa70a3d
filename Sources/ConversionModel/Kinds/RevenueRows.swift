internal import JSON

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
      return [
        ModelEvent(
          name: name,
          minimumCount: start == .zero ? 0 : 1,
          maximumCount: nil,
          revenue: Revenue(estimate: estimate, minimum: start, maximum: end)
        )
      ]
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
        note(node[key], mustBe: "a multiple of round_to, \(unit), and not more than 18446744073709551615 times as much")
        return nil
      }
      return multiple
    }
    guard let first = multiple(first, "min"), let last = multiple(last, "max") else { return nil }
    return steps(node, from: first, through: last)?.map { Amount(units: Int128($0) * unit.units) }
  }
}
