internal import Base
package import DurableFiles

/// The identity of a commit: its number, and the line of commits that it belongs to.
///
/// Each opening of a ledger that commits begins a line with a random id. A state that was restored from a backup goes on in
/// a line of its own, so none of its later commits has the mark of a commit that was lost.
package struct CommitMark: Hashable, Sendable {
  /// The number of the commit, from 1.
  package let number: Int64
  /// The random id of the line.
  package let line: UInt64
}

extension CommitMark: LosslessStringConvertible {
  private static let digitCount = 16

  /// The number and the id in hexadecimal digits, such as `57-00c3d8f1a2b4e596`.
  package var description: String { "\(number)-\(line.digits(Self.digitCount, radix: 16))" }

  /// Parses the text of a mark; nil for any other text.
  package init?(_ description: String) {
    let fields = description.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard fields.count == 2, let number = Int64(fields[0]), number > 0, let line = UInt64(fields[1], radix: 16) else {
      return nil
    }
    self.init(number: number, line: line)
    guard self.description == description else { return nil }
  }
}

// MARK: - The table of the ledger

extension CommitMark {
  /// The statements that add the table to a ledger.
  static let migration = "CREATE TABLE commit_lines (first_commit INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT;"

  /// Returns the mark that a commit has in a ledger; nil if the ledger does not have the commit, or an earlier version of the
  /// program made it.
  static func of(_ commit: Int64, in database: SQLiteDatabase) throws(FileFailure) -> CommitMark? {
    guard try LedgerSchema.identify(database) > 8, try commit <= Ledger.state(in: database).commits else { return nil }
    let line = try SQLiteStatement(
      database,
      "SELECT id FROM commit_lines WHERE first_commit <= ? ORDER BY first_commit DESC LIMIT 1"
    )
    return try line.first(.integer(commit)) { row throws(FileFailure) in
      CommitMark(number: commit, line: UInt64(bitPattern: try row.integer(0)))
    }
  }

  /// Returns the mark of the last commit of a ledger; nil if an earlier version of the program made it, or if there is none.
  static func last(in database: SQLiteDatabase) throws(FileFailure) -> CommitMark? {
    try of(try Ledger.state(in: database).commits, in: database)
  }

  /// Begins a line with this commit, as part of its transaction.
  func begin(in database: SQLiteDatabase) throws(FileFailure) {
    try SQLiteStatement(database, "INSERT INTO commit_lines VALUES (?, ?)")
      .run(.integer(number), .integer(Int64(bitPattern: line)))
  }
}

extension Ledger {
  /// The mark of the last commit; nil if an earlier version of the program made it, or if there is none.
  package func lastMark() throws(FileFailure) -> CommitMark? { try CommitMark.last(in: database) }

  /// The mark of the last commit of a state. Read without the lock.
  package static func lastMark(_ folderPath: String) throws(FileFailure) -> CommitMark? {
    try reading(folderPath) { database throws(FileFailure) in try CommitMark.last(in: database) }
  }

  /// Indicates that the ledger has a commit with this mark.
  package func has(_ mark: CommitMark) throws(FileFailure) -> Bool {
    try CommitMark.of(mark.number, in: database) == mark
  }

  /// The number of times that parts of a table were rewritten or removed.
  package func generation(of table: String) throws(FileFailure) -> Int {
    try TableRemoval.generation(of: table, in: database)
  }

  /// Indicates that a state has a commit with this mark. Read without the lock.
  package static func has(_ mark: CommitMark, _ folderPath: String) throws(FileFailure) -> Bool {
    try reading(folderPath) { database throws(FileFailure) in try CommitMark.of(mark.number, in: database) == mark }
  }
}
