import Base
import HTTPClient
import JSON
import Signatures
import Tables
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
    _ answer: @escaping (String, Int) -> (status: Int, text: String)
  ) throws -> (rows: [AttributionRow], times: [Int64]) {
    let records = tokens.map { token in
      let time = receivedAt.map { "\"\($0)\"" } ?? "null"
      return "{\"token\":\"\(token)\",\"received_at\":\(time)}"
    }
    var found: [AttributionToken] = []
    let file = AttributionFile(path: "tokens.jsonl", bytes: Array(records.joined(separator: "\n").utf8))
    try file.tokens {
      found.append($0)
    } malformed: { _ in
    }
    let server = ModelServer(at: Self.now, answer)
    var rows: [AttributionRow] = []
    try TokenExchange(found.map { ($0, 0) }, at: "http://server", over: server, concurrency: concurrency)
      .run(clock: { Timestamp(milliseconds: server.now) }) { rows += $0 }
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

  @Test(arguments: ["", "<html>", "[]", "{}"]) func `an answer that is no payload is kept`(_ text: String) throws {
    let (rows, _) = try exchange("a") { _, _ in (200, text) }
    #expect(rows.map(\.outcome) == [.malformed] && rows[0].text(.rawBody) == (text.isEmpty ? nil : text))
  }

  @Test func `each of many tokens has one result`() throws {
    let (rows, _) = try exchange("a", "b", "c", "d", "e", "f", concurrency: 2) { token, attempt in
      token < "c" ? (500, "") : attempt == 1 ? (404, "") : (200, Payloads.click)
    }
    #expect(rows.count == 6 && Set(rows.map(\.key)).count == 6)
    #expect(rows.count { $0.outcome == .unavailable } == 2 && rows.count { $0.outcome == .payload } == 4)
  }

  @Test func `records without a token are rows`() throws {
    var malformed: [AttributionRow] = []
    var tokens = 0
    let text = "{\"token\":\"\"}\n{\"token\":\"a b\"}\n{}\nx\n{\"token\":\"a\",\"app_id\":\"x\"}\n{\"token\":\"a\"}"
    try AttributionFile(path: "tokens.jsonl", bytes: Array(text.utf8)).tokens { _ in
      tokens += 1
    } malformed: {
      malformed.append($0)
    }
    #expect(malformed.count == 5 && tokens == 1 && malformed.allSatisfy { $0.outcome == .malformed })
  }
}
