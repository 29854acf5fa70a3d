package import DurableFiles
internal import PostbackVerification

extension TableRemoval.Part {
  static let columns = """
    table_name, format, number, partition, length, rows, oldest_received, newest_received, key_count, key_sum,
    key_difference
    """

  /// Returns the columns in a query, with a constant for the one that an earlier ledger does not have.
  static func columns(in database: SQLiteDatabase) throws(FileFailure) -> String {
    try LedgerSchema.identify(database) > 11 ? "\(columns), kept_length" : "\(columns), NULL"
  }

  init(_ row: SQLiteStatement) throws(FileFailure) {
    part = LedgerPart(
      table: row.text(0),
      format: try row.word(1, as: TableFormat.self),
      number: try row.count(2, as: Int.self),
      partition: row.text(3)
    )
    part.length = try row.count(4)
    part.rows = try row.count(5)
    part.phase = .complete
    if !row.isNull(6) { part.received = ReceiptSpan(oldest: try row.count(6), newest: try row.count(7)) }
    keys = KeyTally(count: try row.count(8), sum: try row.wide(9), difference: try row.wide(10))
    keptLength = row.isNull(11) ? nil : try row.count(11)
  }
}

extension TableRemoval.Row {
  init(_ row: SQLiteStatement) throws(FileFailure) {
    let key: UInt128? = row.isNull(4) ? nil : try row.wide(4)
    self.init(
      format: try row.word(0, as: TableFormat.self),
      part: try row.count(1, as: Int.self),
      offset: try row.count(2),
      byteCount: try row.count(3),
      key: key.map { PostbackKey($0) },
      source: row.isNull(7)
        ? nil
        : TableRemoval.Source(
          file: row.isNull(5) ? nil : row.text(5),
          line: row.isNull(6) ? nil : try row.integer(6),
          sha256: row.text(7)
        )
    )
  }
}

extension TableRemoval.Source {
  /// Returns the columns in a query of removed rows, with constants for those that an earlier ledger does not have.
  static func columns(in database: SQLiteDatabase) throws(FileFailure) -> String {
    try LedgerSchema.identify(database) > 8 ? ", source_file, source_line, digest" : ", NULL, NULL, NULL"
  }
}

extension Ledger {
  /// Returns the removed parts whose files may still exist.
  package func pendingRemovals() throws(FileFailure) -> [LedgerPart] { try TableRemoval.pending(in: database) }

  /// Returns the newest time of receipt, in milliseconds since 1970, among the parts of a table that were removed because
  /// of their age; nil if there are none. Read without the lock.
  package static func newestRemovedReceipt(_ folderPath: String, of table: String) throws(FileFailure) -> Int64? {
    try reading(folderPath) { database throws(FileFailure) in
      guard try LedgerSchema.identify(database) > 5 else { return nil }
      let newest = try SQLiteStatement(
        database,
        """
        SELECT max(newest_received) FROM removed_parts JOIN removals USING (table_name, generation)
        WHERE table_name = ? AND reason = '\(TableRemoval.Reason.retention.rawValue)'
        """
      )
      func read(_ row: SQLiteStatement) throws(FileFailure) -> Int64? { row.isNull(0) ? nil : try row.count(0) }
      return try newest.first(.text(table), as: read) ?? nil
    }
  }

  /// Returns the numbers of the parts of a table that were removed but for the rows that others still need.
  package func reducedParts(of table: String) throws(FileFailure) -> Set<Int> {
    let numbers = try SQLiteStatement(
      database,
      "SELECT DISTINCT number FROM removed_parts WHERE table_name = ? AND kept_length IS NOT NULL"
    )
    return Set(try numbers.all(.text(table)) { row throws(FileFailure) in try row.count(0, as: Int.self) })
  }

