internal import JSON

/// A rule that makes the rows of a window from a few parameters. The raw values are those of model files.
enum Kind: String, CaseIterable {
  case revenue, events, engagement, retention, funnel, mixed, custom

  /// The keys of its parameters.
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

/// What each value of a window, or of a part of one, means: events by value, nil for a value that is not used.
typealias Rows = [[ModelEvent]?]

extension ModelReader {
  /// The kind that a window or a part says; `custom` where it says none, nil where it is wrong.
  mutating func kind(_ node: JSONNode) -> Kind? {
    node.value == nil ? .custom : word(node, Kind.self)
  }

  /// The rows that a kind makes of the parameters beside it, row 0 first; nil where they are wrong, and for `custom`,
  /// which makes none.
  mutating func rows(of kind: Kind, _ node: JSONNode) -> Rows? {
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

  /// 1 to 63 different names of events.
  mutating func names(_ node: JSONNode) -> [String]? {
    guard let nodes = node.elements, (1...63).contains(nodes.count) else {
      note(node, mustBe: "an array of 1 to 63 names of events")
      return nil
    }
    var names: [String] = []
    for node in nodes {
      guard let name = text(node) else { continue }
      if names.contains(name) { note(node, "is there twice; name each event once") }
      names.append(name)
    }
    return names.count == nodes.count && Set(names).count == names.count ? names : nil
  }

  /// 1 to 64 values, each greater than the one before, of which `read` reads each.
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
        note(node, mustBe: "more than \(last), which is before it")
        return nil
      }
      values.append(value)
    }
    return values
  }

  /// The one of two keys that is there.
  mutating func either(_ node: JSONNode, _ one: String, _ other: String) -> String? {
    switch (node[one].value, node[other].value) {
    case (nil, nil): note(node, "must have \(one) or \(other)")
    case (_?, _?): note(node[other], "must not be there beside \(one); choose one")
    case (_?, nil): return one
    case (nil, _?): return other
    }
    return nil
  }
}

extension ModelEvent {
  /// The event, at least once.
  init(happened name: String) {
    self.init(name: name, minimumCount: 1, maximumCount: nil, revenue: nil)
  }
}
