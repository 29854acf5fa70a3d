internal import DurableFiles
package import PostbackVerification

/// The committed rows of one table that were removed at once: whole parts that are old, or rows on request.
///
/// The entries of removed postbacks stay in `seen.log`, so that later copies are still duplicates.
package struct TableRemoval: Equatable, Sendable {
  /// The reason of a removal.
  package enum Reason: String, CaseIterable, Sendable {
    /// The rows are older than they are to be kept.
    case retention
    /// A person has asked for it.
    case request
  }

  /// A part that was removed because of its age, but for the rows that others still need.
  package struct Part: Equatable, Sendable {
    /// The part as it was, with the number of rows that were removed.
    package var part: LedgerPart
    /// The keys of the removed rows, if they are rows of `skan_postbacks`.
    package var keys: KeyTally
    /// The length of the part with the rows that stay; nil if it was removed as a whole.
    package var keptLength: Int64?

    /// Makes a removed part.
    package init(_ part: LedgerPart, keys: KeyTally, keptLength: Int64? = nil) {
      (self.part, self.keys, self.keptLength) = (part, keys, keptLength)
    }
  }

  /// A row that was removed from a part whose other rows stay.
  package struct Row: Equatable, Sendable {
    /// The format and the number of the part.
    package let format: TableFormat
    /// The number of the part.
    package let part: Int
    /// The place where the row was in the part before this removal.
    package let offset: Int64
    /// The length of the row with its line end; 0 if it was only masked.
    package let byteCount: Int64
    /// The key of the postback; nil for a reject.
    package let key: PostbackKey?
    /// The record of a reject; nil for other rows, and if an earlier version of the program has removed it.
    package let source: Source?
    /// The digest of the transaction of a postback; only before the removal is committed.
    package let transaction: UInt128?

    /// Makes a removed row.
    package init(
      format: TableFormat,
      part: Int,
      offset: Int64,
      byteCount: Int64,
      key: PostbackKey?,
      source: Source? = nil,
      transaction: UInt128? = nil
    ) {
      (self.format, self.part, self.offset, self.byteCount, self.key) = (format, part, offset, byteCount, key)
      (self.source, self.transaction) = (source, transaction)
    }
  }

  /// The identity of a rejected record, for those that have a copy of its row.
  package struct Source: Equatable, Sendable {
    /// The input of the record.
    package let file: String?
    /// The line of the record.
    package let line: Int64?
    /// The first digits of the SHA-256 of its bytes.
    package let digest: String

    /// The number of the digits in `digest`.
    package static let digestLength = 16

    /// Makes the identity of a record from the hexadecimal digits of a SHA-256.
    package init(file: String?, line: Int64?, sha256: String) {
      (self.file, self.line, digest) = (file, line, String(sha256.prefix(Self.digestLength)))
    }

    static let migration = """
      ALTER TABLE removed_rows ADD COLUMN source_file TEXT;
      ALTER TABLE removed_rows ADD COLUMN source_line INTEGER;
      ALTER TABLE removed_rows ADD COLUMN digest TEXT;
      """
  }

  /// The name of the table.
  package let table: String
  package let reason: Reason
  /// The number of removals of the table, this one included; 0 before it is committed.
  package private(set) var generation = 0
  /// The parts that were removed as a whole.
  package var parts: [Part] = []
  /// The rows that were removed from other parts.
  package var rows: [Row] = []
  /// The rows of others in which text was masked, each as it was before this removal, with a length of 0. They stay where
  /// they are, less the removed rows before them.
  package var masked: [Row] = []
  /// For rejects, the lines of the rows in the parts that are read again; only before the removal is committed.
  package var rejectedLines: [Lines] = []
  /// For rejects, the digests that have changed; only before the removal is committed.
  package var digests: [Digests] = []

  /// Makes a removal of nothing yet.
  package init(table: String, reason: Reason) { (self.table, self.reason) = (table, reason) }
}

// MARK: - The tables of the ledger

extension TableRemoval {
  /// The number of removals of a table.
  static func generation(of table: String, in database: SQLiteDatabase) throws(FileFailure) -> Int {
    let statement = try SQLiteStatement(
      database,
      "SELECT coalesce(max(generation), 0) FROM removals WHERE table_name = ?"
    )
    return try statement.first(.text(table)) { row throws(FileFailure) in try row.count(0, as: Int.self) } ?? 0
  }

