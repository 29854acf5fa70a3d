internal import Tables

/// The table of the database with positions from which a table can be loaded again, when the output does not have what was
/// loaded later.
///
/// Every row that was loaded up to a position has a `loaded_at` that is not later than that of the position, and every row
/// that was loaded after it has a later one. Where the clock of the server jumps back, positions are forgotten.
struct LoadPoints {
  /// The name of the table.
  static let name = "postback_loads"

  let schema: String

  private var table: String { "\(schema.quotedIdentifier).\(Self.name)" }

  /// The least time between two positions, and the time for which a position is kept, as PostgreSQL writes them.
  private static let (interval, age) = ("10 minutes", "90 days")

  /// The statements that create the table.
  var creation: String {
    """
    CREATE TABLE \(table) (
      table_name text,
      loaded_at timestamptz,
      position text NOT NULL,
      PRIMARY KEY (table_name, loaded_at)
    );
    COMMENT ON TABLE \(table) IS 'Positions from which postback load --reload can load a table again.';
    """
  }

  /// Notes the position to which a table is loaded by this transaction. `isLater` indicates that the transaction began after all
  /// that have loaded the table.
  func note(_ position: String, of name: String, isLater: Bool, on connection: DatabaseConnection) throws(LoadFailure) {
    guard isLater else {
      let dropping = "DELETE FROM \(table) WHERE table_name = $1 AND loaded_at >= now()"
      try connection.run(dropping, name, doing: "the earlier positions of \(name)")
      return
    }
    let noting = """
      INSERT INTO \(table) SELECT $1, now(), $2 WHERE NOT EXISTS (
        SELECT 1 FROM \(table) WHERE table_name = $1 AND loaded_at > now() - interval '\(Self.interval)'
      )
      """
    guard try connection.run(noting, name, position, doing: "the position of \(name)").changeCount > 0 else { return }
    let pruning = "DELETE FROM \(table) WHERE table_name = $1 AND loaded_at < now() - interval '\(Self.age)'"
    try connection.run(pruning, name, doing: "the old positions of \(name)")
  }

  /// Returns the positions of a table from the newest to the oldest, each with its time.
  func all(of name: String, on connection: DatabaseConnection) throws(LoadFailure) -> [(position: String, time: String)]
  {
    try connection.run(
      "SELECT position, loaded_at::text FROM \(table) WHERE table_name = $1 ORDER BY loaded_at DESC",
      name,
      doing: "the earlier positions of \(name)"
    ).rows.map { ($0[0] ?? "", $0[1] ?? "") }
  }

  /// Removes the rows of a table that were loaded after a time, and the positions after it; all if `time` is nil. Returns the
  /// number of rows.
  func remove(_ loaded: LoadedTable, after time: String?, on connection: DatabaseConnection) throws(LoadFailure) -> Int
  {
    let task = "the removal of rows of \(loaded.table.name)"
    let time = time ?? "-infinity"
    try connection.run(
      "DELETE FROM \(table) WHERE table_name = $1 AND loaded_at > $2::timestamptz",
      loaded.table.name,
      time,
      doing: task
    )
    return try connection.run(
      "DELETE FROM \(loaded.name) WHERE \(LoadedTable.loadedAt) > $1::timestamptz",
      time,
      doing: task
    ).changeCount
  }
}
