internal import Base
internal import JSON
package import PostbackPipeline
package import PostbackServer
internal import SKAdNetwork

/// The answers of the live page to questions for data.
package struct ViewAnswers: Sendable {
  let store: ViewStore
  private let gate = QueryGate(width: 2, mostWaiting: 100, mostOfUser: 80)
  /// The gate for downloads of rows, which may read for long, so that nobody else waits for them.
  private let downloads = QueryGate(width: 1, mostWaiting: 10, mostOfUser: 4)

  /// Answers from an output.
  package init(_ store: ViewStore) { self.store = store }

  /// Returns the answer to a question at a path such as `/api/campaigns.csv`, by the right of the one who asks. `user` tells users
  /// apart, of whom none may ask so much that the others wait.
  package func answer(_ path: String, _ query: String, _ role: ViewRole, user: [UInt8] = []) async -> HTTPResponse {
    if store.isGone { return .view(503, "\(store.output): \(ViewStore.goneReason)").retry(afterSeconds: 5) }
    guard await store.isReady(within: .seconds(10)) else {
      return .view(503, "The tables are being read for the first time. Ask again in a moment.").retry(afterSeconds: 2)
    }
    do {
      let parameters = try ViewParameters(query)
      switch path {
      case "/api/session":
        try parameters.allow([])
        return try await session(role)
      case "/api/overview":
        try parameters.allow([])
        return overview(role)
      case ViewPath.report:
        try parameters.allow([])
        return sections(role)
      case "/api/campaigns", "/api/campaigns.csv", "/api/postbacks", "/api/rejects", "/api/postback",
        _ where Self.longAnswers.contains(path):
        let gate = Self.longAnswers.contains(path) ? downloads : gate
        return try await gate.pass(user) { try await rows(path, parameters, role) }
          ?? .view(503, "Too many questions are being answered. Ask again later.").retry(afterSeconds: 2)
      default: return .view(404, "This server has no data at this path.")
      }
    } catch let defect as ViewDefect {
      return .view(400, defect.reason)
    } catch {
      if Task.isCancelled { return .view(503, "The server ends.") }
      return .view(500, "The tables cannot be read: \(error)")
    }
  }

  /// The paths of downloads that read rows.
  private static let longAnswers = Set(
    ["/api/postbacks.csv", "/api/rejects.csv"] + CaseDownload.Form.allCases.map(\.path)
  )

  /// Reads what an answer needs, and returns it, for a process without a server.
  package func answerAlone(
    _ path: String,
    _ query: String,
    _ role: ViewRole
  ) async throws(PipelineFailure) -> HTTPResponse {
    try await store.load()
    if path == ViewPath.report { try await store.loadSections() }
    return await answer(path, query, role)
  }

  /// The reason in an answer that refuses.
  package static func reason(_ answer: HTTPResponse) -> String {
    (try? JSONValue(parsing: answer.body))?["error"]?.text ?? "The answer has the status \(answer.status)."
  }

  private func rows(_ path: String, _ parameters: ViewParameters, _ role: ViewRole) async throws -> HTTPResponse {
    switch path {
    case "/api/campaigns", "/api/campaigns.csv": return try campaigns(path, parameters, role)
    case "/api/postbacks", "/api/postbacks.csv": return try await postbacks(path, parameters, role)
    case "/api/postback": return try await postback(parameters, role)
    case "/api/rejects", "/api/rejects.csv": return try await rejects(path, parameters, role)
    default: return try await caseFile(path, parameters, role)
    }
  }

  /// The command line that prints an answer as CSV.
  private func command(_ path: String, _ parameters: ViewParameters) -> JSONValue.Member {
    // The download has all rows.
    let kept = parameters.text.split(separator: "&").filter { pair in
      !["limit=", "offset=", "cursor="].contains { pair.hasPrefix($0) }
    }
    let query = kept.joined(separator: "&").replacing("'", with: "%27")
    let place = "\(path).csv\(query.isEmpty ? "" : "?\(query)")"
    let command = "postback view \(store.output.quotedForShell)\(store.stateOption) --get '\(place)'"
    return .init("command", .string(command))
  }

  // MARK: - Data in memory

  private func session(_ role: ViewRole) async throws -> HTTPResponse {
    let now = store.now
    let codes = RejectCode.allCases.map { code -> JSONValue in
      .object([
        .init("code", .string(code.rawValue)), .init("class", .string(code.rejectClass.rawValue)),
        .init("stage", .string(code.stage.rawValue)), .init("meaning", .string(code.explanation)),
      ])
    }
    var members: [JSONValue.Member] = [
      .init("program", .string("postback \(store.program)")), .init("output", .string(store.output)),
      .init("role", .string(role.rawValue)), .init("revenue", .bool(role.seesRevenue)),
    ]
    members += now.members
    members.append(.init("daily", now.daily.map { $0.json(seesRevenue: role.seesRevenue) } ?? .null))
    members.append(.init("row_dimensions", .texts(try CampaignRows.dimensions(with: now.snapshot))))
    members.append(.init("codes", .array(codes)))
    return HTTPResponse(200, json: .object(members))
  }

  private func overview(_ role: ViewRole) -> HTTPResponse {
    let now = store.now
    let overview = OverviewAnswer(
      counts: now.arrivals,
      isComplete: now.areArrivalsComplete,
      totals: now.rows?.totals,
      newestOfParts: now.rows?.newest,
      newestAccepted: now.rows?.newestAccepted,
      committedAt: now.rows?.committedAt,
      now: Timestamp.now.milliseconds
    )
    let findings = role.seesRevenue ? now.sections : nil
    let member = findings.map { sections -> JSONValue in
      .object([
        .init("html", .string(sections.findings)),
        .init("generation", .integer(sections.generation)),
      ])
    }
    return HTTPResponse(200, json: .object(now.members + overview.members + [.init("findings", .optional(member))]))
  }

  private func sections(_ role: ViewRole) -> HTTPResponse {
    let now = store.now
    guard let sections = now.sections else {
      return .view(503, "The sections are being made. Ask again in a moment.").retry(afterSeconds: 2)
    }
    let isCurrent = sections.generation == now.snapshot?.number && sections.commit == now.rows?.commit
    let cases =
      role.seesRevenue
      ? sections.casesOfAlarms.map { offer(CaseOffer(conditions: $0.map { [$0] } ?? []), role).value } : []
    return HTTPResponse(
      200,
      headers: [.init("Content-Type", "application/json")],
      body: sections.json(seesRevenue: role.seesRevenue, isCurrent: isCurrent, cases: cases)
    )
  }

  private func campaigns(
    _ path: String,
    _ parameters: ViewParameters,
    _ role: ViewRole
  ) throws -> HTTPResponse {
    let now = store.now
    guard let daily = now.daily else {
      return .view(404, "There is no daily report in the output. Make it with postback refresh or postback daily.")
    }
    let isCSV = path.hasSuffix(".csv")
    let query = try CampaignQuery(parameters, daily.dimensions, limit: isCSV ? nil : 200)
    let answer = try CampaignAnswer(query, daily, seesRevenue: role.seesRevenue)
    if isCSV { return .csv(answer.csv, "campaigns.csv") }
    return HTTPResponse(200, json: .object(now.members + answer.members + [command("/api/campaigns", parameters)]))
  }

  // MARK: - Rows

  private func postbacks(
    _ path: String,
    _ parameters: ViewParameters,
    _ role: ViewRole
  ) async throws -> HTTPResponse {
    let now = store.now
    let isCSV = path.hasSuffix(".csv")
    let query = try CampaignRows(parameters, isDownload: isCSV)
    try query.needTables(of: now.snapshot, output: store.output, options: store.stateOption)
    let page = try await query.page(of: now.rows?.postbacks ?? [], now.snapshot, seesRevenue: role.seesRevenue)
    if isCSV {
      return .csv(CampaignRows.csv(page.rows, seesRevenue: role.seesRevenue), "postbacks.csv").leading(to: page.next)
    }
    let columns = CampaignRows.columns(seesRevenue: role.seesRevenue)
    return HTTPResponse(
      200,
      json: .object(
        now.members + [
          .init("columns", .texts(columns)), .init("rows", .array(page.rows.map { .object($0) })),
        ] + page.members + [command("/api/postbacks", parameters)]
      )
    )
  }

  private func rejects(
    _ path: String,
    _ parameters: ViewParameters,
    _ role: ViewRole
  ) async throws -> HTTPResponse {
    let now = store.now
    let isCSV = path.hasSuffix(".csv")
    let query = try RejectRows(parameters, isDownload: isCSV)
    let page = try await query.page(of: now.rows?.rejects ?? [])
    if isCSV { return .csv(RejectRows.csv(page.rows), "rejects.csv").leading(to: page.next) }
    let tallies = now.sections.flatMap { RejectTallies(query, in: $0.cube) }
    let counted = tallies?.members ?? [.init("count", .null), .init("codes", .array([]))]
    let isCurrent = now.sections?.commit == now.rows?.commit
    return HTTPResponse(
      200,
      json: .object(
        now.members + counted + [.init("is_complete", .bool(isCurrent))]
          + (query.isFirstPage ? tallies?.chartMembers ?? [] : [])
          + [.init("rows", .array(page.rows.map(RejectRows.json)))] + page.members
          + [command("/api/rejects", parameters), offer(query.caseOffer, role)]
      )
    )
  }
}

extension RowPage {
  /// The members of an answer that lead to the next page.
  fileprivate var members: [JSONValue.Member] {
    let share = (searchedShare * 10_000).rounded() / 10_000
    return [
      .init("next", .text(next?.text)), .init("searched_share", .string("\(share)")),
    ]
  }
}

extension HTTPResponse {
  /// The header with the place from which the rows go on that a download does not have.
  package static let cursorHeader = "Postback-Cursor"

  /// Adds that header, if there are such rows.
  fileprivate func leading(to next: RowCursorText?) -> HTTPResponse {
    next.map { adding(Self.cursorHeader, $0.text) } ?? self
  }

  /// A table for download.
  fileprivate static func csv(_ bytes: [UInt8], _ name: String) -> HTTPResponse { file("text/csv", bytes, name) }

  /// A file for download.
  static func file(_ type: String, _ bytes: [UInt8], _ name: String) -> HTTPResponse {
    .text(type, bytes).adding("Content-Disposition", "attachment; filename=\"\(name)\"")
  }
}
