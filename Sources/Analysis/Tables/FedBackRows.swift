package import PostbackPipeline

extension TableFiles {
  /// The files without the rejects that were taken up again. Which these are says the ledger of each output: in `_state` in
  /// its folder, or in one of the folders in `states`.
  package func withoutFedBack(states: [String]) throws(StateFailure) -> TableFiles {
    var files = self
    var rows: [String: [Int: Set<Int>]] = [:]
    for input in inputs {
      guard let number = LedgerPart.number(inName: input.path) else { continue }
      let output = input.path.parent.parent
      if rows[output] == nil { rows[output] = try Self.fedBackRows(in: output, states: states) }
      files.leftOut[input.path] = rows[output]?[number]
    }
    return files
  }

  private static func fedBackRows(in output: String, states: [String]) throws(StateFailure) -> [Int: Set<Int>] {
    guard let id = try OutputID.read(in: output) else { return [:] }
    var rows: [Int: Set<Int>] = [:]
    let own = "\(output)/_state"
    for state in states + (Ledger.isThere(own) ? [own] : []) {
      guard try Ledger.reading(state).outputID == id else { continue }
      rows.merge(try Ledger.fedBackRows(state, of: id)) { $0.union($1) }
    }
    return rows
  }
}

extension String {
  /// The folder that a file or folder is in.
  fileprivate var parent: String {
    guard let slash = lastIndex(of: "/") else { return self == "." ? ".." : "." }
    return slash == startIndex ? "/" : String(self[..<slash])
  }
}