  /// Reads the removals of a table after a generation, in order.
  static func all(of table: String, after generation: Int, in database: SQLiteDatabase) throws(FileFailure)
    -> [TableRemoval]
  {
    let names = try SQLiteStatement(
      database,
      "SELECT generation, reason FROM removals WHERE table_name = ? AND generation > ? ORDER BY generation"
    )
    let (name, after) = (SQLiteValue.text(table), SQLiteValue.integer(Int64(generation)))
    var removals = try names.all(name, after) { row throws(FileFailure) in
      var removal = TableRemoval(table: table, reason: try row.word(1, as: Reason.self))
      removal.generation = try row.count(0, as: Int.self)
      return removal
    }
    for index in removals.indices {
      let known = SQLiteValue.integer(Int64(removals[index].generation))
      let parts = try SQLiteStatement(
        database,
        """
        SELECT \(try Part.columns(in: database)) FROM removed_parts
        WHERE table_name = ? AND generation = ?
        ORDER BY number, format
        """
      )
      removals[index].parts = try parts.all(name, known) { row throws(FileFailure) in try Part(row) }
      let rows = try SQLiteStatement(
        database,
        """
        SELECT format, number, offset, length, postback_key\(try Source.columns(in: database)) FROM removed_rows
        WHERE table_name = ? AND generation = ?
        ORDER BY number, format, offset
        """
      )
      for row in try rows.all(name, known, as: { row throws(FileFailure) in try Row(row) }) {
        if row.byteCount > 0 { removals[index].rows.append(row) } else { removals[index].masked.append(row) }
      }
    }
    return removals
  }

  /// Writes the removal as part of a transaction.
  func write(to database: SQLiteDatabase, at time: Int64) throws(FileFailure) {
    let generation = try Self.generation(of: table, in: database) + 1
    let (name, next) = (SQLiteValue.text(table), SQLiteValue.integer(Int64(generation)))
    try SQLiteStatement(database, "INSERT INTO removals VALUES (?, ?, ?, ?)")
      .run(name, next, .text(reason.rawValue), .integer(time))
    let drop = try SQLiteStatement(database, "DELETE FROM parts WHERE table_name = ? AND format = ? AND number = ?")
    let put = try SQLiteStatement(
      database,
      """
      INSERT INTO removed_parts (generation, pending, \(Part.columns), kept_length)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    )
    for part in parts {
      let (format, number) = (SQLiteValue.text(part.part.format.rawValue), SQLiteValue.integer(Int64(part.part.number)))
      if part.keptLength == nil { try drop.run(name, format, number) }
      try put.run(
        next,
        .integer(part.keptLength == nil ? 1 : 0),
        name,
        format,
        number,
        .text(part.part.partition),
        .integer(part.part.length),
        .integer(part.part.rows),
        part.part.received.map { .integer($0.oldest) } ?? .null,
        part.part.received.map { .integer($0.newest) } ?? .null,
        .integer(part.keys.count),
        .wide(part.keys.sum),
        .wide(part.keys.difference),
        part.keptLength.map { .integer($0) } ?? .null
      )
    }
    let putRow = try SQLiteStatement(database, "INSERT INTO removed_rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
    for row in rows + masked {
      try putRow.run(
        name,
        .text(row.format.rawValue),
        .integer(Int64(row.part)),
        next,
        .integer(row.offset),
        .integer(row.byteCount),
        row.key.map { .wide(UInt128($0)) } ?? .null,
        row.source?.file.map { .text($0) } ?? .null,
        row.source?.line.map { .integer($0) } ?? .null,
        row.source.map { .text($0.digest) } ?? .null,
        row.transaction.map { .wide($0) } ?? .null
      )
    }
    try moveLines(in: database)
  }

  /// Moves what is known of rejects that were taken up again to the lines where they are now.
  private func moveLines(in database: SQLiteDatabase) throws(FileFailure) {
    let own = "part = ? AND feed IN (SELECT feeds.id FROM feeds JOIN state ON feeds.output_id = state.output_id)"
    let known = try SQLiteStatement(database, "SELECT DISTINCT line FROM fed_back WHERE \(own) ORDER BY line")
    let drop = try SQLiteStatement(database, "DELETE FROM fed_back WHERE \(own) AND line = ?")
    let move = try SQLiteStatement(database, "UPDATE fed_back SET line = ? WHERE \(own) AND line = ?")
    for (number, removed) in Dictionary(grouping: rejectedLines, by: \.part) {
      let part = SQLiteValue.integer(Int64(number))
      var gone = removed.sorted { $0.first < $1.first }[...]
      var count = 0
      // In ascending order no line comes to one that is still taken.
      for line in try known.all(part, as: { row throws(FileFailure) in try row.count(0, as: Int.self) }) {
        while let next = gone.first, next.first + next.count <= line { count += gone.removeFirst().count }
        if let next = gone.first, next.first <= line {
          try drop.run(part, .integer(Int64(line)))
        } else if count > 0 {
          try move.run(.integer(Int64(line - count)), part, .integer(Int64(line)))
        }
      }
    }
    let digest = try SQLiteStatement(database, "UPDATE fed_back SET raw_sha256 = ? WHERE raw_sha256 = ?")
    for pair in Set(digests) { try digest.run(.bytes(pair.new), .bytes(pair.old)) }
  }
}
