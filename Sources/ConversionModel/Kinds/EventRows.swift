internal import JSON

/// Kinds whose rows are sets of events that happened.
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
    case .order: return [[]] + names.map { [ModelEvent(happened: $0)] }
    case .bits:
      guard names.count <= 6 else {
        note(node["events"], "has \(names.count) events; there are at most 6 bits")
        return nil
      }
      return (0..<1 << names.count).map { value in
        names.enumerated().filter { value >> $0.offset & 1 == 1 }.map { ModelEvent(happened: $0.element) }
      }
    }
  }

  /// Reads the rows of `funnel`: row n means that the first n steps were done; row 0 means that none was.
  mutating func funnelRows(_ node: JSONNode) -> Rows? {
    names(node["steps"]).map { names in
      (0...names.count).map { done in names.prefix(done).map { ModelEvent(happened: $0) } }
    }
  }
}
