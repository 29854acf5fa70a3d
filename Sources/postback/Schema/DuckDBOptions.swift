internal import Ledger
internal import DurableFiles
internal import Tables

/// The options of `postback schema` for DuckDB over the files of an output.
struct DuckDBOptions {
  static let discussion = """
    With --dialect duckdb and --from OUT, the --out folder of run or watch, the statements create a view of each table over the
    rows that are committed now, with the declared types. Rows of later commits need the statements anew. The views of
    derived tables show what enrich, settle, daily and deliver wrote last, and have no rows where the table does not exist. If
    serve --events writes into OUT/s2s_events, that table has a view too, of all its parts whenever it is read. With
    --parquet DIR the statements write Parquet into a folder of DIR for each table, and in it for each day of receipt (UTC);
    DIR must exist, and DuckDB refuses folders that have files. Exit status: 0; 64 usage, 65 the state is damaged or of
    another output, 66 there is no state or a file is gone, 73 or 74 OUT cannot be read.
    """

  private let output: String
  private let state: String
  private let folder: String?
  /// The tables that were named.
  private let names: [String]

  struct Options: OptionGroup {
    let output = Option("--from OUT", "Print views over the committed rows of this output; only with --dialect duckdb.")
      .value(.folder)
    let state = Option("--state DIR", "The folder with the state of OUT; default _state in OUT.").value(.folder)
    let folder = Option("--parquet DIR", "With --from: print statements that write Parquet into this folder.")
      .value(.folder)
  }

  /// Reads the options; nil if there is no `--from`.
  init?(_ options: Options, _ names: [String]) throws {
    guard let output = options.output else {
      for (name, value) in [("--state", options.state), ("--parquet", options.folder)] where value != nil {
        throw CommandFailure(.usage, "\(name) needs --from OUT, the folder with the tables.")
      }
      return nil
    }
    self.output = WholePath.resolved(output)
    state = options.state ?? StateFolder.path(in: output)
    folder = options.folder.map(WholePath.resolved)
    self.names = names
    for path in [self.output, folder ?? ""] where !DuckDB.canOpen(path) {
      throw CommandFailure(
        .usage,
        "DuckDB takes the backslash in the path \(path) for a separator. Give a link to the folder, without a backslash."
      )
    }
    guard folder != self.output else {
      throw CommandFailure(
        .usage,
        "--parquet and --from name the same folder. Give another folder for the Parquet files."
      )
    }
  }

  /// Returns the script over some tables.
  func script(of tables: [Table]) throws -> String {
    let ofRun = Table.all.map(\.name)
    let needsPostbacks = folder != nil && tables.contains(where: \.hasDayOfPostback)
    let needsState = needsPostbacks || tables.contains { ofRun.contains($0.name) }
    let committed = needsState ? try CommittedOutput(output, state: state) : nil
    var found: [(table: Table, files: StoredFiles?)] = []
    var tables = tables
    // A view only where the receiver writes into the output.
    if names.isEmpty, try StoredFiles(sessionEventsIn: output) != nil { tables.append(.sessionEvents) }
    for table in tables {
      let isOfRun = ofRun.contains(table.name)
      let files =
        isOfRun
        ? try committed?.files(of: table)
        : table.name == Table.sessionEvents.name
          ? try StoredFiles(sessionEventsIn: output) : try StoredFiles(derived: table, in: output)
      if files == nil, names.contains(table.name) {
        throw FileFailure(
          .notFound,
          "\(output)/\(table.name)",
          "The derived table does not exist",
          advice: "Let postback enrich, settle, daily, deliver or serve --events write it, or leave out its name"
        )
      }
      found.append((table, files))
    }
    let script = DuckDBScript(found, of: committed)
    guard let folder else { return script.views }
    return script.parquet(in: folder, postbacks: needsPostbacks ? try committed?.files(of: .postbacks) : nil)
  }
}
