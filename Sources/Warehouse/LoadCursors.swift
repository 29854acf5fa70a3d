internal import Ledger

/// The table of the database that holds, for each loaded table, the position behind its last loaded row.
struct LoadCursors {
  /// The name of the table.
  static let name = "postback_cursors"

  let schema: String

  private var table: String { "\(schema.quotedIdentifier).\(Self.name)" }

  /// The statements that create the table.
  var creation: String {
    """
    CREATE TABLE \(table) (
      table_name text PRIMARY KEY,
      output_id text NOT NULL,
      position text NOT NULL,
      moved_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE \(table) IS 'The committed rows that postback load has loaded into the tables of this schema.';
    COMMENT ON COLUMN \(table).output_id IS 'The output that the rows are from: its file _output_id has the same id.';
    COMMENT ON COLUMN \(table).position IS 'The position behind the last row; of a derived table, the version of its files.';
    """
  }

  /// Makes cursors of the output before the first row for tables that have none. Throws `.configuration` if the schema has
  /// cursors of another output.
  func claim(_ tables: [String], for output: OutputID, on connection: DatabaseConnection) throws(LoadFailure) {
    let others = try connection.run(
      "SELECT output_id FROM \(table) WHERE output_id <> $1 LIMIT 1",
      output.description,
      doing: "the cursors"
    )
    if let other = others.rows.first?[0] { throw .database(.otherOutput(other, than: output, in: schema)) }
    for name in tables {
      try connection.run(
        "INSERT INTO \(table) (table_name, output_id, position) VALUES ($1, $2, '') ON CONFLICT DO NOTHING",
        name,
        output.description,
        doing: "a new cursor"
      )
    }
  }

  /// Reads the position of a table, and locks it until the end of the transaction; empty before the first row. `isLater`
  /// indicates that the transaction began after all that have moved it.
  func lock(
    _ name: String,
    on connection: DatabaseConnection
  ) throws(LoadFailure) -> (position: String, isLater: Bool) {
    let found = try connection.run(
      "SELECT position, now() > moved_at FROM \(table) WHERE table_name = $1 FOR UPDATE",
      name,
      doing: "the cursor of \(name)"
    ).rows.first
    guard let found, let position = found[0] else {
      throw .database(DatabaseFailure(.configuration, "The cursor of \(name) was removed", advice: "Run again"))
    }
    return (position, found[1] == "t")
  }

  /// Returns the positions of all tables without a lock.
  func positions(on connection: DatabaseConnection) throws(LoadFailure) -> [String: String] {
    let rows = try connection.run("SELECT table_name, position FROM \(table)", doing: "the cursors").rows
    return Dictionary(rows.map { ($0[0] ?? "", $0[1] ?? "") }) { first, _ in first }
  }

  /// Moves the position of a table that is locked.
  func move(_ tableName: String, to position: String, on connection: DatabaseConnection) throws(LoadFailure) {
    try connection.run(
      "UPDATE \(table) SET position = $2, moved_at = greatest(moved_at, now()) WHERE table_name = $1",
      tableName,
      position,
      doing: "the cursor of \(tableName)"
    )
  }
}

extension DatabaseFailure {
  /// The tables of the schema belong to another output.
  fileprivate static func otherOutput(_ other: String, than output: OutputID, in schema: String) -> DatabaseFailure {
    DatabaseFailure(
      .configuration,
      """
      The tables in the schema \(schema) of the database were loaded from the output \(other), and this is the output \
      \(output)
      """,
      advice: """
        Load that output, or give another --schema. To begin anew in this schema, drop its tables and \
        \(LoadCursors.name) first
        """
    )
  }
}
