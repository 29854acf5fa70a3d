internal import CopySettlement
internal import Analysis
internal import Base
internal import CampaignEnrichment
internal import DerivedTables
internal import DurableFiles
internal import FraudSignals
internal import JSON
internal import NullValueModelling
internal import PostbackPipeline
internal import PostbackVerification
internal import TableReading
internal import Tables

/// `postback rejects`: counts, filters and shows rejects.
struct RejectsCommand: Command {
  static let manual = Manual(
    name: "rejects",
    summary: "Count, filter and show rejects from the tables of one or more runs.",
    usage: "OUT… [--group-by COL,…] [--where EXPR]… [--since T] [--until T] [--show N] [--signals] …",
    discussion: """
      OUT is the --out folder of run or watch, its skan_rejects folder, or a file of rows (JSON Lines, compressed or not;
      - is standard input). With the --out folder, the accepted postbacks are read too, and each group has its share of all
      records of its kind: with a grouping by forwarder, of all records of that forwarder. Memory is bounded: at most 100000
      groups are kept, and the output tells if there are more. Lines that are not rows are skipped and reported.

      EXPR is COLUMN OP VALUE, or COLUMN in (VALUE, …). COLUMN is a column of skan_rejects. OP is =, !=, ~ (contains the text,
      case-sensitive), !~, <, <=, > or >=, which compare numbers, times and dates by value, and anything else by its bytes.
      An empty VALUE means null. A reject must meet all conditions.

      Copies with a different unsigned value (duplicate_conflict) are compared with the first copy if --group-by or --where
      names channel or forwarder, if --where names this code, and with --show or --diagnose. The output has both values, both
      senders, and the forwarder that a device's own copy contradicts, whichever came first. A condition holds if either copy
      meets it. A device's copy is strong evidence but no proof, because the endpoint for devices is public.
      Exit status: 0; 64 usage, 65 some lines are not rows, 66 the tables do not exist, 74 I/O.
      """,
    options: [
      Option(
        "--group-by",
        "COL,…",
        "Group by columns of skan_rejects, received_day or received_hour;\ndefault stage,reject_code."
      ),
      Option("--where", "EXPR", "Count only rejects that meet this condition. May be repeated."),
      Option("--since", "T", "Count only rejects received at this time or later: RFC 3339, or a date."),
      Option("--until", "T", "Count only rejects received before this time."),
      Option(
        "--top",
        "N",
        "Print the N largest groups; default 50 in a table, all in json and csv. Related rejects: at\nmost 10 groups."
      ),
      Option(
        "--sort",
        "ORDER",
        "size (default), or day: groups by received_day or received_hour in the order of time."
      ),
      Option(
        "--compare",
        "P,P",
        "Also compare two periods of receipt, such as 2026-03-01/2026-03-07,2026-03-08/2026-03-14, and\nlist the code, forwarder, network and app that changed, with its day."
      ),
      Option("--show", "N", "Also print the first N rejects, with their raw bodies."),
      Option(
        "--signals",
        nil,
        "Also test accepted postbacks and copies for fraud, by forwarder, network and app.\nNeeds the --out folder; uses skan_enriched in it."
      ),
      Option(
        "--late-days",
        "N",
        "Count a copy as a late replay if it comes more than N days after the first; default 10."
      ),
      Option(
        "--diagnose",
        nil,
        "Find the edits of rejects whose signature is invalid, and their senders, and show rejects with\nthe same signature or transaction side by side. Takes a while."
      ),
      Option(
        "--stolen-signatures",
        nil,
        "Find rejects with the signature of an accepted postback of another transaction, and their\nsenders. Needs the --out folders of runs; part of --diagnose."
      ),
      Option("--diagnose-limit", "N", "Diagnose at most N rejects, drawn evenly; default 1000."),
      Option("--format", "FORMAT", "table (default), json, or csv, which has the groups alone."),
      Option("--json", nil, "The same as --format json."),
      Option("--jobs", "N", "Read N batches at once; default the number of cores."),
    ] + ReprocessedOptions.options + TrustOptions.keyOptions,
    example: "postback rejects out --group-by forwarder,reject_code --where stage=signature --since 2026-03-01"
  )

