internal import Analysis
internal import Base
internal import JSON
internal import PostbackPipeline

/// `postback rejects`: counts, filters and shows rejects.
struct RejectsCommand: Command {
  static let manual = Manual(
    name: "rejects",
    summary: "Count, filter and show what was rejected, from the tables of one or many runs.",
    usage: "OUT… [--group-by COL,…] [--where EXPR]… [--since T] [--until T] [--show N] [--signals] …",
    discussion: """
      OUT is the folder that --out of run or watch named, its skan_rejects folder, or a file of rows (JSON Lines, compressed
      or not; - is standard input). Of OUT itself the accepted postbacks are read too, and groups say which share they are of
      all that was read of their kind: of all records of a forwarder, say, where the grouping has forwarder. Memory is flat:
      at most 100000 groups are kept, and what is left out is said. Lines that are no rows are passed over and named.

      EXPR is COLUMN OP VALUE, with a column of skan_rejects and =, != (not), ~ (has this text in it, case counts), !~, <, <=,
      >, >= (numbers, times and dates as such, else by the bytes), or COLUMN in (VALUE, …). An empty VALUE is null. All
      conditions have to hold.

      Copies with another unsigned value (duplicate_conflict) are held against the copy that came first where channel or
      forwarder are in --group-by or --where, where that code is in --where, and with --show or --diagnose: both values,
      where both came from, and the forwarder that a device's own copy contradicts, whichever came first. Conditions hold
      where either of both copies meets them. A device's copy is strong evidence and no proof: its endpoint is public.
      Exit status: 0; 64 usage, 65 some lines are no rows, 66 no such tables, 74 I/O.
      """,
    options: [
      Option(
        "--group-by",
        "COL,…",
        "Columns of skan_rejects, received_day or received_hour;\nstage,reject_code unless given."
      ),
      Option("--where", "EXPR", "Only rejects for which this holds. May be repeated."),
      Option("--since", "T", "Only what was received at this time or later: RFC 3339, or a date."),
      Option("--until", "T", "Only what was received before this time."),
      Option(
        "--top",
        "N",
        "Print the N largest groups; 50 of a table and all as json or csv unless given. Of\nwhat belongs together, 10 at most."
      ),
      Option("--show", "N", "Print the first N rejects too, with their raw bodies."),
      Option("--signals", nil, "Say what stands out among accepted postbacks too, by ad network. Needs OUT itself."),
      Option(
        "--late-days",
        "N",
        "A copy that comes more than N days after the first is a late replay; 10 unless given."
      ),
      Option(
        "--diagnose",
        nil,
        "Say what was done to rejects whose signature does not fit, and by whom, and show\ntogether what differs though signature or transaction are the same. Takes a while."
      ),
      Option("--diagnose-limit", "N", "Diagnose at most N rejects, drawn evenly; 1000 unless given."),
      Option("--format", "FORMAT", "table, json or csv (the groups alone); table unless given."),
      Option("--json", nil, "The same as --format json."),
      Option("--jobs", "N", "Batches read at once; as many as there are cores unless given."),
    ] + FedBackOptions.options + TrustOptions.keyOptions,
    example: "postback rejects out --group-by forwarder,reject_code --where stage=signature --since 2026-03-01"
  )

  /// The output format.
  enum Format: String {
    case table
    case json
    case csv
  }

  /// The maximum number of groups of related rejects to show, by signature and by transaction each.
  private static let mostRelated = 10

