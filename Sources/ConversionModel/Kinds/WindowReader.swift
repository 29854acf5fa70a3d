internal import JSON

@available(iOS 18.0, *)
extension ModelReader {
  /// Reads the windows of a model; wrong ones are noted and left out where they cannot be read.
  mutating func windows(_ node: JSONNode, hasCurrency: Bool) -> [ModelWindow] {
    guard let nodes = node.elements, !nodes.isEmpty else {
      note(node, mustBe: "an array of at least one window")
      return []
    }
    var windows: [ModelWindow] = []
    for node in nodes {
      guard let window = window(node, hasCurrency: hasCurrency) else { continue }
      if windows.contains(where: {
        $0.postbackSequenceIndex == window.postbackSequenceIndex && $0.conversionType == window.conversionType
      }) {
        note(
          node["postback_sequence_index"],
          "An earlier window has the same postback_sequence_index, \(window.postbackSequenceIndex), and the same "
            + "conversion_type. Describe each window once."
        )
      }
      windows.append(window)
    }
    return windows
  }

  private mutating func window(_ node: JSONNode, hasCurrency: Bool) -> ModelWindow? {
    let before = problems.count
    let kind = kind(node["kind"])
    let known = [
      "postback_sequence_index", "conversion_type", "cumulative", "lock_window", "kind", "coarse", "coarse_from",
    ]
    let parameters = kind.map { [$0] } ?? ModelKind.allCases
    guard isObject(node, keys: known + parameters.flatMap(\.keys), called: "a window") else { return nil }
    let index = integer(node["postback_sequence_index"], in: 0...2)
    let conversionType = node["conversion_type"].value == nil ? nil : word(node["conversion_type"], ConversionType.self)
    let isCumulative = bool(node["cumulative"])
    let lockRule = lockRule(node["lock_window"], index: index)
    let values = values(node, kind: kind, index: index, hasCurrency: hasCurrency)
    guard let index else { return nil }
    let window = ModelWindow(
      postbackSequenceIndex: Int(index),
      conversionType: conversionType,
      isCumulative: isCumulative,
      lockRule: lockRule,
      fine: values.fine,
      coarse: values.coarse,
      coarseStarts: values.starts,
      hasCurrency: hasCurrency
    )
    if problems.count == before, !window.canBeLocked {
      note(
        node["lock_window"],
        "No value that the window lists is high enough, so the app would never lock it. Choose a lower value."
      )
    }
    return window
  }

  /// Reads the meanings of a window's values: those that its kind generates, and those that the model lists.
  private mutating func values(
    _ node: JSONNode,
    kind: ModelKind?,
    index: Int64?,
    hasCurrency: Bool
  ) -> (fine: [DecodedMeaning?], coarse: [DecodedMeaning?], starts: CoarseStarts?) {
    let hasFineValues = index == 0
    for key in ["fine", "coarse_from"] where node[key].value != nil {
      if index != nil, !hasFineValues {
        note(node[key], "Only window 0 has fine values. Remove this key, and use coarse.")
      }
    }
    var fine = meanings(node["fine"], of: (0...63).map(String.init), hasCurrency: hasCurrency)
    var coarse = meanings(node["coarse"], of: CoarseValue.allCases.map(\.rawValue), hasCurrency: hasCurrency)
    var starts = coarseStarts(node["coarse_from"])
    if let kind, kind != .custom, let rows = rows(of: kind, node), index != nil {
      let capacity = hasFineValues ? 64 : 3
      if rows.count > capacity {
        note(
          node["kind"],
          "The kind generates \(rows.count) values from its parameters, but the window has only \(capacity). Use fewer."
        )
      }
      let made = rows.map { row in row.map { DecodedMeaning(events: $0, hasCurrency: hasCurrency) } }
      if hasFineValues {
        fine = made
        // Listed coarse values have their own meanings, unless `coarse_from` says at which fine values they begin.
        if starts == nil, coarse.isEmpty {
          let used = made.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
          starts = CoarseStarts(thirdsOf: used)
        }
      } else {
        if !coarse.isEmpty {
          note(node["coarse"], "The kind generates the coarse values of this window. Remove this key.")
        }
        coarse = made
      }
    } else if starts != nil, fine.isEmpty, hasFineValues, kind == .custom {
      note(node["coarse_from"], "The key needs fine values in the same window. Add fine, or remove coarse_from.")
    }
    return (fine, coarse, starts)
  }

