internal import JSON

extension ModelReader {
  /// The windows of a model, as far as they are right.
  mutating func windows(_ node: JSONNode, hasCurrency: Bool) -> [ModelWindow] {
    guard let nodes = node.elements, !nodes.isEmpty else {
      note(node, mustBe: "an array of at least one window")
      return []
    }
    var windows: [ModelWindow] = []
    for node in nodes {
      guard let window = window(node, hasCurrency: hasCurrency) else { continue }
      if windows.contains(where: { $0.postbackSequenceIndex == window.postbackSequenceIndex }) {
        note(
          node["postback_sequence_index"],
          "is \(window.postbackSequenceIndex), as of an earlier window; describe each window once"
        )
      }
      windows.append(window)
    }
    return windows
  }

  private mutating func window(_ node: JSONNode, hasCurrency: Bool) -> ModelWindow? {
    let known = ["postback_sequence_index", "cumulative", "lock_window", "fine", "coarse"]
    guard isObject(node, keys: known, called: "a window") else { return nil }
    let index = integer(node["postback_sequence_index"], in: 0...2)
    let isCumulative = bool(node["cumulative"])
    let isLockedEarly = bool(node["lock_window"])
    if node["fine"].value != nil, let index, index > 0 {
      note(node["fine"], "must not be there: only window 0 has fine values; use coarse")
    }
    let fine = meanings(node["fine"], of: (0...63).map(String.init), hasCurrency: hasCurrency)
    let coarse = meanings(node["coarse"], of: CoarseValue.allCases.map(\.rawValue), hasCurrency: hasCurrency)
    return index.map {
      ModelWindow(
        postbackSequenceIndex: Int($0),
        isCumulative: isCumulative,
        isLockedEarly: isLockedEarly,
        fine: fine,
        coarse: coarse
      )
    }
  }

  /// A meaning, or nil, for each value; empty where the map is not there.
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
