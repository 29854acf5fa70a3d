internal import JSON
internal import PostbackVerification
internal import ReportPages
internal import TableReading

/// `postback case`: writes a file about one forwarder, network or transaction, for a dispute.
struct CaseCommand: Command {
  struct Options: OptionGroup {
    let conditions = Option("--where EXPR", "The records of the case. May be repeated: all conditions must be met.")
      .values(.text)
    let period = PeriodOptions("Only records")
    let file = Option("-o, --html FILE", "Write the case as a page to this file; - is standard output.").value(.file)
    let printsJSON = Option.json("Print the case as JSON.")
    let csv = Option(
      "--csv FILE",
      "Also write the suspicious transactions to this file, both copies with senders, times and values."
    ).value(.file)
    let wantsRevenue = Option("--revenue", "With --csv: include the revenue that both values mean.").isGiven
    let isForPartner = Option(
      "--for-partner",
      "Leave out our revenue, our paths and the names of other parties. Needs --where forwarder=NAME\nor ad_network_id=ID."
    ).isGiven
    let overwrites = Option("--force", "Overwrite the files if they exist.").isGiven
    let examples = Option("--examples N", "Include at most N rejects, and as many accepted postbacks; default 12.")
      .value(.integer(in: 0...1000), else: CaseRequest.usualExamples)
    let diagnosisLimit = Option(
      "--diagnose-limit N",
      "Find the edits of at most N rejects whose signature is invalid, drawn evenly; default 100."
    ).value(.integer(in: 0...1_000_000), else: CaseRequest.usualDiagnoses)
    let lateDays = Option.lateDays.value(.integer(in: 0...3650), else: CaseRequest.usualLateDays)
    let jobs = Option.jobs()
    let reprocessed = ReprocessedOptions()
    let keys = KeyOptions()
  }

  static let manual = Manual(
    name: "case",
    summary: "Write a file about one forwarder, network or transaction, for a dispute.",
    usage:
      "OUT… --where EXPR… (--html FILE | --json) [--csv FILE] [--for-partner] [--since T] [--until T] [--examples N]",
    discussion: """
      OUT is the --out folder of run or watch. The file has everything about the records that meet the conditions: their
      numbers by outcome, day and sender, revenue, what was changed, the signals about the party, the method and its limits,
      and examples with their raw bytes, the bytes that Apple signs, and commands that verify the signature with a shell and
      openssl alone. Accepted postbacks have raw bytes if the run had --keep-raw. The page is one file that loads nothing
      from the network, so it may be mailed.

      EXPR is a condition as of postback rejects, such as forwarder=NAME, ad_network_id=ID or transaction_id=ID, on a column
      that rejects and accepted postbacks both have, or reject_code=CODE for rejects alone. The signals are about the forwarders, ad networks or apps that = and in
      name, else about the forwarders and networks of the records. Give the --trust-key options of the run.
      Exit status: 0; 64 usage, 65 some lines are not rows, 66 the tables do not exist or no record meets the conditions,
      73 the file exists already or cannot be created, 74 I/O.
      """,
    options: Options.options,
    example: "postback case out --where forwarder=cheap-clicks --html cheap-clicks.html"
  )

  private let options: Options
  private let paths: [String]
  private let request: CaseRequest
  private let trust: TrustPolicy

  init(_ arguments: Arguments) throws {
    paths = try arguments.operands(orAdvise: "No tables are given. Give the --out folder of a run.")
    options = try arguments.read()
    guard !options.conditions.isEmpty else {
      throw CommandFailure(.usage, "Nothing says what the case is about. Give --where, such as --where forwarder=NAME.")
    }
    guard (options.file == nil) == options.printsJSON else {
      throw CommandFailure(.usage, "Give either --html FILE or --json.")
    }
    guard options.csv != nil || !options.wantsRevenue else {
      throw CommandFailure(.usage, "The option --revenue is about the file of --csv. Name the file.")
    }
    guard !options.isForPartner || !options.wantsRevenue else {
      throw CommandFailure(.usage, "The options --for-partner and --revenue exclude each other. Give one of them.")
    }
    trust = try options.keys.trust()
    let (conditions, period) = (options.conditions, options.period)
    var request = try CaseRequest(conditions, since: period.since, until: period.until)
    (request.isForPartner, request.wantsRevenue) = (options.isForPartner, options.wantsRevenue)
    (request.examples, request.diagnosisLimit) = (options.examples, options.diagnosisLimit)
    request.lateDays = options.lateDays
    self.request = request
    guard !options.isForPartner || request.namesPartner else {
      throw CommandFailure(
        .usage,
        "A case for a partner is about it alone. Give --where forwarder=NAME or ad_network_id=ID."
      )
    }
  }

  func run() async throws {
    let progress = ProgressLine()
    defer { progress.clear() }
    let tables = try options.reprocessed.tables(at: paths, progress: progress.handler)
    guard tables.postbacks.isOfWholeRuns else {
      throw CommandFailure(.usage, "A case needs accepted postbacks too. Give the --out folders of runs.")
    }
    let advice = "Give --force to overwrite it, or another name."
    let output = try options.file.map { try OutputFile($0, overwrites: options.overwrites, advice: advice) }
    let table = try options.csv.map { try OutputFile($0, overwrites: options.overwrites, advice: advice) }
    let question = try request.question(about: tables, at: paths, trust: trust, jobs: options.jobs)
    guard let answer = try await question.answer() else {
      throw CommandFailure(.noInput, "No record meets the conditions \(request.conditions.joined(separator: ", ")).")
    }
    if let table {
      try table.write(Array(answer.csv(hasRevenue: options.wantsRevenue).utf8))
      try table.publish()
      if answer.unlisted > 0 {
        Terminal.warn("The file of --csv lacks \(answer.unlisted) transactions, because there are too many.")
      }
    }
    if let output {
      try output.write(try answer.page())
      try output.publish()
    } else {
      try Terminal.print(answer.json.description)
    }
    try answer.unreadable.throwIfAny()
  }
}
