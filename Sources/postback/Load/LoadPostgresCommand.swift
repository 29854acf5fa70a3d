internal import Ledger
internal import Answers
internal import PostbackServer
internal import DurableFiles
internal import JSON
internal import Spool
internal import Tables
internal import Warehouse

/// `postback load postgres`: loads the tables into a PostgreSQL database.
struct LoadPostgresCommand: Command {
  struct Options: OptionGroup {
    let address = Option("--dsn ADDRESS", "The address of the database.")
      .configured { $0.derived.postgres?.connection }.value(.text)
    let addressFile = Option("--dsn-file FILE", "The file that holds the address of the database, in one line.")
      .configured { $0.derived.postgres?.connectionFile }.value(.text)
    let schema = Option("--schema NAME", "The schema of the tables, created if it is not there; default public.")
      .configured { $0.derived.postgres?.schema }.value("a name of 1 to 63 bytes", else: "public") { name in
        // PostgreSQL cuts longer names without an error.
        (1...63).contains(name.utf8.count) && !name.utf8.contains(0) ? name : nil
      }
    let tables = Option("--tables LIST", "Load only these tables, such as skan_postbacks,skan_daily; default all.")
      .configured { $0.derived.postgres?.tables?.joined(separator: ",") }.value(.knownTables, else: Table.known)
    let follows = Option("--follow", "Go on with later commits, at most two seconds behind.").isGiven
    let migrates = Option("--migrate", "Alter tables of the database that differ.")
      .configured { $0.derived.postgres?.migrates == true }.isGiven
    let reloaded = Option(
      "--reload LIST",
      "First take back rows of these tables that the output does not have, after it was restored from a backup."
    ).value(.knownTables, else: [])
    let state = StateOptions.state.value(.text)
    let configuration = ConfigurationOption()
    let jobs = Option.jobs("Encode N batches at once; default the number of cores.")
    let printsJSON = Option.json("Print the numbers of rows as a JSON object.")
  }

  static let manual = Manual(
    name: "load postgres",
    summary: "Load the tables into a PostgreSQL database, each row once, also while they are written.",
    usage: "OUT --dsn ADDRESS [--schema NAME] [--tables LIST] [--follow] [--migrate] …",
    discussion: """
      OUT is the --out folder of run or watch. Tables that are not in the schema are created, as postback schema --dialect
      postgresql prints them, with a column loaded_at; those that OUT does not have stay empty. Committed rows are appended,
      also those of parts that are still written. The position behind them is kept in the table postback_cursors and moves in the same transaction: after a
      crash of this program or of the server, run again; no row is missing and none is there twice. Derived tables, such as
      skan_daily, are replaced as a whole when they have changed.

      ADDRESS is a URL or a list of key=value, as libpq reads them: postgresql://ROLE@HOST/DATABASE, service=NAME. It holds
      no password: give that in PGPASSWORD, ~/.pgpass or a service file. docs/postgresql.md describes the tables, the
      rights of the role, and how to begin anew.

      A table of the database that lacks a column, or has one of another type, is an error that names the ALTER TABLE.
      Rows that forget removes from OUT are removed from the database in the same way, rows in which it masks text are replaced,
      and rows that retain removes stay, but for those of asa_attributions and skan_imported. If OUT was restored from a backup that
      is older than the rows of the database, nothing is loaded (status 65) until --reload takes back those rows: from the last
      position on that OUT still has.

      With --follow a connection that is lost is opened again. SIGTERM and SIGINT end it with status 0.
      Exit status: 0; 64 usage, or a password in ADDRESS; 65 the tables of the database differ, or are of another output;
      66 there is no state; 74 I/O, no server, or its disk is full; 75 a lock is held; 77 the server refuses the role or a
      right.
      """,
    options: Options.options,
    example: "postback load postgres out --dsn postgresql://loader@db.example/reports --schema skan"
  )

  private let options: Options
  private let source: Loader.Source
  private let target: Loader.Target

