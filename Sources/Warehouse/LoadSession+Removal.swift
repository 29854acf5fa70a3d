internal import Ledger
internal import PostbackVerification
internal import Tables

extension LoadSession {
  /// The greatest number of rows that one statement removes.
  private static let sliceRows = 1000

  /// Removes the rows that were removed from the output on a person's request. Rows that went because of their age stay.
  /// Returns the number of rows.
  func remove(_ removals: [TableRemoval], from loaded: LoadedTable) throws(LoadFailure) -> Int {
    var removed = 0
    for removal in removals where removal.reason == .request { removed += try remove(removal.rows, from: loaded) }
    return removed
  }

  /// Replaces rows of others in which text of a person was masked after they were loaded. Returns their number.
  func replace(_ masked: [MaskedCopy], in loaded: LoadedTable) throws(LoadFailure) -> Int {
    guard !masked.isEmpty else { return 0 }
    _ = try remove(masked.flatMap(\.earlier), from: loaded)
    var count = LoadTally.Count()
    try beginCopy(into: loaded)
    for row in masked { if let now = row.now { try connection.put(now.bytes) } }
    try endCopy(into: loaded, &count)
    return count.loaded
  }

  private func remove(_ rows: [TableRemoval.Row], from loaded: LoadedTable) throws(LoadFailure) -> Int {
    var removed = 0
    for start in stride(from: 0, to: rows.count, by: Self.sliceRows) {
      let slice = rows[start..<min(start + Self.sliceRows, rows.count)]
      removed += try remove(keys: slice.compactMap(\.key), from: loaded)
      removed += try remove(rejects: slice.compactMap(\.source), from: loaded)
    }
    return removed
  }

  private func remove(keys: [PostbackKey], from loaded: LoadedTable) throws(LoadFailure) -> Int {
    guard !keys.isEmpty else { return 0 }
    return try connection.run(
      "DELETE FROM \(loaded.name) WHERE \(ColumnName.postbackKey.rawValue) = ANY ($1::text[])",
      "{\(keys.map(\.description).joined(separator: ","))}",
      doing: "the removal of rows of \(loaded.table.name)"
    ).changeCount
  }

  private func remove(rejects: [TableRemoval.Source], from loaded: LoadedTable) throws(LoadFailure) -> Int {
    guard !rejects.isEmpty else { return 0 }
    let digest = ColumnName.rawSHA256.rawValue
    return try connection.run(
      """
      DELETE FROM \(loaded.name) AS loaded USING unnest($1::text[], $2::bigint[], $3::text[]) AS gone (file, line, digest)
      WHERE loaded.\(ColumnName.sourceFile.rawValue) IS NOT DISTINCT FROM gone.file
        AND loaded.\(ColumnName.sourceLine.rawValue) IS NOT DISTINCT FROM gone.line
        AND left(loaded.\(digest), \(TableRemoval.Source.digestLength)) = gone.digest
      """,
      Self.array(rejects.map(\.file)),
      Self.array(rejects.map { $0.line.map(String.init) }),
      Self.array(rejects.map(\.digest)),
      doing: "the removal of rows of \(loaded.table.name)"
    ).changeCount
  }

  /// Returns texts as an array of PostgreSQL.
  private static func array(_ texts: [String?]) -> String {
    let elements = texts.map { text in
      text.map { "\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" } ?? "NULL"
    }
    return "{\(elements.joined(separator: ","))}"
  }
}
