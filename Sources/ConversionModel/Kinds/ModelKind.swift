internal import JSON

/// A rule that generates the rows of a window from a few parameters. The raw values are those of model files.
enum ModelKind: String, CaseIterable {
  case revenue, events, engagement, retention, funnel, mixed, custom

  /// The keys of the kind's parameters.
  var keys: [String] {
    switch self {
    case .revenue: ["event", "thresholds", "buckets", "open_value"]
    case .events: ["events", "as"]
    case .engagement: ["event", "counts", "buckets"]
    case .retention: ["days"]
    case .funnel: ["steps"]
    case .mixed: ["parts"]
    case .custom: ["fine"]
    }
  }
}

/// The meanings of the values of a window, or of a part of a value: the events by value, nil for an unused value.
@available(iOS 18.0, *)
typealias Rows = [[ModelEvent]?]

@available(iOS 18.0, *)
extension ModelReader {
  /// Reads the kind of a window or of a part; `custom` where it is absent, nil where it is wrong.
  mutating func kind(_ node: JSONNode) -> ModelKind? {
    node.value == nil ? .custom : word(node, ModelKind.self)
  }

  /// The rows that a kind generates from the parameters beside it, row 0 first; nil where the parameters are wrong,
  /// and for `custom`, which generates none.
  mutating func rows(of kind: ModelKind, _ node: JSONNode) -> Rows? {
    switch kind {
    case .revenue: revenueRows(node)
    case .events: eventRows(node)
    case .engagement: engagementRows(node)
    case .retention: retentionRows(node)
    case .funnel: funnelRows(node)
    case .mixed: mixedRows(node)
    case .custom: nil
    }
  }

  /// Reads 1 to 63 different names of events.
  mutating func names(_ node: JSONNode) -> [String]? {
    guard let nodes = node.elements, (1...63).contains(nodes.count) else {
      note(node, mustBe: "an array of 1 to 63 event names")
      return nil
    }
    var names: [String] = []
    for node in nodes {
      guard let name = text(node) else { continue }
      if names.contains(name) { note(node, "The event is listed twice. List each event once.") }
      names.append(name)
    }
    return names.count == nodes.count && Set(names).count == names.count ? names : nil
  }

  /// Reads 1 to 64 values with `read`; each must be greater than the one before.
  mutating func increasing<Value: Comparable & CustomStringConvertible>(
    _ node: JSONNode,
    _ read: (inout ModelReader, JSONNode) -> Value?
  ) -> [Value]? {
    guard let nodes = node.elements, (1...64).contains(nodes.count) else {
      note(node, mustBe: "an array of 1 to 64 numbers, each greater than the one before")
      return nil
    }
    var values: [Value] = []
    for node in nodes {
      guard let value = read(&self, node) else { return nil }
      if let last = values.last, value <= last {
        note(node, mustBe: "more than \(last), the number before it")
        return nil
      }
      values.append(value)
    }
    return values
  }

  /// The one of two keys that is present; nil, with a note, where both or neither are.
  mutating func either(_ node: JSONNode, _ one: String, _ other: String) -> String? {
    switch (node[one].value, node[other].value) {
    case (nil, nil): note(node, "The key \(one) or \(other) is missing. Add one of them.")
    case (_?, _?): note(node[other], "The keys \(one) and \(other) exclude each other. Remove one of them.")
    case (_?, nil): return one
    case (nil, _?): return other
    }
    return nil
  }
}