  /// Tells if rows of a part were masked on a person's request, so that its file has them in other words than before.
  package func hasMaskedRows(_ part: LedgerPart) throws(FileFailure) -> Bool {
    let masked = try SQLiteStatement(
      database,
      "SELECT 1 FROM removed_rows WHERE table_name = ? AND number = ? AND format = ? AND length = 0 LIMIT 1"
    )
    let (number, format) = (SQLiteValue.integer(Int64(part.number)), SQLiteValue.text(part.format.rawValue))
    return try masked.first(.text(part.table), number, format) { _ in true } ?? false
  }

  /// Returns the number of removals from all tables so far, for whatever reason. Read without the lock.
  package static func removals(_ folderPath: String) throws(FileFailure) -> Int64 {
    try reading(folderPath) { database throws(FileFailure) in
      try LedgerSchema.identify(database) > 5 ? database.integer("SELECT count(*) FROM removals") : 0
    }
  }

  /// Returns the number of removals on a person's request from all tables so far. Read without the lock.
  package static func requests(_ folderPath: String) throws(FileFailure) -> Int64 {
    try reading(folderPath) { database throws(FileFailure) in
      guard try LedgerSchema.identify(database) > 5 else { return 0 }
      let reason = TableRemoval.Reason.request.rawValue
      return try database.integer("SELECT count(*) FROM removals WHERE reason = '\(reason)'")
    }
  }

  /// Returns the number of rows that were removed from a table so far, each once where the table has several formats. Read without
  /// the lock.
  package static func removedRows(_ folderPath: String, of table: String) throws(FileFailure) -> Int64 {
    try reading(folderPath) { database throws(FileFailure) in
      guard try LedgerSchema.identify(database) > 5 else { return 0 }
      let sum = try SQLiteStatement(
        database,
        """
        SELECT coalesce(sum(rows), 0) FROM (
          SELECT max(rows) AS rows FROM (
            SELECT generation, number, rows FROM removed_parts WHERE table_name = ?1
            UNION ALL
            SELECT generation, number, count(*) FROM removed_rows WHERE table_name = ?1 AND length > 0
            GROUP BY generation, number, format
          ) GROUP BY generation, number
        )
        """
      )
      return try sum.first(.text(table)) { row throws(FileFailure) in try row.count(0) } ?? 0
    }
  }

  /// Records that the files of removed parts are gone, and that rewritten files have replaced the old ones.
  package func finishRemovals() throws(FileFailure) {
    try database.execute(
      """
      UPDATE removed_parts SET pending = 0 WHERE pending = 1; UPDATE parts SET rewritten = 0 WHERE rewritten = 1
      """
    )
  }

  /// Returns the greatest number that a part of a table has or had; 0 if there was none.
  package func lastPartNumber(of table: String) throws(FileFailure) -> Int {
    let statement = try SQLiteStatement(
      database,
      """
      SELECT coalesce(max(number), 0) FROM (
        SELECT number FROM parts WHERE table_name = ?1 UNION ALL SELECT number FROM removed_parts WHERE table_name = ?1
      )
      """
    )
    return try statement.first(.text(table)) { row throws(FileFailure) in try row.count(0, as: Int.self) } ?? 0
  }
}

extension TableRemoval {
  /// Returns the removed parts whose files may still exist.
  static func pending(in database: SQLiteDatabase) throws(FileFailure) -> [LedgerPart] {
    let statement = try SQLiteStatement(
      database,
      "SELECT \(try Part.columns(in: database)) FROM removed_parts WHERE pending = 1"
    )
    return try statement.all { row throws(FileFailure) in try Part(row).part }
  }

  /// Returns the tally of the keys in removed rows of `skan_postbacks`, by format.
  static func removedKeys(in database: SQLiteDatabase) throws(FileFailure) -> [TableFormat: KeyTally] {
    var keys: [TableFormat: KeyTally] = [:]
    for removal in try all(of: "skan_postbacks", after: 0, in: database) {
      for part in removal.parts { keys[part.part.format, default: KeyTally()] += part.keys }
      for row in removal.rows {
        if let key = row.key { keys[row.format, default: KeyTally()].add(key) }
      }
    }
    return keys
  }
}
