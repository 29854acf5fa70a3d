internal import Analysis
internal import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackPipeline
internal import Reporting
internal import Tables

/// `postback enrich`: writes `skan_enriched`, the campaigns of accepted postbacks.
struct EnrichCommand: Command {
  static let manual = Manual(
    name: "enrich",
    summary: "Write skan_enriched: the networks, apps and campaigns of accepted postbacks, from lookup tables.",
    usage: "OUT --lookups DIR [--out DIR] [--format FORMAT] [--json] …",
    discussion: """
      OUT is the --out folder of run or watch. DIR has networks.csv, apps.csv, source_apps.csv and campaigns.csv, each
      optional, or the same as .json; docs/reporting.md describes them. The table has a row for each row of skan_postbacks,
      in the same order, and replaces the one of an earlier run as a whole when it is complete. Complete parts of the
      tables are read, also while watch goes on.

      Where several rows of campaigns.csv fit a postback, only the values on which they agree are written. The campaign
      that a forwarder added to any copy of a postback is used where the lookup tables have none.
      Exit status: 0; 64 usage, 65 a lookup table is wrong or some lines of the tables are not rows, 66 a folder does not
      exist, 73 the table cannot be created, 74 I/O, 75 another process writes the table.
      """,
    options: LookupOptions.options + [
      Option("--out", "DIR", "Write the table into this folder, by default OUT.", short: "-o"),
      Option("--format", "FORMAT", "jsonl (default), csv or both."),
      Option("--csv-safe", nil, "Put an apostrophe before CSV texts that a spreadsheet would take for a formula."),
      Option("--json", nil, "Print the summary as a JSON object."),
      Option("--jobs", "N", "Read N batches at once; default the number of cores."),
    ],
    example: "postback enrich out --lookups lookups"
  )

  private let output: String
  private let lookups: LookupOptions
  private let target: String
  private let encoding: TableEncoding
  private let wantsJSON: Bool
  private let jobs: Int

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard let output = arguments.operands.first, arguments.operands.count == 1 else {
      throw CommandFailure(.usage, "Give one output: the --out folder of a run.")
    }
    lookups = try LookupOptions(arguments)
    guard lookups.areGiven else {
      throw CommandFailure(.usage, "No folder of lookup tables is given. Name it with --lookups.")
    }
    self.output = output
    target = arguments.value("--out") ?? output
    guard !target.isEmpty else { throw CommandFailure(.usage, "The value of --out is empty. Give a folder.") }
    let formats = try TablesOptions.formats(arguments)
    encoding = TableEncoding(formats ?? [.jsonLines], isCSVSafe: arguments.has("--csv-safe"))
    wantsJSON = arguments.has("--json")
    jobs = try arguments.jobs()
  }

  func run() async throws(CommandFailure) {
    let lookups = try lookups.load()
    let progress = AnalysisProgressLine()
    let enrichment: Enrichment
    do {
      defer { progress.clear() }
      var accepted = try TableFiles(.postbacks, at: [output])
      var rejects = try TableFiles(.rejects, at: [output])
      guard accepted.isOfWholeRuns else {
        throw CommandFailure(.usage, "Enrichment needs all tables of a run. Give its --out folder.")
      }
      accepted.progress = progress.handler
      rejects.progress = progress.handler
      let table = try DerivedTable(.enriched, encoding.formats, in: target)
      enrichment = try await Enrichment(
        accepted: accepted,
        rejects: rejects,
        lookups,
        as: encoding,
        into: table,
        jobs: jobs
      )
    } catch {
      throw CommandFailure(of: error)
    }
    let answer = EnrichAnswer(enrichment: enrichment, digest: lookups.hexadecimalDigest)
    try Terminal.print(wantsJSON ? enrichment.json.description : answer.text)
    try enrichment.unreadable.throwIfAny()
  }
}
