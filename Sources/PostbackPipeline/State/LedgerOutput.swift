/// The output that a ledger belongs to.
struct LedgerOutput: Equatable, Sendable {
  /// The output's id.
  let id: OutputID
  /// Whether the folder of the tables was given the id.
  var isMarked: Bool
}

extension Ledger {
  /// The output of a ledger of this version.
  static func output(in database: SQLiteDatabase) throws(StateFailure) -> LedgerOutput {
    let statement = try SQLiteStatement(database, "SELECT output_id, output_is_marked FROM state")
    let row = try statement.first { row throws(StateFailure) in (row.text(0), try row.integer(1) as Int64) }
    guard let row, let id = OutputID(row.0) else { throw .damaged(database.path, "has no id of an output in it") }
    return LedgerOutput(id: id, isMarked: row.1 != 0)
  }
}