  init(_ arguments: Arguments) throws {
    let output = try arguments.operand(orAdvise: "Give one operand, the --out folder of run or watch.")
    options = try arguments.read()
    guard let text = try options.text(), !text.isEmpty else {
      throw CommandFailure(.usage, "No database is given. Give --dsn, such as --dsn postgresql://ROLE@HOST/DATABASE.")
    }
    let address = try DatabaseAddress(text)
    let appended = options.tables.filter { table in Table.all.contains { $0.name == table.name } }
    source = Loader.Source(
      output: output,
      state: options.state ?? StateFolder.path(in: output),
      appended: appended,
      derived: options.tables.filter { table in !Table.all.contains { $0.name == table.name } }
    )
    for table in options.reloaded where !appended.contains(where: { $0.name == table.name }) {
      throw CommandFailure(
        .usage,
        "\(table.name) is not loaded row by row, or --tables leaves it out. Give --reload one of the tables that are."
      )
    }
    target = Loader.Target(
      address,
      schema: options.schema,
      migrates: options.migrates,
      reloaded: options.reloaded
    )
  }

  func run() async throws {
    // Without --follow a signal ends the process, and the server rolls back.
    var signals: UnixSignals?
    if options.follows { signals = try UnixSignals() }
    var loader = Loader(
      source,
      into: target,
      jobs: options.jobs,
      stop: { [signals] limit in signals?.wait(upTo: limit).contains { $0.asksToEnd } ?? false },
      report: Terminal.warn
    )
    do {
      if options.follows { try await loader.follow() } else { try await loader.load() }
    } catch LoadFailure.stopped {}
    for warning in loader.tally.warnings { Terminal.warn(warning) }
    try Terminal.print(options.printsJSON ? loader.tally.json.description : loader.tally.text)
  }
}

extension LoadPostgresCommand.Options {
  /// Returns the address of `--dsn`, or that in the file of `--dsn-file`; nil if both are absent.
  fileprivate func text() throws -> String? {
    guard let path = addressFile else { return address }
    guard address == nil else { throw CommandFailure(.usage, "Give either --dsn or --dsn-file.") }
    let bytes = try WholeFile.read(path, upTo: 4096)
    let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .filter { !$0.allSatisfy(\.isWhitespace) }
    guard lines.count < 2 else {
      throw CommandFailure(.usage, "\(path): The file has \(lines.count) lines. It must have the address in one line.")
    }
    return lines.first.map(String.init) ?? ""
  }
}

extension ValueKind<[Table]> {
  /// Tables that a database may have, joined by commas, in the order in which they are loaded.
  fileprivate static var knownTables: Self {
    Self(throwing: { list in
      let names = try list.split(separator: ",", omittingEmptySubsequences: false).map { name in
        try Table.known(named: String(name)).name
      }
      return Table.known.filter { names.contains($0.name) }
    })
  }
}

extension LoadTally {
  /// The tables with rows, in the order of their declarations.
  private var rows: [(name: String, count: Count)] {
    Table.known.compactMap { table in tables[table.name].map { (table.name, $0) } }
  }

  fileprivate var text: String {
    guard !rows.isEmpty else { return "There is nothing new to load." }
    var text = TextTable(["table", "rows loaded", "there already", "change"], numbersIn: [1, 2])
    for (name, count) in rows {
      text.add(name, "\(count.loaded)", "\(count.present)", count.replacements > 0 ? "replaced" : "added")
    }
    let removed = rows.filter { $0.count.removed > 0 }.map { name, count in
      "\n\(count.removed) \(count.removed == 1 ? "row was" : "rows were") removed from \(name)."
    }
    let masked = rows.filter { $0.count.masked > 0 }.map { name, count in
      "\nText of a person was masked in \(count.masked) other \(count.masked == 1 ? "row" : "rows") of \(name)."
    }
    return text.text() + (removed + masked).joined()
  }

  /// Sentences about rows that cannot be loaded any more.
  fileprivate var warnings: [String] {
    rows.filter { $0.count.missed.count > 0 }.map { name, count in
      """
      \(name): \(count.missed.text) were removed from the output because of their age before they were loaded, and are \
      not in the database.
      """
    }
  }

  fileprivate var json: JSONValue {
    .object([
      .init(
        "tables",
        .array(
          rows.map { name, count in
            .object([
              .init("table", .string(name)), .init("loaded", .integer(Int64(count.loaded))),
              .init("present", .integer(Int64(count.present))),
              .init("replacements", .integer(Int64(count.replacements))),
              .init("removed", .integer(Int64(count.removed))), .init("masked", .integer(Int64(count.masked))),
              .init("missed", .integer(count.missed.count)),
            ])
          }
        )
      )
    ])
  }
}
