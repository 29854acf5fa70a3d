internal import JSON

/// Kinds whose rows are events that happened or did not.
extension ModelReader {
  /// In which way events stand in a value.
  private enum Arrangement: String, CaseIterable {
    case order, bits
  }

  /// In order, the highest-ranked event that happened: row 1 is the first, and so on. As bits, all that happened: the
  /// first event is bit 0. Row 0 is none.
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

  /// How many of the steps were done, all before each included; row 0 is none.
  mutating func funnelRows(_ node: JSONNode) -> Rows? {
    names(node["steps"]).map { names in
      (0...names.count).map { done in names.prefix(done).map { ModelEvent(happened: $0) } }
    }
  }
}
