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

  /// Replaces rows of others in which text of a person was masked after they were loaded. Returns their number. They keep the time
  /// at which they were loaded first, so that `--reload` takes them for rows before the positions of later times.
  func replace(_ masked: [MaskedCopy], in loaded: LoadedTable) throws(LoadFailure) -> Int {
    guard !masked.isEmpty else { return 0 }
    var times: [String: String] = [:]
    _ = try remove(masked.flatMap(\.rows), from: loaded) { times[$0] = $1 }
    let task = "the masked rows of \(loaded.table.name)"
    var count = 0
    for (time, rows) in Dictionary(grouping: masked, by: { $0.rows.lazy.compactMap { times[$0.identity] }.first }) {
      try beginStaging(of: loaded)
      try connection.execute(loaded.stagingCopy, doing: task)
      try connection.put(CopyRows.start)
      for row in rows { if let now = row.now { try connection.put(now.bytes) } }
      try connection.put(CopyRows.end)
      _ = try connection.endCopy(doing: task)
      count += try connection.run(loaded.insertionAtTime, time ?? "now", doing: task).changeCount
    }
    return count
  }

  /// Removes rows. `body` gets the identity of each one with the time at which it was loaded. Returns their number.
  private func remove(
    _ rows: [TableRemoval.Row],
    from loaded: LoadedTable,
    _ body: (_ identity: String, _ time: String) -> Void = { _, _ in }
  ) throws(LoadFailure) -> Int {
    var removed = 0
    for start in stride(from: 0, to: rows.count, by: Self.sliceRows) {
      let slice = rows[start..<min(start + Self.sliceRows, rows.count)]
      let found =
        try remove(keys: slice.compactMap(\.key), from: loaded)
        + remove(rejects: slice.compactMap(\.source), from: loaded)
      for row in found { body(row[0] ?? "", row[1] ?? "") }
      removed += found.count
    }
    return removed
  }

  private func remove(keys: [PostbackKey], from loaded: LoadedTable) throws(LoadFailure) -> [[String?]] {
    guard !keys.isEmpty else { return [] }
    let key = ColumnName.postbackKey.rawValue
    return try connection.run(
      "DELETE FROM \(loaded.name) WHERE \(key) = ANY ($1::text[]) RETURNING \(key), \(LoadedTable.loadedAt)::text",
      "{\(keys.map(\.description).joined(separator: ","))}",
      doing: "the removal of rows of \(loaded.table.name)"
    ).rows
  }

  private func remove(rejects: [TableRemoval.Source], from loaded: LoadedTable) throws(LoadFailure) -> [[String?]] {
    guard !rejects.isEmpty else { return [] }
    let digest = ColumnName.rawSHA256.rawValue
    return try connection.run(
      """
      DELETE FROM \(loaded.name) AS loaded USING unnest($1::text[], $2::bigint[], $3::text[]) AS gone (file, line, digest)
      WHERE loaded.\(ColumnName.sourceFile.rawValue) IS NOT DISTINCT FROM gone.file
        AND loaded.\(ColumnName.sourceLine.rawValue) IS NOT DISTINCT FROM gone.line
        AND left(loaded.\(digest), \(TableRemoval.Source.digestLength)) = gone.digest
      RETURNING concat_ws(' ', gone.digest, gone.line, gone.file), loaded.\(LoadedTable.loadedAt)::text
      """,
      Self.array(rejects.map(\.file)),
      Self.array(rejects.map { $0.line.map(String.init) }),
      Self.array(rejects.map(\.digest)),
      doing: "the removal of rows of \(loaded.table.name)"
    ).rows
  }

  /// Returns texts as an array of PostgreSQL.
  private static func array(_ texts: [String?]) -> String {
    let elements = texts.map { text in
      text.map { "\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" } ?? "NULL"
    }
    return "{\(elements.joined(separator: ","))}"
  }
}

extension TableRemoval.Row {
  /// The text by which a removed row is found again, as the removal returns it.
  fileprivate var identity: String {
    if let key { return key.description }
    return [source?.digest, source?.line.map(String.init), source?.file].compactMap(\.self).joined(separator: " ")
  }
}
