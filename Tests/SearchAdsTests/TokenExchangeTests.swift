import Base
import HTTPClient
import JSON
import Signatures
import Tables
import TestSupport
import Testing

@testable import SearchAds

/// A server in a model of time: requests take no time, and waiting moves the clock.
private final class ModelServer: Transport {
  private(set) var requests: [(body: String, at: Int64)] = []
  var now: Int64
  private let answer: (String, Int) -> (status: Int, text: String)
  private var waiting: [IncomingResponse] = []

  init(at now: Timestamp, _ answer: @escaping (String, Int) -> (status: Int, text: String)) {
    (self.now, self.answer) = (now.milliseconds, answer)
  }

  func begin(_ request: OutgoingRequest) throws(TransportFailure) {
    let body = String(decoding: request.body, as: UTF8.self)
    requests.append((body, now))
    let (status, text) = answer(body, requests.count { $0.body == body })
    waiting.append(IncomingResponse(number: request.number, status: status, text: text))
  }

  func responses(within milliseconds: Int64) throws(TransportFailure) -> [IncomingResponse] {
    if waiting.isEmpty { now += milliseconds }
    defer { waiting = [] }
    return waiting
  }
}

@Suite struct TokenExchangeTests {
  private static let now = Timestamp(milliseconds: 1_772_359_200_000)

  private func exchange(
    _ tokens: String...,
    receivedAt: Timestamp? = now,
    concurrency: Int = 4,
    setBack: Int64 = 0,
    _ answer: @escaping (String, Int) -> (status: Int, text: String)
  ) throws -> (rows: [AttributionRow], times: [Int64]) {
    let records = tokens.map { token in
      let time = receivedAt.map { "\"\($0)\"" } ?? "null"
      return "{\"token\":\"\(token)\",\"received_at\":\(time)}"
    }
    var found: [AttributionToken] = []
    let file = AttributionFile(path: "tokens.jsonl", bytes: Array(records.joined(separator: "\n").utf8))
    _ = try file.tokens({ _ in false }) { found.append($0) }
    let server = ModelServer(at: Self.now, answer)
    var rows: [AttributionRow] = []
    try TokenExchange(found.map { ($0, 0) }, at: "http://server", over: server, concurrency: concurrency).run(
      clock: { Timestamp(milliseconds: server.now - (server.requests.isEmpty ? 0 : setBack)) },
      uptime: { server.now }
    ) { rows += $0 }
    return (rows, server.requests.map { ($0.at - Self.now.milliseconds) / 1000 })
  }

  @Test func `a record that is not there yet is asked for again, five seconds later`() throws {
    let (rows, times) = try exchange("a") { _, attempt in attempt < 3 ? (404, "") : (200, Payloads.click) }
    #expect(rows.count == 1 && rows[0].integer(.attempts) == 3 && rows[0].outcome == .payload)
    #expect(times == [0, 5, 10] && rows[0].integer(.httpStatus) == 200)
  }

  @Test func `a record that is never there has four attempts, and no final result`() throws {
    let (rows, times) = try exchange("a") { _, _ in (404, "") }
    #expect(rows.map(\.outcome) == [.notFound] && times == [0, 5, 10, 15] && !AttributionOutcome.notFound.isFinal)
  }

  @Test func `a clock that is set back makes no pause longer`() throws {
    let (rows, times) = try exchange("a", setBack: 86_400_000) { _, _ in (500, "") }
    #expect(rows.map(\.outcome) == [.unavailable] && times == [0, 5, 15, 35])
  }

  @Test(arguments: [500, 503, 429, 0, 302]) func `failures are tried again later and later`(_ status: Int) throws {
    let (rows, times) = try exchange("a") { _, _ in (status, "no answer") }
    #expect(rows.map(\.outcome) == [.unavailable] && times == [0, 5, 15, 35])
    #expect(rows[0].integer(.attempts) == 4 && rows[0].text(.detail) != nil)
  }

  @Test func `a refused token is asked for once`() throws {
    let (rows, times) = try exchange("a") { _, _ in (400, "bad") }
    #expect(rows.map(\.outcome) == [.tokenInvalid] && times == [0])
  }

  @Test func `a token older than a day is not sent`() throws {
    let day: Int64 = 86_400_000
    let old = try exchange("a", receivedAt: Timestamp(milliseconds: Self.now.milliseconds - day - 1)) { _, _ in
      (200, "")
    }
    #expect(old.rows.map(\.outcome) == [.tokenExpired] && old.times == [])
    let young = try exchange("a", receivedAt: Timestamp(milliseconds: Self.now.milliseconds - day)) { _, _ in
      (200, Payloads.view)
    }
    #expect(young.rows.map(\.outcome) == [.payload])
    let unknown = try exchange("a", receivedAt: nil) { _, _ in (200, Payloads.view) }
    #expect(unknown.rows.map(\.outcome) == [.payload])
  }

