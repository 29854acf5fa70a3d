internal import Analysis
internal import Answers
internal import FraudSignals
internal import LookupTables
internal import NullValueModelling
internal import PostbackVerification
internal import SKAdNetwork
internal import TableReading

/// The question of a case: a request, and the tables that have its records.
package struct CaseQuestion {
  /// The records of the case, and how much of them it shows.
  var request: CaseRequest
  /// The rejects and the accepted postbacks.
  let tables: RunTables
  /// The paths of the tables, as they were given.
  let paths: [String]
  /// The keys that examples are verified with.
  let trust: TrustPolicy
  /// The rows of `skan_settled`, if there are any.
  var settled: TableFiles?
  /// The rows of `skan_enriched`, if there are any.
  var enriched: TableFiles?
  /// The number of batches that are read at once.
  var jobs = 1

  private var query: RejectQuery { request.query }

  /// Reads the tables. Returns nil if no record meets the conditions.
  package func answer() async throws -> CaseAnswer? {
    let (rejects, accepted) = (tables.rejects, tables.postbacks)
    let file = try await CaseFile(query, rejects: rejects, accepted: accepted, examples: request.examples, jobs: jobs)
    guard file.records.total > 0 else { return nil }
    // The tests compare the parties with all others.
    var all = query
    all.conditions = []
    var inputs = SignalInputs(rejects: rejects, accepted: accepted)
    (inputs.settled, inputs.enriched, inputs.since) = (settled, enriched, try tables.completeSince())
    (inputs.models, inputs.lateAfterDays) = (try paths.flatMap(ModelMeanings.models), request.lateDays)
    let report = try await SignalReport(all, of: inputs, jobs: jobs)
    let parties = try await parties(of: file)
    let mask = CaseMask(isForPartner: request.isForPartner, forwarders: partners)
    let concerned = try await ConcernedTransactions(
      query,
      rejects: rejects,
      accepted: accepted,
      wantsRevenue: request.wantsRevenue,
      lateAfterDays: request.lateDays,
      jobs: jobs
    )
    let alarms = report.alarms.filter { parties[$0.party.kind]?.contains($0.party.name) == true }
    let tampering = try await tampering()
    let shown = try await examples(of: file, concerned, alarms, mask)
    return CaseAnswer(
      file: file,
      conditions: request.conditions,
      paths: paths,
      parties: parties,
      report: report,
      tampering: tampering,
      keys: shown.keys,
      examples: shown.examples,
      pairs: shown.pairs,
      concerned: concerned,
      mask: mask
    )
  }

  /// The diagnoses of rejects; nil if none are asked for.
  private func tampering() async throws -> TamperingSurvey? {
    guard request.diagnosisLimit > 0 else { return nil }
    return try await TamperingSurvey(
      query,
      rejects: tables.rejects,
      accepted: tables.postbacks,
      trust: trust,
      limit: request.diagnosisLimit,
      jobs: jobs
    )
  }

  /// The examples with their keys: pairs of copies, rejects that alarms are about, other rejects, and accepted postbacks.
  private func examples(
    of file: CaseFile,
    _ concerned: ConcernedTransactions,
    _ alarms: [SignalTest],
    _ mask: CaseMask
  ) async throws -> (keys: CaseKeys, examples: [CaseExample], pairs: [CasePair]) {
    let chosen = CasePair.choose(concerned.rows, alarms, mask, most: request.examples / 2)
    let copies = try await ConcernedTransactions.lines(
      of: chosen,
      rejects: tables.rejects,
      accepted: tables.postbacks,
      jobs: jobs
    )
    var keys = CaseKeys(trust)
    var shown: [CaseExample] = []
    var pairs: [CasePair] = []
    func add(_ line: [UInt8], _ code: String?) throws {
      shown.append(try CaseExample(line, code: code, number: shown.count + 1, &keys, mask))
    }
    for case (let transaction, let lines?) in zip(chosen, copies) {
      try add(lines.rejected, transaction.code)
      try add(lines.accepted, nil)
      pairs.append(CasePair(transaction: transaction, rejectedExample: shown.count - 1, acceptedExample: shown.count))
    }
    let isFirst = Set(alarms.flatMap(\.name.rejectCodes).map(\.rawValue))
    let (first, others) = (
      file.rejectedExamples.filter { isFirst.contains($0.code) },
      file.rejectedExamples.filter { !isFirst.contains($0.code) }
    )
    for (code, line) in first + others { try add(line, code) }
    for line in file.acceptedExamples { try add(line, nil) }
    return (keys, shown, pairs)
  }

  /// The forwarders that the case is about alone. One name among several is a guess, which a case must not confirm.
  private var partners: Set<String> {
    Set(query.conditions.filter { $0.column == "forwarder" && $0.comparison == .equal }.flatMap(\.values))
  }

  /// The parties that the conditions name, or else the forwarders and the networks of the records.
  private func parties(of file: CaseFile) async throws -> [SignalParty.Kind: Set<String>] {
    let networks =
      query.isOfRejectsAlone
      ? []
      : try await SignalReport.networkNames(query, accepted: tables.postbacks, enriched: enriched, jobs: jobs)
    let kinds: [SignalParty.Kind: String] = [.forwarder: "forwarder", .network: "ad_network_id", .app: "app_id"]
    let named = kinds.filter { _, column in
      query.conditions.contains { $0.column == column && [.equal, .among].contains($0.comparison) }
    }
    var parties: [SignalParty.Kind: Set<String>] = [:]
    for (kind, column) in named.isEmpty ? kinds.filter({ $0.key != .app }) : named {
      let index = CaseFile.senderColumns.firstIndex(of: column)
      let names = index.map { file.senders[$0].compactMap(\.name) } ?? []
      parties[kind] = kind == .network ? networks.union(names.map(SignalReport.name)) : Set(names)
    }
    return parties
  }
}
