internal import Base
internal import Tables

/// A table in a schema of the database, with the statements that make and fill it.
struct LoadedTable {
  let table: Table
  let schema: String

  /// The column with the time at which the transaction began that has loaded a row.
  static let loadedAt = "loaded_at"
  private static let loadedAtType = "timestamp with time zone"

  /// The name for statements.
  var name: String { "\(schema.quotedIdentifier).\(table.name.quotedIdentifier)" }

  private var columns: String { table.columnNames.map(\.quotedIdentifier).joined(separator: ", ") }
  private var stagingName: String { "pg_temp.\("postback_\(table.name)".quotedIdentifier)" }

  /// The names and types of all columns.
  var types: [(name: String, type: String)] {
    table.columns.map { ($0.name.rawValue, Self.catalogName($0.type)) } + [(Self.loadedAt, Self.loadedAtType)]
  }

  /// Returns the name of a type as `format_type` of the server writes it.
  private static func catalogName(_ type: ColumnType) -> String {
    switch type {
    case .time: loadedAtType
    case .decimal(let precision, let scale), .signedDecimal(let precision, let scale): "numeric(\(precision),\(scale))"
    default: SQLDialect.postgresql.typeName(type)
    }
  }

  /// The statements that create the table in the schema that is first in the search path.
  var creation: String {
    """
    \(SQLDialect.postgresql.statements(creating: table))
    ALTER TABLE \(name) ADD COLUMN \(definition(ofLoadedAt: Self.loadedAt));
    COMMENT ON COLUMN \(name).\(Self.loadedAt) IS 'The time at which postback load has loaded the row.';
    """
  }

  private func definition(ofLoadedAt name: String) -> String { "\(name) timestamptz NOT NULL DEFAULT now()" }

  // MARK: - Rows

  /// The statement that begins a copy into the table.
  var directCopy: String { "COPY \(name) (\(columns)) FROM STDIN (FORMAT binary)" }

  /// The statement that begins a copy past rows that are there: into the staging table if the table has a key, and otherwise into the table.
  var copy: String { table.key == nil ? directCopy : stagingCopy }

  /// The statement that begins a copy into the staging table.
  var stagingCopy: String { "COPY \(stagingName) (\(columns)) FROM STDIN (FORMAT binary)" }

  /// The statement that makes the staging table of this session, which each transaction leaves empty.
  var staging: String {
    let columns = table.columns.map {
      "\($0.name.rawValue.quotedIdentifier) \(SQLDialect.postgresql.typeName($0.type))"
    }
    return
      "CREATE TEMPORARY TABLE IF NOT EXISTS \(stagingName) (\(columns.joined(separator: ", "))) ON COMMIT DELETE ROWS"
  }

  /// The statement that empties the staging table within a transaction.
  var emptying: String { "DELETE FROM \(stagingName)" }

  /// The statement that moves rows from the staging table, except those whose key is there; nil if the table has no key.
  var insertion: String? {
    table.key.map { key in
      """
      INSERT INTO \(name) (\(columns)) SELECT \(columns) FROM \(stagingName) \
      ON CONFLICT (\(key.rawValue.quotedIdentifier)) DO NOTHING
      """
    }
  }

  /// The statement that moves rows from the staging table, except those whose key is there, as if they had been loaded at the time
  /// of its parameter.
  var insertionAtTime: String {
    """
    INSERT INTO \(name) (\(columns), \(Self.loadedAt)) SELECT \(columns), $1::timestamptz FROM \(stagingName) \
    ON CONFLICT DO NOTHING
    """
  }

  // MARK: - Older rows

  private var asideName: String { "pg_temp.\("postback_\(table.name)_aside".quotedIdentifier)" }
  private static let postbackKey = ColumnName.postbackKey.rawValue.quotedIdentifier

  /// The statement that copies the rows of postbacks from before a time into a table of this transaction.
  func settingAside(of postbacks: LoadedTable, before end: Timestamp) -> String {
    """
    CREATE TEMPORARY TABLE \(asideName) ON COMMIT DROP AS SELECT older.* FROM \(name) AS older \
    JOIN \(postbacks.name) AS postback USING (\(Self.postbackKey)) \
    WHERE postback.\(ColumnName.receivedAt.rawValue.quotedIdentifier) < TIMESTAMPTZ '\(end)'
    """
  }

  /// The statement that takes the rows back of those postbacks of which no other row was loaded meanwhile.
  var takingBack: String {
    let columns = "\(columns), \(Self.loadedAt)"
    return """
      INSERT INTO \(name) (\(columns)) SELECT \(columns) FROM \(asideName) AS older \
      WHERE NOT EXISTS (SELECT FROM \(name) AS newer WHERE newer.\(Self.postbackKey) = older.\(Self.postbackKey))
      """
  }

  // MARK: - Differences

  /// Returns the statements that make a table of the database as it must be. `found` has its columns with their types, and
  /// `hasKey` indicates that a unique index of its own guards the key.
  func alterations(of found: [String: String], hasKey: Bool) -> [String] {
    var statements: [String] = []
    for (column, type) in types where found[column] != type {
      let identifier = column.quotedIdentifier
      if found[column] != nil {
        statements.append("ALTER TABLE \(name) ALTER COLUMN \(identifier) TYPE \(type) USING \(identifier)::\(type);")
      } else if column == Self.loadedAt {
        statements.append("ALTER TABLE \(name) ADD COLUMN \(definition(ofLoadedAt: identifier));")
      } else {
        // Rows that are there already have no value.
        statements.append("ALTER TABLE \(name) ADD COLUMN \(identifier) \(type);")
      }
    }
    if let key = table.key, !hasKey {
      statements.append("ALTER TABLE \(name) ADD PRIMARY KEY (\(key.rawValue.quotedIdentifier));")
    }
    return statements
  }
}

extension String {
  /// The text as an identifier of SQL.
  package var quotedIdentifier: String { "\"\(replacing("\"", with: "\"\""))\"" }
}