  private let paths: [String]
  private let query: RejectQuery
  private let format: Format
  private let top: Int
  private let jobs: Int
  private let wantsSignals: Bool
  private let lateDays: Int
  private let wantsDiagnosis: Bool
  private let diagnosisLimit: Int
  private let trust: Trust
  private let fedBack: FedBackOptions.Choice

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = arguments.operands
    guard !paths.isEmpty else { throw CommandFailure(.usage, "say whose rejects: give the folder that --out named") }
    let named = try arguments.value("--format", "table, json or csv") { Format(rawValue: $0) }
    if let named, named != .json, arguments.has("--json") {
      throw CommandFailure(.usage, "--json is of no use with --format \(named.rawValue); give one of them")
    }
    format = arguments.has("--json") ? .json : named ?? .table
    top = try arguments.integer("--top", in: 1...Int(Int32.max)) ?? (format == .table ? 50 : .max)
    jobs = try arguments.jobs()
    wantsSignals = arguments.has("--signals")
    wantsDiagnosis = arguments.has("--diagnose")
    diagnosisLimit = try arguments.integer("--diagnose-limit", in: 1...1_000_000) ?? 1000
    trust = try TrustOptions.trust(arguments)
    fedBack = FedBackOptions.Choice(arguments)
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
    } catch let defect as QueryDefect {
      throw CommandFailure(.usage, "\(defect)")
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.software, "\(error)")
    }
    if format == .csv, query.shownRows > 0 || wantsSignals || wantsDiagnosis {
      throw CommandFailure(
        .usage,
        "--format csv is the groups alone; --show, --signals and --diagnose go with table or json"
      )
    }
  }

  func run() async throws(CommandFailure) {
    let survey: RejectSurvey
    var signals: SignalSurvey?
    var tampering: TamperingAnswer?
    do {
      let progress = AnalysisProgressLine()
      defer { progress.clear() }
      var rejects = try FedBackOptions.chosen(try TableFiles(.rejects, at: paths), fedBack)
      var accepted = try TableFiles(.postbacks, at: paths)
      rejects.progress = progress.handler
      accepted.progress = progress.handler
      if wantsSignals, !accepted.isOfWholeRuns {
        throw CommandFailure(.usage, "--signals needs accepted postbacks; give the folders that --out named")
      }
      if wantsDiagnosis, !rejects.canBeReadAgain {
        throw CommandFailure(.usage, "--diagnose reads the rows more than once; give a file instead of a pipe")
      }
      survey = try await RejectSurvey(
        query,
        rejects: rejects,
        accepted: accepted.isOfWholeRuns ? accepted : nil,
        jobs: jobs
      )
      if wantsSignals {
        signals = try await SignalSurvey(
          query,
          rejects: rejects,
          accepted: accepted,
          lateAfterDays: lateDays,
          jobs: jobs
        )
      }
      if wantsDiagnosis {
        let found = try await Tampering(
          query,
          rejects: rejects,
          accepted: accepted,
          trust: trust,
          limit: diagnosisLimit,
          jobs: jobs
        )
        let related = try await RelatedRejects(
          query,
          rejects: rejects,
          accepted: accepted,
          limit: min(top, Self.mostRelated),
          jobs: jobs
        )
        tampering = TamperingAnswer(tampering: found, related: related, top: top)
      }
    } catch let failure as ReadFailure {
      throw CommandFailure(.read(failure))
    } catch let failure as PipelineFailure {
      throw CommandFailure(failure)
    } catch let failure as CommandFailure {
      throw failure
    } catch {
      throw CommandFailure(.software, "\(error)")
    }
    let answer = RejectsAnswer(
      query: query,
      survey: survey,
      signals: signals.map { SignalsAnswer(survey: $0, top: top) },
      tampering: tampering,
      top: top
    )
    switch format {
    case .table: try Terminal.print(answer.text)
    case .json: try Terminal.print(answer.json.description)
    case .csv: try Terminal.print(answer.csv)
    }
    // Signals are taken from the same rows.
    try survey.unreadable.complain()
  }
}

extension UnreadableRows {
  /// Throws if lines were skipped.
  func complain() throws(CommandFailure) {
    guard let first else { return }
    let lines = count == 1 ? "1 line is no row and was" : "\(count) lines are no rows and were"
    throw CommandFailure(.configuration, "\(lines) passed over, the first: \(first)")
  }
}