  /// The output format.
  enum Format: String {
    case table
    case json
    case csv
  }

  /// The maximum number of groups of related rejects to show: by signature, and as many by transaction.
  private static let mostRelated = 10
  /// The maximum number of changes in a table.
  private static let shownChanges = 20

  private let paths: [String]
  private let query: RejectQuery
  private let format: Format
  private let top: Int
  private let sortsByDay: Bool
  private let periods: (before: RejectPeriod, after: RejectPeriod)?
  private let jobs: Int
  private let wantsSignals: Bool
  private let lateDays: Int
  private let wantsDiagnosis: Bool
  private let wantsStolen: Bool
  private let diagnosisLimit: Int
  private let trust: Trust
  private let reprocessed: ReprocessedOptions

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = arguments.operands
    guard !paths.isEmpty else { throw CommandFailure(.usage, "No tables are given. Give the --out folder of a run.") }
    let named = try arguments.value("--format", "table, json or csv") { Format(rawValue: $0) }
    if let named, named != .json, arguments.has("--json") {
      throw CommandFailure(
        .usage,
        "The options --json and --format \(named.rawValue) exclude each other. Give one of them."
      )
    }
    format = arguments.has("--json") ? .json : named ?? .table
    top = try arguments.integer("--top", in: 1...Int(Int32.max)) ?? (format == .table ? 50 : .max)
    jobs = try arguments.jobs()
    wantsSignals = arguments.has("--signals")
    wantsDiagnosis = arguments.has("--diagnose")
    wantsStolen = arguments.has("--stolen-signatures")
    diagnosisLimit = try arguments.integer("--diagnose-limit", in: 1...1_000_000) ?? 1000
    trust = try TrustOptions.trust(arguments)
    reprocessed = ReprocessedOptions(arguments)
    lateDays = try arguments.integer("--late-days", in: 0...3650) ?? 10
    do {
      var query = RejectQuery(grouping: try GroupColumn.list(arguments.value("--group-by") ?? "stage,reject_code"))
      query.span = TimeSpan(
        since: try arguments.time("--since")?.milliseconds,
        until: try arguments.time("--until")?.milliseconds
      )
      query.shownRows = try arguments.integer("--show", in: 1...10_000) ?? 0
      query.comparesCopies = wantsDiagnosis
      for condition in arguments.all("--where") { query.conditions.append(try Condition(parsing: condition)) }
      self.query = query
      periods = try arguments.value("--compare").map(RejectPeriod.pair)
    } catch let defect as QueryDefect {
      throw CommandFailure(.usage, "\(defect)")
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.software, "\(error)")
    }
    let order = try arguments.value("--sort", "size or day") { ["size", "day"].contains($0) ? $0 : nil }
    sortsByDay = order == "day"
    guard !sortsByDay || query.grouping.contains(where: \.isTime) else {
      throw CommandFailure(.usage, "Groups without a day have no order of days. Give --group-by received_day,… too.")
    }
    if format == .csv, periods != nil || query.shownRows > 0 || wantsSignals || wantsDiagnosis || wantsStolen {
      throw CommandFailure(
        .usage,
        "The format csv has the groups alone. Give --compare, --show, --signals, --diagnose and --stolen-signatures with table or json."
      )
    }
  }

  func run() async throws(CommandFailure) {
    let survey: RejectSurvey
    var signals: SignalsAnswer?
    var tampering: TamperingAnswer?
    var stolen: StolenAnswer?
    var comparison: ComparisonAnswer?
    do {
      let progress = AnalysisProgressLine()
      defer { progress.clear() }
      let tables = try reprocessed.tables(at: paths, progress: progress.handler)
      let (rejects, accepted) = (tables.rejects, tables.postbacks)
      for (option, isGiven) in [("--signals", wantsSignals), ("--stolen-signatures", wantsStolen)]
      where isGiven && !accepted.isOfWholeRuns {
        throw CommandFailure(.usage, "The option \(option) needs accepted postbacks. Give the --out folders of runs.")
      }
      if wantsDiagnosis, !rejects.canBeReadAgain {
        throw CommandFailure(
          .usage,
          "The option --diagnose reads the rows more than once. Give a file instead of a pipe."
        )
      }
      // Copies are compared with their first copies, whenever those came.
      let matching = try reprocessed.files(rejects, during: query.span)
      let read = query.wantsConflicts ? accepted : try reprocessed.files(accepted, during: query.span)
      survey = try await RejectSurvey(
        query,
        rejects: query.wantsConflicts ? rejects : matching,
        accepted: accepted.isOfWholeRuns ? read : nil,
        jobs: jobs
      )
      if let periods {
        let found = try await RejectComparison(
          query,
          periods,
          rejects: rejects,
          accepted: accepted.isOfWholeRuns ? accepted : nil,
          jobs: jobs
        )
        comparison = ComparisonAnswer(comparison: found, top: min(top, format == .table ? Self.shownChanges : .max))
      }
      if wantsSignals {
        let survey = try await SignalSurvey(
          query,
          rejects: rejects,
          accepted: accepted,
          jobs: jobs
        )
        let report = try await SignalReport(
          query,
          rejects: rejects,
          accepted: accepted,
          settled: try derived(.settled),
          enriched: try derived(.enriched),
          models: try paths.flatMap(ModelMeanings.models),
          lateAfterDays: lateDays,
          jobs: jobs
        )
        signals = SignalsAnswer(survey: survey, report: report, top: top)
      }
      if wantsDiagnosis {
        let found = try await Tampering(
          query,
          rejects: matching,
          accepted: accepted,
          trust: trust,
          limit: diagnosisLimit,
          jobs: jobs
        )
        let related = try await RelatedRejects(
          query,
          rejects: matching,
          accepted: accepted,
          limit: min(top, Self.mostRelated),
          jobs: jobs
        )
        tampering = TamperingAnswer(tampering: found, related: related, top: top)
      }
      if wantsStolen || wantsDiagnosis && accepted.isOfWholeRuns {
        let found = try await StolenSignatures(query, rejects: matching, accepted: accepted, limit: top, jobs: jobs)
        stolen = StolenAnswer(stolen: found, top: top)
      }
    } catch {
      throw CommandFailure(of: error)
    }
    let answer = RejectsAnswer(
      query: query,
      survey: survey,
      signals: signals,
      tampering: tampering,
      stolen: stolen,
      comparison: comparison,
      sortsByDay: sortsByDay,
      top: top
    )
    switch format {
    case .table: try Terminal.print(answer.text)
    case .json: try Terminal.print(answer.json.description)
    case .csv: try Terminal.print(answer.csv)
    }
    // The signals come from the same rows, so their unreadable lines are the same.
    try survey.unreadable.throwIfAny()
  }
}

extension RejectsCommand {
  /// The files of a derived table, if a single output folder is given and has them.
  private func derived(_ table: Table) throws(FileFailure) -> TableFiles? {
    guard paths.count == 1 else { return nil }
    return try TableFiles(derived: table, of: DerivedSnapshot(of: paths[0]))
  }
}

extension UnreadableRows {
  /// Throws if lines were skipped.
  func throwIfAny() throws(CommandFailure) {
    guard let first else { return }
    let lines = count == 1 ? "1 line is not a row and was" : "\(count) lines are not rows and were"
    throw CommandFailure(.configuration, "\(lines) skipped. The first is \(first).")
  }
}