  /// Reads `coarse_from`; nil where it is absent, or wrong.
  private mutating func coarseStarts(_ node: JSONNode) -> CoarseStarts? {
    guard node.value != nil, isObject(node, keys: ["medium", "high"], called: "coarse_from") else { return nil }
    let medium = integer(node["medium"], in: 1...63)
    guard let high = integer(node["high"], in: 1...64), let medium else { return nil }
    guard medium < high else {
      note(node["high"], mustBe: "more than medium, which is \(medium)")
      return nil
    }
    return CoarseStarts(medium: Int(medium), high: Int(high))
  }

  /// Reads a map from values to events: a meaning, or nil, for each value; empty where the map is absent.
  private mutating func meanings(_ node: JSONNode, of values: [String], hasCurrency: Bool) -> [DecodedMeaning?] {
    guard node.value != nil else { return [] }
    let isFine = values.count > 3
    guard let members = node.members else {
      note(node, mustBe: "an object that maps \(isFine ? "fine values" : "coarse values") to arrays of events")
      return []
    }
    var meanings = [DecodedMeaning?](repeating: nil, count: values.count)
    for (key, events) in members {
      guard let index = values.firstIndex(of: key) else {
        note(
          events,
          isFine
            ? "This is not a fine value. The fine values are 0 to 63, without leading zeros."
            : "This is not a coarse value. The coarse values are low, medium and high."
        )
        continue
      }
      meanings[index] = DecodedMeaning(events: self.events(events), hasCurrency: hasCurrency)
    }
    return meanings
  }

  private mutating func events(_ node: JSONNode) -> [ModelEvent] {
    guard let nodes = node.elements else {
      note(node, mustBe: "an array of events, which is empty if nothing happened")
      return []
    }
    if nodes.count > 100 { note(node, "The value has \(nodes.count) events, but at most 100 are allowed.") }
    return nodes.compactMap { event($0) }
  }

  /// Reads `lock_window`: true, false, or an object with the condition; absent means false. Notes what is wrong; a
  /// value that cannot be read gives `never`.
  mutating func lockRule(_ node: JSONNode, index: Int64?) -> LockRule {
    if case .bool(let isLocked) = node.value { return isLocked ? .highestValue : .never }
    guard node.value != nil else { return .never }
    let keys = ["fine_value", "coarse_value", "event"]
    guard let members = node.members, let (key, value) = members.first, members.count == 1, keys.contains(key) else {
      note(node, mustBe: "true, false, or an object with one of \(keys.joined(separator: ", "))")
      return .never
    }
    switch key {
    case "fine_value":
      if let index, index > 0 { note(value, "Only window 0 has fine values. Use coarse_value.") }
      return integer(value, in: 0...63).map { .fineValue(Int($0)) } ?? .never
    case "coarse_value": return word(value, CoarseValue.self).map { .coarseValue($0) } ?? .never
    default: return text(value).map { .event($0) } ?? .never
    }
  }

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
    if maximum < max(minimum, 1) { note(node, mustBe: "at least \(max(minimum, 1)), or null for no upper limit") }
    return Int(maximum)
  }

  /// Reads an event's revenue; nil where there is none, or it is wrong.
  private mutating func revenue(_ event: JSONNode) -> Revenue? {
    let (minimumNode, maximumNode, valueNode) = (event["min_revenue"], event["max_revenue"], event["value"])
    if minimumNode.value == nil, maximumNode.value == nil {
      if valueNode.value != nil {
        note(valueNode, "The key needs min_revenue and max_revenue in the same event. Add them, or remove value.")
      }
      return nil
    }
    let minimum = amount(minimumNode)
    let isOpen = maximumNode.value == .null
    let maximum = isOpen ? nil : amount(maximumNode, orNull: true)
    let value = valueNode.value == nil && !isOpen ? nil : amount(valueNode)
    guard let minimum, isOpen || maximum != nil else { return nil }
    if let maximum, maximum < minimum { note(maximumNode, mustBe: "at least min_revenue, which is \(minimum)") }
    let isAbove = value.flatMap { value in maximum.map { $0 == minimum ? value > $0 : value >= $0 } } ?? false
    if let value, value < minimum || isAbove {
      let limit = maximum.map { $0 == minimum ? " and at most \($0)" : " and below \($0)" } ?? ""
      note(valueNode, mustBe: "at least \(minimum)\(limit)")
    }
    guard let estimate = value ?? maximum.map({ .midpoint(minimum, $0) }) else { return nil }
    return Revenue(estimate: estimate, minimum: minimum, maximum: maximum)
  }
}
