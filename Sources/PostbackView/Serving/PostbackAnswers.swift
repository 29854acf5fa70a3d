internal import Answers
internal import Base
internal import CampaignEnrichment
internal import CopySettlement
internal import Delivery
internal import DurableFiles
internal import JSON
internal import PostbackLookup
internal import PostbackPipeline
internal import PostbackServer
internal import ReportPages
internal import Reporting

/// The answers about one postback, and about one party.
extension ViewAnswers {
  /// The largest number of copies of a postback that are shown.
  private static let mostCopies = 50

  /// Returns everything about one postback.
  func postback(_ parameters: ViewParameters, _ role: ViewRole) async throws -> HTTPResponse {
    try parameters.allow(["id"])
    guard let id = parameters["id"], (1...200).contains(id.utf8.count) else {
      throw ViewDefect("id: Give a transaction id or a postback_key.")
    }
    let now = store.now
    let finder = try RowFinder(store.output, state: store.givenState, jobs: store.jobs)
    let found = try await finder.postbacks(
      having: [LookupValue(.key, id), LookupValue(.transaction, id)],
      derived: [.settled, .enriched],
      mostRejects: 1000
    )
    let state = store.state
    let answer = try await FoundAnswer(
      found,
      of: id,
      trust: store.trust,
      mostCopies: Self.mostCopies,
      known: nil
    ) { key throws(PipelineFailure) in
      try PipelineFailure.state { () throws(FileFailure) in try Outbox.deliveries(of: key, in: state) }
    }
    guard !answer.isEmpty else { return .view(404, "No row of the output has this key or transaction.") }
    let members = (role.seesRevenue ? answer.json : answer.json.withoutRevenue).members ?? []
    let command = "postback find \(store.output.quotedForShell) \(id.quotedForShell)\(store.stateOption)"
    let row = (answer.json["postbacks"]?.elements?.first ?? answer.json["rejects"]?.elements?.first)?["row"]
    let conditions = (row?["transaction_id"]?.text).map { [CaseRequest.condition("transaction_id", is: $0)] } ?? []
    return HTTPResponse(
      200,
      json: .object(
        now.members + members + [.init("command", .string(command)), offer(CaseOffer(conditions: conditions), role)]
      )
    )
  }

  // MARK: - Cases

  /// The member that offers a case.
  func offer(_ offer: CaseOffer, _ role: ViewRole) -> JSONValue.Member {
    .init(
      "case",
      offer.json(of: store.output, state: store.givenState, trust: store.trust, seesRevenue: role.seesRevenue)
    )
  }

  /// Returns a case as a download.
  func caseFile(_ path: String, _ parameters: ViewParameters, _ role: ViewRole) async throws -> HTTPResponse {
    guard let download = try CaseDownload(path, parameters, seesRevenue: role.seesRevenue) else {
      return .view(404, "This server has no data at this path.")
    }
    defer { FreeMemory.giveBack() }
    let place = try OutputPlace(store.output)
    let file = try await download.file(
      of: store.output,
      state: store.givenState,
      trust: store.trust,
      jobs: max(store.jobs / 2, 1)
    )
    guard try OutputPlace(store.output) == place else {
      return .view(503, "The output was replaced while the case was made. Ask for it again.").retry(afterSeconds: 5)
    }
    guard let file else { return .view(404, "No record meets the conditions.") }
    return .file(download.form.type, file, download.form.file)
  }
}
