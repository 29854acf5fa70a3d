internal import JSON

@available(iOS 18.0, *)
extension ModelReader {
  /// Reads the rows of `mixed`, which shares the six bits of a value between kinds; the first part has the lowest
  /// bits.
  ///
  /// A row holds the events of the rows of all parts. A value is unused where the row of one part is unused.
  mutating func mixedRows(_ node: JSONNode) -> Rows? {
    guard let nodes = node["parts"].elements, !nodes.isEmpty else {
      note(node["parts"], mustBe: "an array of parts, each with bits and a kind")
      return nil
    }
    var parts: [(bits: Int, rows: Rows)] = []
    var bits = 0
    var owners: [String: String] = [:]
    var revenuePart: String?
    for node in nodes {
      guard let part = part(node) else { continue }
      bits += part.bits
      for name in part.rows.names {
        if let other = owners.updateValue(node.pointer, forKey: name) {
          note(
            node,
            "The part at \(other) has the event \(name.debugDescription), too. Use each event in one part only."
          )
        }
      }
      if part.rows.haveRevenue {
        if let revenuePart {
          note(node["kind"], "The part at \(revenuePart) is of kind revenue, too. Only one part may be.")
        }
        revenuePart = node.pointer
      }
      parts.append(part)
    }
    guard bits <= 6 else {
      note(node["parts"], "The parts have \(bits) bits together, but a value has only 6. Use fewer.")
      return nil
    }
    guard parts.count == nodes.count else { return nil }
    return (0..<1 << bits).map { value in
      var rest = value
      var row: [ModelEvent] = []
      for part in parts {
        let index = rest & (1 << part.bits - 1)
        guard part.rows.indices.contains(index), let events = part.rows[index] else { return nil }
        row += events
        rest >>= part.bits
      }
      return row
    }
  }

  private mutating func part(_ node: JSONNode) -> (bits: Int, rows: Rows)? {
    let kinds = ModelKind.allCases.filter { $0 != .mixed && $0 != .custom }
    guard case .string(let name) = node["kind"].value, let kind = ModelKind(rawValue: name), kinds.contains(kind) else {
      if isObject(node, keys: ["bits", "kind"] + ModelKind.allCases.flatMap(\.keys), called: "a part") {
        note(node["kind"], mustBe: "one of \(kinds.map(\.rawValue).joined(separator: ", "))")
      }
      return nil
    }
    guard isObject(node, keys: ["bits", "kind"] + kind.keys, called: "a part of kind \(name)") else { return nil }
    let bits = integer(node["bits"], in: 1...6)
    guard let rows = rows(of: kind, node), let bits else { return nil }
    guard rows.count <= 1 << bits else {
      note(
        node["bits"],
        "A part of \(bits) bits has \(1 << bits) values, but its kind generates \(rows.count). Use more bits."
      )
      return nil
    }
    return (Int(bits), rows)
  }
}

@available(iOS 18.0, *)
extension Rows {
  /// The distinct names of all events.
  fileprivate var names: Set<String> { Set(joined.map(\.name)) }

  /// Indicates that an event has revenue.
  fileprivate var haveRevenue: Bool { joined.contains { $0.revenue != nil } }

  private var joined: [ModelEvent] { compactMap { $0 }.flatMap { $0 } }
}
