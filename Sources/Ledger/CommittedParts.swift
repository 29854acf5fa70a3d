package import DurableFiles

/// The committed parts of one table at one moment.
package struct CommittedParts: Sendable {
  /// The number of the last commit, from the file `commit`, before the parts were read; nil before the first commit.
  package let witnessed: Int64?
  /// The id of the output that the ledger belongs to; nil until the folder of the tables holds the id.
  package let outputID: OutputID?
  /// The format of the parts: JSON Lines if they are written.
  package let format: TableFormat
  /// The parts in that format, sorted by number.
  package let parts: [LedgerPart]
  /// The number of times that parts of the table were rewritten or removed.
  package let generation: Int
  /// The removals after a generation that the reader knows, in order.
  package let removals: [TableRemoval]
  /// Indicates that texts of CSV which a spreadsheet would run as a formula have an apostrophe in front.
  package let isCSVSafe: Bool
  /// The mark of the last commit; nil if an earlier version of the program made it, and before the first.
  package let mark: CommitMark?
  /// False if the reader knows a commit that the ledger does not have.
  package let hasKnownCommit: Bool
}

extension Ledger {
  /// The name of the setting for apostrophes in CSV, `yes` or `no`.
  package static let csvSafe = "csv-safe"

  /// Indicates that texts of CSV which a spreadsheet would run as a formula have an apostrophe in front.
  package func isCSVSafe() throws(FileFailure) -> Bool { try Self.settings(in: database)[Self.csvSafe] == "yes" }

  /// Reads the committed parts of a table with this number or a greater one, without the lock, and the removals after
  /// the generation `known`. `commit` is the last commit that the reader knows.
  package static func committedParts(
    _ folderPath: String,
    of table: String,
    from number: Int,
    after known: Int? = nil,
    _ commit: CommitMark? = nil
  ) throws(FileFailure) -> CommittedParts {
    // This number is read before the ledger: a commit between the two makes the ledger newer, never older.
    let witnessed = try lastCommit(folderPath)
    return try reading(folderPath) { database throws(FileFailure) in
      let version = try LedgerSchema.identify(database)
      try database.execute("BEGIN")
      let output = version > 1 ? try Ledger.output(in: database) : nil
      let commits = try Ledger.state(in: database).commits
      let statement = try SQLiteStatement(
        database,
        """
        SELECT \(LedgerPart.columns(ofVersion: version)) FROM parts
        WHERE table_name = ? AND number >= ? ORDER BY number
        """
      )
      let parts = try statement.all(.text(table), .integer(Int64(number)), as: LedgerPart.init)
      let generation = version > 5 ? try TableRemoval.generation(of: table, in: database) : 0
      let removals =
        version > 5 ? try TableRemoval.all(of: table, after: known ?? generation, in: database) : []
      let mark = try CommitMark.of(commits, in: database)
      let hasKnownCommit = try commit.map { known throws(FileFailure) in
        try CommitMark.of(known.number, in: database) == known
      }
      let settings = try Ledger.settings(in: database)
      try database.execute("COMMIT")
      try CommitMarker.check(witnessed, DurableFolder(folderPath), ledger: commits)
      let wanted = parts.isEmpty ? settings["format"] : nil
      let isJSON = wanted?.contains(TableFormat.jsonLines.rawValue) ?? parts.contains { $0.format == .jsonLines }
      let format = isJSON ? TableFormat.jsonLines : .csv
      return CommittedParts(
        witnessed: witnessed,
        outputID: output.flatMap { $0.isMarked ? $0.id : nil },
        format: format,
        parts: parts.filter { $0.format == format },
        generation: generation,
        removals: removals,
        isCSVSafe: settings[Ledger.csvSafe] == "yes",
        mark: mark,
        hasKnownCommit: hasKnownCommit ?? true
      )
    }
  }

  /// Returns the number of the last commit that the file `commit` records; nil if there is none. Reads 16 bytes twice, and
  /// not the ledger. After a crash the number may be one too low until the next start.
  package static func lastCommit(_ folderPath: String) throws(FileFailure) -> Int64? {
    try CommitMarker.number(in: DurableFolder(folderPath))
  }
}
