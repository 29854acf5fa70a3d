internal import Analysis
internal import DurableFiles
internal import Ledger
internal import Reporting
internal import Tables

/// The options of the commands that write tables derived from those of a run.
struct DerivedOptions {
  static let options = [
    Option("--out", "DIR", "Write the derived tables into this folder, by default OUT.", short: "-o"),
    Option("--format", "FORMAT", "jsonl (default), csv or both."),
    Option("--csv-safe", nil, "Put an apostrophe before CSV texts that a spreadsheet would take for a formula."),
    Option("--replace", nil, "Replace the table that is there even if the new one has fewer than 80 % of its rows."),
    Option("--json", nil, "Print the summary as a JSON object."),
    ConfigurationOption.option,
    Option("--jobs", "N", "Read N batches at once; default the number of cores."),
  ]

  /// The output of the run.
  let output: String
  /// The folder for the derived tables.
  let target: String
  let encoding: TableEncoding
  let wantsJSON: Bool
  let jobs: Int
  private let isReplacing: Bool

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard let output = arguments.operands.first, arguments.operands.count == 1 else {
      throw CommandFailure(.usage, "Give one output: the --out folder of a run.")
    }
    self.output = output
    target = arguments.value("--out") ?? output
    guard !target.isEmpty else { throw CommandFailure(.usage, "The value of --out is empty. Give a folder.") }
    try TablesOptions.verifyPlace(target)
    isReplacing = arguments.has("--replace")
    let formats = try TablesOptions.formats(arguments)
    encoding = TableEncoding(formats ?? [.jsonLines], isCSVSafe: arguments.has("--csv-safe"))
    wantsJSON = arguments.has("--json")
    jobs = try arguments.jobs()
  }

  /// Returns the rule by which tables may replace those that are there. The state of the run knows the removals.
  func replacement(state: String? = nil) throws(FileFailure) -> TableReplacement {
    let state = state ?? "\(output)/_state"
    guard Ledger.isThere(state) else { return TableReplacement(isForced: isReplacing) }
    let cursors = try TableCursor.ends(of: [.postbacks, .events, .rejects], in: output, state: state)
    return TableReplacement(isForced: isReplacing, removals: cursors.reduce(0) { $0 + $1.generation })
  }

  /// Returns the files of a table of the run, whose reading moves the progress line.
  func files(of table: Table, _ progress: AnalysisProgressLine) throws -> TableFiles {
    var files = try TableFiles(table, at: [output])
    guard files.isOfWholeRuns else {
      throw CommandFailure(.usage, "All tables of a run are needed. Give its --out folder.")
    }
    files.progress = progress.handler
    return files
  }
}
