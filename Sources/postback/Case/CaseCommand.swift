internal import CopySettlement
internal import Analysis
internal import Base
internal import CampaignEnrichment
internal import DerivedTables
internal import FraudSignals
internal import JSON
internal import LookupTables
internal import NullValueModelling
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
internal import TableReading
internal import Tables

/// `postback case`: writes a file about one forwarder, network or transaction, for a dispute.
struct CaseCommand: Command {
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
    options: [
      Option("--where", "EXPR", "The records of the case. May be repeated: all conditions must be met."),
      Option("--since", "T", "Only records received at this time or later: RFC 3339, or a date."),
      Option("--until", "T", "Only records received before this time."),
      Option("--html", "FILE", "Write the case as a page to this file; - is standard output.", short: "-o"),
      Option("--json", nil, "Print the case as JSON."),
      Option(
        "--csv",
        "FILE",
        "Also write the suspicious transactions to this file, both copies with senders, times and values."
      ),
      Option("--revenue", nil, "With --csv: include the revenue that both values mean."),
      Option(
        "--for-partner",
        nil,
        "Leave out our revenue, our paths and the names of other parties. Needs --where forwarder=NAME\nor ad_network_id=ID."
      ),
      Option("--force", nil, "Overwrite the files if they exist."),
      Option("--examples", "N", "Include at most N rejects, and as many accepted postbacks; default 12."),
      Option(
        "--diagnose-limit",
        "N",
        "Find the edits of at most N rejects whose signature is invalid, drawn evenly; default 100."
      ),
      Option(
        "--late-days",
        "N",
        "Count a copy as a late replay if it comes more than N days after the first; default 10."
      ),
      Option("--jobs", "N", "Read N batches at once; default the number of cores."),
    ] + ReprocessedOptions.options + TrustOptions.keyOptions,
    example: "postback case out --where forwarder=cheap-clicks --html cheap-clicks.html"
  )

  private let paths: [String]
  private let query: RejectQuery
  private let conditions: [String]
  private let file: String?
  private let csv: String?
  private let wantsRevenue: Bool
  private let isForPartner: Bool
  private let overwrites: Bool
  private let examples: Int
  private let diagnosisLimit: Int
  private let lateDays: Int
  private let jobs: Int
  private let trust: Trust
  private let reprocessed: ReprocessedOptions

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = arguments.operands
    guard !paths.isEmpty else { throw CommandFailure(.usage, "No tables are given. Give the --out folder of a run.") }
    var conditions = arguments.all("--where")
    guard !conditions.isEmpty else {
      throw CommandFailure(.usage, "Nothing says what the case is about. Give --where, such as --where forwarder=NAME.")
    }
    file = arguments.value("--html")
    guard (file == nil) == arguments.has("--json"), file?.isEmpty != true else {
      throw CommandFailure(.usage, "Give either --html FILE or --json.")
    }
    csv = arguments.value("--csv")
    wantsRevenue = arguments.has("--revenue")
    isForPartner = arguments.has("--for-partner")
    guard csv?.isEmpty != true, csv != nil || !wantsRevenue else {
      throw CommandFailure(.usage, "The option --revenue is about the file of --csv. Name the file.")
    }
    guard !isForPartner || !wantsRevenue else {
      throw CommandFailure(.usage, "The options --for-partner and --revenue exclude each other. Give one of them.")
    }
    overwrites = arguments.has("--force")
    examples = try arguments.integer("--examples", in: 0...1000) ?? 12
    diagnosisLimit = try arguments.integer("--diagnose-limit", in: 0...1_000_000) ?? 100
    lateDays = try arguments.integer("--late-days", in: 0...3650) ?? 10
    jobs = try arguments.jobs()
    trust = try TrustOptions.trust(arguments)
    reprocessed = ReprocessedOptions(arguments)
    do {
      var query = RejectQuery(grouping: try GroupColumn.list("reject_code"))
      query.span = TimeSpan(
        since: try arguments.time("--since")?.milliseconds,
        until: try arguments.time("--until")?.milliseconds
      )
      for condition in conditions { query.conditions.append(try Self.condition(condition)) }
      let names = query.conditions.filter {
        ["forwarder", "ad_network_id"].contains($0.column) && $0.comparison == .equal
      }
      guard !isForPartner || !names.isEmpty else {
        throw CommandFailure(
          .usage,
          "A case for a partner is about it alone. Give --where forwarder=NAME or ad_network_id=ID."
        )
      }
      self.query = query
    } catch {
      throw CommandFailure(of: error)
    }
    for limit in ["--since", "--until"] {
      if let value = arguments.value(limit) { conditions.append("\(limit.dropFirst(2)) \(value)") }
    }
    self.conditions = conditions
  }

  /// Reads a condition, which must be on a column of `CaseFile.columns`.
  private static func condition(_ text: String) throws -> Condition {
    let name = String(text.drop(while: \.isWhitespace).prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    guard name.isEmpty || CaseFile.columns.contains(name) else {
      throw CommandFailure(
        .usage,
        "A case cannot be about the column \(name). The columns that rejects and accepted postbacks both have are "
          + "\(CaseFile.columns.joined(separator: ", "))."
      )
    }
    return try Condition(parsing: text)
  }

  func run() async throws(CommandFailure) {
    do {
      let progress = AnalysisProgressLine()
      defer { progress.clear() }
      let tables = try reprocessed.tables(at: paths, progress: progress.handler)
      let (rejects, accepted) = (tables.rejects, tables.postbacks)
      guard accepted.isOfWholeRuns else {
        throw CommandFailure(.usage, "A case needs accepted postbacks too. Give the --out folders of runs.")
      }
      let output = try file.map { file throws(CommandFailure) in
        try OutputFile(file, overwrites: overwrites, advice: "Give --force to overwrite it, or another name.")
      }
      let table = try csv.map { file throws(CommandFailure) in
        try OutputFile(file, overwrites: overwrites, advice: "Give --force to overwrite it, or another name.")
      }
      let found = try await CaseFile(query, rejects: rejects, accepted: accepted, examples: examples, jobs: jobs)
      guard found.records.total > 0 else {
        throw CommandFailure(.noInput, "No record meets the conditions \(conditions.joined(separator: ", ")).")
      }
      let answer = try await answer(found, rejects, accepted)
      if let table {
        let rows = CaseTable(rows: answer.concerned.rows, mask: answer.mask, hasRevenue: wantsRevenue)
        try table.write(Array(rows.csv.utf8))
        try table.publish()
        if answer.concerned.unlisted > 0 {
          Terminal.warn(
            "The file of --csv lacks \(answer.concerned.unlisted) transactions, because there are too many."
          )
        }
      }
      if let output {
        try output.write(Array(try CasePage(answer: answer).html().markup.utf8))
        try output.publish()
      } else {
        try Terminal.print(answer.json.description)
      }
      try found.unreadable.throwIfAny()
    } catch {
      throw CommandFailure(of: error)
    }
  }

  private func answer(_ found: CaseFile, _ rejects: TableFiles, _ accepted: TableFiles) async throws -> CaseAnswer {
    // The tests compare the parties with all others.
    var all = query
    all.conditions = []
    let enriched = try derived(.enriched)
    let report = try await SignalReport(
      all,
      rejects: rejects,
      accepted: accepted,
      settled: try derived(.settled),
      enriched: enriched,
      models: try paths.flatMap(ModelMeanings.models),
      lateAfterDays: lateDays,
      jobs: jobs
    )
    var tampering: Tampering?
    if diagnosisLimit > 0 {
      tampering = try await Tampering(
        query,
        rejects: rejects,
        accepted: accepted,
        trust: trust,
        limit: diagnosisLimit,
        jobs: jobs
      )
    }
    let networks =
      query.isOfRejectsAlone
      ? [] : try await SignalReport.networkNames(query, accepted: accepted, enriched: enriched, jobs: jobs)
    let parties = parties(found, networks)
    let mask = CaseMask(isForPartner: isForPartner, forwarders: names(of: "forwarder"))
    let concerned = try await ConcernedTransactions(
      query,
      rejects: rejects,
      accepted: accepted,
      wantsRevenue: wantsRevenue,
      lateAfterDays: lateDays,
      jobs: jobs
    )
    let alarms = report.alarms.filter { parties[$0.party.kind]?.contains($0.party.name) == true }
    let chosen = CasePair.choose(concerned.rows, alarms, mask, most: examples / 2)
    let copies = try await ConcernedTransactions.lines(of: chosen, rejects: rejects, accepted: accepted, jobs: jobs)
    var keys = CaseKeys(trust)
    var shown: [CaseExample] = []
    var pairs: [CasePair] = []
    func add(_ line: [UInt8], _ code: String?) throws {
      shown.append(try CaseExample(line, code: code, number: shown.count + 1, &keys, mask))
    }
    for (transaction, lines) in zip(chosen, copies) {
      try add(lines.rejected, transaction.code)
      try add(lines.accepted, nil)
      pairs.append(CasePair(transaction: transaction, rejectedExample: shown.count - 1, acceptedExample: shown.count))
    }
    // The rejects that the alarms are about come first.
    let isFirst = Set(alarms.flatMap(\.name.rejectCodes).map(\.rawValue))
    for (code, line) in found.rejectedExamples.filter({ isFirst.contains($0.code) })
      + found.rejectedExamples.filter({ !isFirst.contains($0.code) })
    {
      try add(line, code)
    }
    for line in found.acceptedExamples { try add(line, nil) }
    return CaseAnswer(
      file: found,
      conditions: conditions,
      paths: paths,
      parties: parties,
      report: report,
      tampering: tampering,
      keys: keys,
      examples: shown,
      pairs: pairs,
      concerned: concerned,
      mask: mask
    )
  }

  /// The values that conditions demand of a column.
  private func names(of column: String) -> Set<String> {
    Set(query.conditions.filter { $0.column == column && [.equal, .among].contains($0.comparison) }.flatMap(\.values))
  }

  /// Returns the parties that the case is about. `networks` are the names of the networks of accepted postbacks.
  private func parties(_ found: CaseFile, _ networks: Set<String>) -> [SignalParty.Kind: Set<String>] {
    let kinds: [SignalParty.Kind: String] = [.forwarder: "forwarder", .network: "ad_network_id", .app: "app_id"]
    let named = kinds.filter { _, column in
      query.conditions.contains { $0.column == column && [.equal, .among].contains($0.comparison) }
    }
    var parties: [SignalParty.Kind: Set<String>] = [:]
    for (kind, column) in named.isEmpty ? kinds.filter({ $0.key != .app }) : named {
      let index = CaseFile.senderColumns.firstIndex(of: column)
      let names = index.map { found.senders[$0].compactMap(\.name) } ?? []
      parties[kind] = kind == .network ? networks.union(names.map(SignalReport.name)) : Set(names)
    }
    return parties
  }

  /// The files of a derived table, if a single output folder is given and has them.
  private func derived(_ table: Table) throws -> TableFiles? {
    guard paths.count == 1 else { return nil }
    return try TableFiles(derived: table, of: DerivedSnapshot(of: paths[0]))
  }
}
