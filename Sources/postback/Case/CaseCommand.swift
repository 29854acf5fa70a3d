internal import Answers
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
      .value(.integer(in: 0...1000), else: 12)
    let diagnosisLimit = Option(
      "--diagnose-limit N",
      "Find the edits of at most N rejects whose signature is invalid, drawn evenly; default 100."
    ).value(.integer(in: 0...1_000_000), else: 100)
    let lateDays = Option.lateDays.value(.integer(in: 0...3650), else: 10)
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
  private let query: RejectQuery
  private let conditions: [String]
  private let trust: Trust
  private var jobs: Int { options.jobs }

  init(_ arguments: Arguments) throws(CommandFailure) {
    paths = arguments.operands
    guard !paths.isEmpty else { throw CommandFailure(.usage, "No tables are given. Give the --out folder of a run.") }
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
    do {
      var query = RejectQuery(grouping: try GroupColumn.list("reject_code"))
      query.span = options.period.span
      for condition in options.conditions { query.conditions.append(try Self.condition(condition)) }
      let names = query.conditions.filter {
        ["forwarder", "ad_network_id"].contains($0.column) && $0.comparison == .equal
      }
      guard !options.isForPartner || !names.isEmpty else {
        throw CommandFailure(
          .usage,
          "A case for a partner is about it alone. Give --where forwarder=NAME or ad_network_id=ID."
        )
      }
      self.query = query
    } catch {
      throw CommandFailure(of: error)
    }
    let limits = [("since", options.period.since), ("until", options.period.until)]
    conditions = options.conditions + limits.compactMap { name, time in time.map { "\(name) \($0)" } }
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
      let tables = try options.reprocessed.tables(at: paths, progress: progress.handler)
      let (rejects, accepted) = (tables.rejects, tables.postbacks)
      guard accepted.isOfWholeRuns else {
        throw CommandFailure(.usage, "A case needs accepted postbacks too. Give the --out folders of runs.")
      }
      let output = try options.file.map { file throws(CommandFailure) in
        try OutputFile(file, overwrites: options.overwrites, advice: "Give --force to overwrite it, or another name.")
      }
      let table = try options.csv.map { file throws(CommandFailure) in
        try OutputFile(file, overwrites: options.overwrites, advice: "Give --force to overwrite it, or another name.")
      }
      let found = try await CaseFile(
        query,
        rejects: rejects,
        accepted: accepted,
        examples: options.examples,
        jobs: jobs
      )
      guard found.records.total > 0 else {
        throw CommandFailure(.noInput, "No record meets the conditions \(conditions.joined(separator: ", ")).")
      }
      let answer = try await answer(found, rejects, accepted)
      if let table {
        let rows = CaseTable(rows: answer.concerned.rows, mask: answer.mask, hasRevenue: options.wantsRevenue)
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
      lateAfterDays: options.lateDays,
      jobs: jobs
    )
    var tampering: Tampering?
    if options.diagnosisLimit > 0 {
      tampering = try await Tampering(
        query,
        rejects: rejects,
        accepted: accepted,
        trust: trust,
        limit: options.diagnosisLimit,
        jobs: jobs
      )
    }
    let networks =
      query.isOfRejectsAlone
      ? [] : try await SignalReport.networkNames(query, accepted: accepted, enriched: enriched, jobs: jobs)
    let parties = parties(found, networks)
    let mask = CaseMask(isForPartner: options.isForPartner, forwarders: names(of: "forwarder"))
    let concerned = try await ConcernedTransactions(
      query,
      rejects: rejects,
      accepted: accepted,
      wantsRevenue: options.wantsRevenue,
      lateAfterDays: options.lateDays,
      jobs: jobs
    )
    let alarms = report.alarms.filter { parties[$0.party.kind]?.contains($0.party.name) == true }
    let chosen = CasePair.choose(concerned.rows, alarms, mask, most: options.examples / 2)
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
