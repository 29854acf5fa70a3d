internal import JSON

extension ModelReader {
  /// Reads an event; nil where the node is not an object.
  mutating func event(_ node: JSONNode) -> ModelEvent? {
    let known = ["event", "min_count", "max_count", "min_revenue", "max_revenue", "value"]
    guard isObject(node, keys: known, called: "an event") else { return nil }
    let name = text(node["event"])
    let minimumCount = integer(node["min_count"], in: 0...1_000_000_000, default: 1)
    let maximumCount = maximumCount(node["max_count"], minimum: minimumCount)
    return ModelEvent(
      name: name ?? "",
      minimumCount: Int(minimumCount ?? 1),
      maximumCount: maximumCount,
      revenue: revenue(node)
    )
  }

  /// Reads the greatest count; nil where it is open, or wrong. Absent, it is the least count.
  private mutating func maximumCount(_ node: JSONNode, minimum: Int64?) -> Int? {
    if node.value == .null || node.value == nil && minimum == nil { return nil }
    guard let maximum = integer(node, in: 1...1_000_000_000, default: minimum), let minimum else { return nil }
    if maximum < max(minimum, 1) { note(node, mustBe: "at least \(max(minimum, 1)), or null where it is open") }
    return Int(maximum)
  }

  /// Reads an event's revenue; nil where there is none, or it is wrong.
  private mutating func revenue(_ event: JSONNode) -> Revenue? {
    let (minimumNode, maximumNode, valueNode) = (event["min_revenue"], event["max_revenue"], event["value"])
    if minimumNode.value == nil, maximumNode.value == nil {
      if valueNode.value != nil { note(valueNode, "needs min_revenue and max_revenue beside it") }
      return nil
    }
    let minimum = amount(minimumNode)
    let isOpen = maximumNode.value == .null
    let maximum = isOpen ? nil : amount(maximumNode, orNull: true)
    let value = valueNode.value == nil && !isOpen ? nil : amount(valueNode)
    guard let minimum, isOpen || maximum != nil else { return nil }
    if let maximum, maximum < minimum { note(maximumNode, mustBe: "min_revenue, \(minimum), or more") }
    let isAbove = value.flatMap { value in maximum.map { $0 == minimum ? value > $0 : value >= $0 } } ?? false
    if let value, value < minimum || isAbove {
      let limit = maximum.map { $0 == minimum ? "\($0)" : "below \($0)" } ?? "any amount"
      note(valueNode, mustBe: "from \(minimum) to \(limit)")
    }
    guard let estimate = value ?? maximum.map({ .midpoint(minimum, $0) }) else { return nil }
    return Revenue(estimate: estimate, minimum: minimum, maximum: maximum)
  }
}
