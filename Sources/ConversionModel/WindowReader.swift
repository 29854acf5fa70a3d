internal import JSON

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
          "is \(window.postbackSequenceIndex), as of an earlier window; describe each window once for each conversion_type"
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
    let parameters = kind.map { [$0] } ?? Kind.allCases
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
      note(node["lock_window"], "is beyond what the window lists; it would never be locked")
    }
    return window
  }

  /// Reads the meanings of a window's values: those that its kind generates, and those that the model lists.
  private mutating func values(
    _ node: JSONNode,
    kind: Kind?,
    index: Int64?,
    hasCurrency: Bool
  ) -> (fine: [Meaning?], coarse: [Meaning?], starts: CoarseStarts?) {
    let hasFineValues = index == 0
    for key in ["fine", "coarse_from"] where node[key].value != nil {
      if index != nil, !hasFineValues {
        note(node[key], "must not be there: only window 0 has fine values; use coarse")
      }
    }
    var fine = meanings(node["fine"], of: (0...63).map(String.init), hasCurrency: hasCurrency)
    var coarse = meanings(node["coarse"], of: CoarseValue.allCases.map(\.rawValue), hasCurrency: hasCurrency)
    var starts = coarseStarts(node["coarse_from"])
    if let kind, kind != .custom, let rows = rows(of: kind, node), index != nil {
      let capacity = hasFineValues ? 64 : 3
      if rows.count > capacity {
        note(node["kind"], "makes \(rows.count) values of these keys; the window has \(capacity)")
      }
      let made = rows.map { row in row.map { Meaning(events: $0, hasCurrency: hasCurrency) } }
      if hasFineValues {
        fine = made
        // Listed coarse values have their own meanings, unless `coarse_from` says at which fine values they begin.
        if starts == nil, coarse.isEmpty {
          let used = made.lastIndex { $0 != nil }.map { $0 + 1 } ?? 0
          starts = CoarseStarts(thirdsOf: used)
        }
      } else {
        if !coarse.isEmpty { note(node["coarse"], "must not be there: the kind makes the coarse values") }
        coarse = made
      }
    } else if starts != nil, fine.isEmpty, hasFineValues, kind == .custom {
      note(node["coarse_from"], "needs fine values beside it")
    }
    return (fine, coarse, starts)
  }

  /// Reads `coarse_from`; nil where it is absent, or wrong.
  private mutating func coarseStarts(_ node: JSONNode) -> CoarseStarts? {
    guard node.value != nil, isObject(node, keys: ["medium", "high"], called: "coarse_from") else { return nil }
    let medium = integer(node["medium"], in: 1...63)
    guard let high = integer(node["high"], in: 1...64), let medium else { return nil }
    guard medium < high else {
      note(node["high"], mustBe: "more than medium, \(medium)")
      return nil
    }
    return CoarseStarts(medium: Int(medium), high: Int(high))
  }

  /// Reads a map from values to events: a meaning, or nil, for each value; empty where the map is absent.
  private mutating func meanings(_ node: JSONNode, of values: [String], hasCurrency: Bool) -> [Meaning?] {
    guard node.value != nil else { return [] }
    let isFine = values.count > 3
    guard let members = node.members else {
      note(node, mustBe: "an object that maps \(isFine ? "fine values" : "coarse values") to arrays of events")
      return []
    }
    var meanings = [Meaning?](repeating: nil, count: values.count)
    for (key, events) in members {
      guard let index = values.firstIndex(of: key) else {
        note(events, "is not a value; known are \(isFine ? "0 to 63, without leading zeros" : "low, medium and high")")
        continue
      }
      meanings[index] = Meaning(events: self.events(events), hasCurrency: hasCurrency)
    }
    return meanings
  }

  private mutating func events(_ node: JSONNode) -> [ModelEvent] {
    guard let nodes = node.elements else {
      note(node, mustBe: "an array of events; an empty one says that nothing happened")
      return []
    }
    if nodes.count > 100 { note(node, "has \(nodes.count) events; at most 100 are possible") }
    return nodes.compactMap { event($0) }
  }
}