  @Test func `an answer that is no JSON is tried again`() throws {
    let (rows, times) = try exchange("a") { _, attempt in (200, attempt < 3 ? "<html>" : Payloads.click) }
    #expect(rows.map(\.outcome) == [.payload] && times == [0, 5, 15])
    let never = try exchange("a") { _, _ in (200, "") }
    #expect(never.rows.map(\.outcome) == [.unavailable] && never.times == [0, 5, 15, 35])
  }

  @Test(arguments: ["[]", "{}"]) func `an answer that is no payload is kept`(_ text: String) throws {
    let (rows, _) = try exchange("a") { _, _ in (200, text) }
    #expect(rows.map(\.outcome) == [.malformed] && rows[0].text(.rawBody) == text)
  }

  @Test func `each of many tokens has one result`() throws {
    let (rows, _) = try exchange("a", "b", "c", "d", "e", "f", concurrency: 2) { token, attempt in
      token < "c" ? (500, "") : attempt == 1 ? (404, "") : (200, Payloads.click)
    }
    #expect(rows.count == 6 && Set(rows.map(\.key)).count == 6)
    #expect(rows.count { $0.outcome == .unavailable } == 2 && rows.count { $0.outcome == .payload } == 4)
  }

  @Test func `records without a token are rows`() throws {
    var tokens = 0
    let text = "{\"token\":\"\"}\n{\"token\":\"a b\"}\n{}\nx\n{\"token\":\"a\",\"app_id\":\"x\"}\n{\"token\":\"a\"}"
    let malformed = try AttributionFile(path: "tokens.jsonl", bytes: Array(text.utf8)).tokens({ _ in false }) { _ in
      tokens += 1
    }
    #expect(malformed.count == 5 && tokens == 1 && malformed.allSatisfy { $0.outcome == .malformed })
  }

  private func read(_ lines: [String]) throws -> (tokens: [AttributionToken], malformed: [AttributionRow]) {
    var tokens: [AttributionToken] = []
    let file = AttributionFile(path: "tokens.jsonl", bytes: Array(lines.joined(separator: "\n").utf8))
    let malformed = try file.tokens({ _ in false }) { tokens.append($0) }
    return (tokens, malformed)
  }

  @Test func `an app is read as the App Store writes it`() throws {
    let tokens = try read([#"{"token":"a","app_id":"id525463029"}"#]).tokens
    #expect(tokens.map { $0.row.integer(.appID) } == [525_463_029])
  }

  private func attempted(_ lines: [String], in out: String, _ text: String = Payloads.click) throws -> Int {
    let (journal, (tokens, malformed)) = (try AttributionJournal(in: out), try read(lines))
    var pending = PendingTokens()
    for token in tokens { pending.add(token, journal) }
    try journal.append(malformed)
    let server = ModelServer(at: Self.now) { _, _ in (200, text) }
    try TokenExchange(pending.tokens, at: "http://server", over: server, concurrency: 4)
      .run(clock: { Timestamp(milliseconds: server.now) }, uptime: { server.now }) { try journal.append($0) }
    return server.requests.count
  }

  private func outcomes(in out: String) throws -> [AttributionOutcome] {
    try AttributionJournal(in: out).standings.values.map(\.outcome)
  }

  private static func record(_ time: Timestamp) -> String { #"{"token":"a","received_at":"\#(time)"}"# }

  @Test(arguments: [#"{"token":"a","received_at":"today"}"#, record(Timestamp(milliseconds: 1_700_000_000_000))])
  func `a token whose record is corrected is sent`(_ wrong: String) throws {
    let folder = try TemporaryFolder()
    let (out, right) = (folder.path("out"), Self.record(Self.now))
    #expect(try attempted([wrong], in: out) == 0)
    #expect(try attempted([wrong], in: out) == 0)
    #expect(try attempted([wrong, right], in: out) == 1)
    #expect(try outcomes(in: out) == [.payload])
    for lines in [[wrong], [right], [wrong, right]] { #expect(try attempted(lines, in: out) == 0) }
    let both = folder.path("both")
    #expect(try attempted([wrong, right], in: both) == 1)
    #expect(try outcomes(in: both) == [.payload])
  }

  @Test func `an expired token stays so, and a malformed answer is asked for again`() throws {
    let folder = try TemporaryFolder()
    let (out, day) = (folder.path("out"), Int64(86_400_000))
    let old = [2, 3].map { Self.record(Timestamp(milliseconds: Self.now.milliseconds - $0 * day)) }
    #expect(try attempted([Self.record(Self.now)], in: out, "{}") == 1)
    #expect(try outcomes(in: out) == [.malformed])
    #expect(try attempted([Self.record(Self.now)], in: out, "{}") == 1)
    #expect(try AttributionJournal(in: out).standings.values.map(\.attempts) == [2])
    for record in old { #expect(try attempted([record], in: out) == 0) }
    #expect(try outcomes(in: out) == [.tokenExpired])
  }
}
