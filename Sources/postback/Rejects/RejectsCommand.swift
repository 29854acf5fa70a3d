internal import Answers
internal import CopySettlement
internal import Analysis
internal import Base
internal import CampaignEnrichment
internal import DerivedTables
internal import FraudSignals
internal import JSON
internal import NullValueModelling
internal import PostbackVerification
internal import TableReading
internal import VendorReports

/// `postback rejects`: counts, filters and shows rejects.
struct RejectsCommand: Command {
  struct Options: OptionGroup {
    let grouping = Option(
      "--group-by COL,…",
      "Group by columns of skan_rejects, received_day or received_hour;\ndefault stage,reject_code."
    ).value(.init(throwing: { try GroupColumn.list($0) }))
    let conditions = Option("--where EXPR", "Count only rejects that meet this condition. May be repeated.")
      .values(.condition)
    let period = PeriodOptions("Count only rejects")
    let top = Option(
      "--top N",
      "Print the N largest groups; default 50 in a table, all in json and csv. Related rejects: at\nmost 10 groups."
    ).value(.integer(in: 1...Int(Int32.max)))
    let order = Option(
      "--sort ORDER",
      "size (default), or day: groups by received_day or received_hour in the order of time."
    ).value(ValueKind<Order>.word)
    let periods = Option(
      "--compare P,P",
      "Also compare two periods of receipt, such as 2026-03-01/2026-03-07,2026-03-08/2026-03-14, and\nlist the code, forwarder, network and app that changed, with its day."
    ).value(.init(throwing: { try RejectPeriod.pair($0) }))
    let shownRows = Option("--show N", "Also print the first N rejects, with their raw bodies.")
      .value(.integer(in: 1...10_000), else: 0)
    let wantsSignals = Option(
      "--signals",
      "Also test accepted postbacks and copies for fraud, by forwarder, network and app.\nNeeds the --out folder; uses skan_enriched in it."
    ).isGiven
    let lateDays = Option.lateDays.value(.integer(in: 0...3650), else: SignalCounter.lateAfterDays)
    let wantsDiagnosis = Option(
      "--diagnose",
      "Find the edits of rejects whose signature is invalid, and their senders, and show rejects with\nthe same signature or transaction side by side. Takes a while."
    ).isGiven
    let wantsStolen = Option(
      "--stolen-signatures",
      "Find rejects with the signature of an accepted postback of another transaction, and their\nsenders. Needs the --out folders of runs; part of --diagnose."
    ).isGiven
    let diagnosisLimit = Option("--diagnose-limit N", "Diagnose at most N rejects, drawn evenly; default 1000.")
      .value(.integer(in: 1...1_000_000), else: 1000)
    let format = Option("--format FORMAT", "table (default), json, or csv, which has the groups alone.")
      .value(ValueKind<Format>.word)
    let wantsJSON = Option.json("The same as --format json.")
    let jobs = Option.jobs()
    let reprocessed = ReprocessedOptions()
    let keys = KeyOptions()
  }

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
    options: Options.options,
    example: "postback rejects out --group-by forwarder,reject_code --where stage=signature --since 2026-03-01"
  )

  /// The output format.
  enum Format: String, CaseIterable {
    case table, json, csv
  }

  /// The order of the groups.
  enum Order: String, CaseIterable {
    case size, day
  }

  /// The maximum number of groups of related rejects to show: by signature, and as many by transaction.
  private static let mostRelated = 10
  /// The maximum number of changes in a table.
  private static let shownChanges = 20

  private let options: Options
  private let paths: [String]
  private let query: RejectQuery
  private let format: Format
  private let top: Int
  private let trust: TrustPolicy
  private var jobs: Int { options.jobs }

  init(_ arguments: Arguments) throws {
    paths = try arguments.operands(orAdvise: "No tables are given. Give the --out folder of a run.")
    options = try arguments.read()
    if let named = options.format, named != .json, options.wantsJSON {
      throw CommandFailure(
        .usage,
        "The options --json and --format \(named.rawValue) exclude each other. Give one of them."
      )
    }
    format = options.wantsJSON ? .json : options.format ?? .table
    top = options.top ?? (format == .table ? 50 : .max)
    trust = try options.keys.trust()
    query = try options.query()
    guard options.order != .day || query.grouping.contains(where: \.isTime) else {
      throw CommandFailure(.usage, "Groups without a day have no order of days. Give --group-by received_day,… too.")
    }
    let hasMore =
      options.periods != nil || options.shownRows > 0 || options.wantsSignals || options.wantsDiagnosis
      || options.wantsStolen
    if format == .csv, hasMore {
      throw CommandFailure(
        .usage,
        "The format csv has the groups alone. Give --compare, --show, --signals, --diagnose and --stolen-signatures with table or json."
      )
    }
  }

  func run() async throws {
    let survey: RejectSurvey
    var signals: SignalsAnswer?
    var tampering: TamperingAnswer?
    var stolen: StolenAnswer?
    var comparison: ComparisonAnswer?
    do {
      let progress = ProgressLine()
      defer { progress.clear() }
      let tables = try options.reprocessed.tables(at: paths, progress: progress.handler)
      let (rejects, accepted) = (tables.rejects, tables.postbacks)
      if let since = try tables.completeSince(), query.span.since ?? .min < since {
        Terminal.note(
          """
          Rows from before \(Timestamp(milliseconds: since)) were removed because of their age. What is left of them is counted, and \
          shares of these days are not those of all records; --since leaves them out.
          """
        )
      }
      for (option, isGiven) in [("--signals", options.wantsSignals), ("--stolen-signatures", options.wantsStolen)]
      where isGiven && !accepted.isOfWholeRuns {
        throw CommandFailure(.usage, "The option \(option) needs accepted postbacks. Give the --out folders of runs.")
      }
      if options.wantsDiagnosis, !rejects.canBeReadAgain {
        throw CommandFailure(
          .usage,
          "The option --diagnose reads the rows more than once. Give a file instead of a pipe."
        )
      }
      // Copies are compared with their first copies, whenever those came.
      let matching = try options.reprocessed.files(rejects, during: query.span)
      let read = query.wantsConflicts ? accepted : try options.reprocessed.files(accepted, during: query.span)
      survey = try await RejectSurvey(
        query,
        rejects: query.wantsConflicts ? rejects : matching,
        accepted: accepted.isOfWholeRuns ? read : nil,
        jobs: jobs
      )
      if let periods = options.periods {
        let found = try await RejectComparison(
          query,
          periods,
          rejects: rejects,
          accepted: accepted.isOfWholeRuns ? accepted : nil,
          jobs: jobs
        )
        comparison = ComparisonAnswer(comparison: found, top: min(top, format == .table ? Self.shownChanges : .max))
      }
      if options.wantsSignals {
        let survey = try await SignalSurvey(
          query,
          rejects: rejects,
          accepted: accepted,
          jobs: jobs
        )
        var inputs = SignalInputs(rejects: rejects, accepted: accepted)
        let derived = paths.count == 1 ? try DerivedSnapshot(of: paths[0]) : nil
        inputs.settled = try derived.flatMap { try TableFiles(derived: .settled, of: $0) }
        inputs.enriched = try derived.flatMap { try TableFiles(derived: .enriched, of: $0) }
        inputs.since = try tables.completeSince()
        (inputs.models, inputs.lateAfterDays) = (try paths.flatMap(ModelMeanings.models), options.lateDays)
        let report = try await SignalReport(query, of: inputs, jobs: jobs)
        let vendors = try derived.map { try VendorReport.read(in: $0.folder) } ?? []
        withExtendedLifetime(derived) {}
        signals = SignalsAnswer(survey: survey, report: report, vendors: vendors, top: top)
      }
      if options.wantsDiagnosis {
        let found = try await TamperingSurvey(
          query,
          rejects: matching,
          accepted: accepted,
          trust: trust,
          limit: options.diagnosisLimit,
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
      if options.wantsStolen || options.wantsDiagnosis && accepted.isOfWholeRuns {
        let found = try await StolenSignatures(query, rejects: matching, accepted: accepted, limit: top, jobs: jobs)
        stolen = StolenAnswer(stolen: found, top: top)
      }
    }
    let sortsByDay = options.order == .day
    var answer = RejectsAnswer(query: query, survey: survey, sortsByDay: sortsByDay, top: top)
    (answer.signals, answer.tampering) = (signals, tampering)
    (answer.stolen, answer.comparison) = (stolen, comparison)
    switch format {
    case .table: try Terminal.print(answer.text)
    case .json: try Terminal.print(answer.json.description)
    case .csv: try Terminal.print(answer.csv)
    }
    // The signals come from the same rows, so their unreadable lines are the same.
    try survey.unreadable.throwIfAny()
  }
}

extension RejectsCommand.Options {
  /// The rejects that are counted, and how.
  fileprivate func query() throws -> RejectQuery {
    var query = RejectQuery(grouping: try grouping ?? GroupColumn.list("stage,reject_code"))
    query.span = period.span
    query.shownRows = shownRows
    query.comparesCopies = wantsDiagnosis
    query.conditions = conditions
    return query
  }
}
