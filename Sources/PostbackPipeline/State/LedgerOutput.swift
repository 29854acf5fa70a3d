/// The output that a ledger belongs to.
struct LedgerOutput: Equatable, Sendable {
  /// The id of the output.
  let id: OutputID
  /// True if the folder of the tables holds the id.
  var isMarked: Bool
}

extension Ledger {
  /// Reads the output from a ledger of version 2 or later.
  static func output(in database: SQLiteDatabase) throws(StateFailure) -> LedgerOutput {
    let statement = try SQLiteStatement(database, "SELECT output_id, output_is_marked FROM state")
    let row = try statement.first { row throws(StateFailure) in (row.text(0), try row.integer(1) as Int64) }
    guard let row, let id = OutputID(row.0) else { throw .damaged(database.path, "has no id of an output in it") }
    return LedgerOutput(id: id, isMarked: row.1 != 0)
  }
}
