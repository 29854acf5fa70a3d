internal import Ledger
internal import Tables

/// The creation and the check of the schema, the cursors and the tables of the database.
struct LoadPreparation {
  let connection: DatabaseConnection
  let schema: String
  /// Indicates that tables that differ are altered.
  let migrates: Bool

  /// A lock of the server for programs that create the same tables at once: the bytes of “postback”.
  private static let lock = "8102099357864587627"

  /// Creates the tables that are not there, and checks the others. Throws `.configuration` with the statements that would
  /// help if a table differs, unless differing tables are altered. Everything or nothing is created. Those of `derived` that are
  /// altered are replaced by the next load.
  func prepare(_ appended: [LoadedTable], _ derived: [LoadedTable], for output: OutputID) throws(LoadFailure) {
    let tables = appended + derived
    try connection.execute("BEGIN", doing: "a transaction")
    try checkEncoding()
    try connection.execute("SELECT pg_advisory_xact_lock(\(Self.lock))", doing: "a lock")
    try createSchema()
    try connection.execute("SET LOCAL search_path TO \(schema.quotedIdentifier)", doing: "the schema \(schema)")
    let cursors = LoadCursors(schema: schema)
    if try kind(of: LoadCursors.name) == nil {
      try connection.execute(cursors.creation, doing: "the creation of \(LoadCursors.name)")
    }
    if try kind(of: LoadPoints.name) == nil {
      try connection.execute(LoadPoints(schema: schema).creation, doing: "the creation of \(LoadPoints.name)")
    }
    try cursors.claim(tables.map(\.table.name), for: output, on: connection)
    var alterations: [String] = []
    for table in tables {
      switch try kind(of: table.table.name) {
      case nil:
        try connection.execute(table.creation, doing: "the creation of \(table.table.name)")
        // Where a table of this name was dropped, its rows are loaded from the first one again.
        _ = try LoadPoints(schema: schema).remove(table, after: nil, on: connection)
        try cursors.move(table.table.name, to: "", on: connection)
      case "r", "p":
        let found = try self.alterations(of: table)
        alterations += found
        if !found.isEmpty, derived.contains(where: { $0.name == table.name }) {
          try cursors.move(table.table.name, to: "", on: connection)
        }
      default:
        throw .database(
          DatabaseFailure(.configuration, "\(table.name) is there, and is no table", advice: "Give another --schema")
        )
      }
    }
    if !alterations.isEmpty {
      guard migrates else { throw .database(.differing(alterations, in: schema)) }
      try connection.execute(alterations.joined(separator: "\n"), doing: "the changes of the tables")
    }
    try connection.execute("COMMIT", doing: "the creation of the tables")
  }

  private func checkEncoding() throws(LoadFailure) {
    let encoding = try connection.run("SHOW server_encoding", doing: "a query").rows.first?[0] ?? ""
    guard encoding == "UTF8" else {
      throw .database(
        DatabaseFailure(
          .configuration,
          "The database has the encoding \(encoding), which cannot hold all texts",
          advice: "Give a database with the encoding UTF8"
        )
      )
    }
  }

  private func createSchema() throws(LoadFailure) {
    let found = try connection.run("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema, doing: "a query")
    guard found.rows.isEmpty else { return }
    try connection.execute("CREATE SCHEMA \(schema.quotedIdentifier)", doing: "the creation of the schema \(schema)")
  }

  /// Returns the kind of a relation of the schema as the server has it, `r` for a table; nil if there is none.
  private func kind(of relation: String) throws(LoadFailure) -> String? {
    try connection.run(
      """
      SELECT c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = $2
      """,
      schema,
      relation,
      doing: "a query"
    ).rows.first?.first ?? nil
  }

  private func alterations(of table: LoadedTable) throws(LoadFailure) -> [String] {
    let columns = try connection.run(
      """
      SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute
      WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
      """,
      table.name,
      doing: "a query"
    ).rows
    let types = Dictionary(columns.map { ($0[0] ?? "", $0[1] ?? "") }) { first, _ in first }
    let keys = try connection.run(
      """
      SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
      WHERE i.indrelid = $1::regclass AND i.indisunique AND i.indnkeyatts = 1 AND i.indpred IS NULL AND i.indimmediate
      """,
      table.name,
      doing: "a query"
    ).rows
    return table.alterations(of: types, hasKey: keys.contains { $0[0] == table.table.key?.rawValue })
  }
}

extension DatabaseFailure {
  /// Tables of the database are not as they must be.
  fileprivate static func differing(_ statements: [String], in schema: String) -> DatabaseFailure {
    DatabaseFailure(
      .configuration,
      "Tables in the schema \(schema) of the database are not as this version of postback writes them",
      advice: "Nothing was changed. Run these statements, or add --migrate to have them run:",
      details: statements.map { "  \($0)" }
    )
  }
}
