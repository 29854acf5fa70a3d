internal import Ledger
internal import PostbackPipeline
internal import PostbackServer
internal import Tables

/// The options for the folders of tables and state, and for the format of tables.
struct TablesOptions: OptionGroup {
  let output = Option("-o, --out DIR", "Write the tables to this folder.").configured { $0.out }.value(.text)
  let state = Option("--state DIR", "The folder of the state; default _state in the folder of --out.")
    .configured { $0.state }.value(.text)
  let formats = Option("--format FORMAT", "jsonl, csv or both; default the format of the existing tables, or jsonl.")
    .value(.formats)
  let isCSVSafe = Option.csvSafe.isGiven
  let keepsRawBodies = Option.keepRaw.isGiven
  let partitioning = Option(
    "--partition received_day",
    "Put the parts of each table into a folder for each day of receipt (UTC), such as\nreceived_day=2026-11-22; default the folders of the existing tables, or none."
  ).value(ValueKind<Partitioning>.word)
  let keepsAddresses = Option.keepAddresses.isGiven
  let partBytes = Option("--part-bytes N", "Complete a part when it has N bytes; default 268435456.")
    .value(.integer(in: 1...(1 << 40)))
  let commitMilliseconds = Option(
    "--commit-ms N",
    "Commit when a record has waited for N milliseconds; default 1000, in watch and serve 500."
  ).value(.integer(in: 0...3_600_000))

  func tables(configured: ServerConfiguration = ServerConfiguration()) throws -> TableOptions {
    guard let folder = output ?? configured.out, !folder.isEmpty else {
      throw CommandFailure(.usage, "No folder for the tables is given. Name it with --out.")
    }
    try Self.verifyPlace(folder)
    var tables = TableOptions(folder: folder, formats: formats ?? [.jsonLines], isCSVSafe: isCSVSafe)
    tables.choosesFormats = formats != nil
    tables.keepsRawBodies = keepsRawBodies
    tables.partitioning = partitioning
    // If the ledger cannot be read, opening it later reports the reason.
    if let kept = try? Ledger.reading(stateFolder(of: tables, configured: configured)) {
      tables.complete(from: kept.settings)
    }
    tables.keepsAddresses = keepsAddresses
    if let partBytes { tables.partBytes = Int64(partBytes) }
    if let commitMilliseconds { tables.commitInterval = .milliseconds(commitMilliseconds) }
    return tables
  }

  /// Returns the path of the state's folder: `--state`, or that of the configuration, or `_state` in the folder of the
  /// tables.
  func stateFolder(of tables: TableOptions, configured: ServerConfiguration = ServerConfiguration()) -> String {
    state ?? configured.state ?? StateFolder.path(in: tables.folder)
  }
}

extension Option {
  /// The formats of tables that other commands read.
  static let format = Option("--format FORMAT", "jsonl (default), or both, which adds CSV; csv is the same as both.")
  static let csvSafe = Option(
    "--csv-safe",
    "Put an apostrophe before CSV texts that a spreadsheet would take for a formula."
  )
  static let keepRaw = Option(
    "--keep-raw",
    "Keep the bytes of accepted postbacks too, in the column raw_body; partners may be sent them. Stays on."
  )
  static let keepAddresses = Option(
    "--keep-addresses",
    "Write network addresses of senders, user agents, and ids of persons and devices to the tables. They are left out by default."
  )

  /// The value of `--max-postback-bytes`; nil if it is absent.
  static func postbackBytes(_ help: String = "Reject larger records as too_large; default 65536.") -> Int? {
    Option("--max-postback-bytes N", help)
      .configured { Optional($0.postbackBytes) }.value(.integer(in: 1024...(64 << 20)))
  }

  /// The values of `--models`.
  static func models(_ help: String = "A file or folder of conversion models. May be repeated.") -> [String] {
    Option("--models PATH", help).configured { $0.models }.values(.text)
  }
}

extension ValueKind<Set<TableFormat>> {
  /// The formats of tables.
  static var formats: Self {
    Self("jsonl, csv or both", named)
  }

  /// The formats of tables that other commands read as JSON Lines, which are written beside CSV.
  static var formatsWithJSONLines: Self {
    Self("jsonl, csv or both") { named($0)?.union([.jsonLines]) }
  }

  private static func named(_ text: String) -> Value? {
    text == "both" ? Set(TableFormat.allCases) : TableFormat(rawValue: text).map { [$0] }
  }
}
