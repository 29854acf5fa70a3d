internal import Base
internal import Delivery
internal import JSON
internal import Reporting
internal import Tables

/// `postback schema`: prints the declarations of the tables as a JSON Schema or as SQL.
struct SchemaCommand: Command {
  /// The form of the output.
  fileprivate enum Dialect: Equatable {
    case jsonSchema
    case sql(SQLDialect)

    static let names = ["json-schema"] + SQLDialect.allCases.map(\.rawValue)

    init?(_ name: String) {
      if name == "json-schema" {
        self = .jsonSchema
      } else if let dialect = SQLDialect(rawValue: name) {
        self = .sql(dialect)
      } else {
        return nil
      }
    }
  }

  struct Options: OptionGroup {
    fileprivate let dialect = Option(
      "--dialect NAME",
      "json-schema (the default), \(SQLDialect.allCases.map(\.rawValue).joined(separator: ", "))."
    ).value("one of \(Dialect.names.joined(separator: ", "))", else: .jsonSchema) { Dialect($0) }
    let duckDB = DuckDBOptions.Options()
  }

  static let manual = Manual(
    name: "schema",
    summary: "Print the columns of the tables as a JSON Schema or as SQL.",
    usage: "[TABLE…] [--dialect NAME] [--from OUT [--parquet DIR]]",
    discussion: """
      The tables are \(Table.described.map(\.name).joined(separator: ", ")); all of them if none is named.

      json-schema describes a row of a table in JSON Lines. With several tables it is an array of schemas. The other
      dialects are statements that create the tables, with exact decimals for money and with the descriptions as comments.

      \(DuckDBOptions.discussion)
      """,
    options: Options.options,
    example: "postback schema skan_events --dialect postgresql"
  )

  private let tables: [Table]
  private let dialect: Dialect
  private let duckDB: DuckDBOptions?

  init(_ arguments: Arguments) throws {
    var tables: [Table] = []
    for name in arguments.operands { tables.append(try Table.known(named: name, among: Table.described)) }
    let options: Options = try arguments.read()
    dialect = options.dialect
    duckDB = try DuckDBOptions(options.duckDB, arguments.operands)
    self.tables = tables.isEmpty ? (duckDB == nil ? Table.described : Table.known) : tables
    guard duckDB != nil, dialect != .sql(.duckdb) else { return }
    throw CommandFailure(.usage, "Only DuckDB has views over an output. Give --dialect duckdb with --from.")
  }

  func run() async throws {
    if let duckDB { return try Terminal.print(duckDB.script(of: tables)) }
    switch dialect {
    case .jsonSchema:
      let schemas = tables.map(\.jsonSchema)
      try Terminal.print((schemas.count == 1 ? schemas[0] : .array(schemas)).indented)
    case .sql(let dialect):
      try Terminal.print(tables.map { dialect.statements(creating: $0) }.joined(separator: "\n\n"))
    }
  }
}

extension Table {
  /// The tables of a run, those that are derived from them, and that of the deliveries to partners.
  static let known = all + derived + [.partnerDeliveries]

  /// All tables, with that of the receiver.
  static let described = known + [.sessionEvents]

  /// Returns the table of this name among some; throws a failure that suggests the nearest name.
  static func known(named name: String, among tables: [Table] = known) throws -> Table {
    if let table = tables.first(where: { $0.name == name }) { return table }
    let names = tables.map(\.name)
    let suggestion = name.nearest(among: names).map { " Did you mean \($0)?" } ?? ""
    throw CommandFailure(
      .usage,
      "There is no table \(name).\(suggestion) The tables are \(names.joined(separator: ", "))."
    )
  }
}
