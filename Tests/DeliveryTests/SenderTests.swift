import DurableFiles
import HTTPClient
import Ledger
import Testing

@testable import Delivery

@Suite struct `The sender` {
  @Test func `tries a failed delivery again after the times of the partner`() throws {
    let transport = ModelTransport { request, transport in
      IncomingResponse(number: request.number, status: transport.requests.count < 3 ? 500 : 200, text: "busy")
    }
    let site = try DeliverySite([try DeliverySite.partner("acme")], transport)
    let start = transport.now
    try site.plan(1, to: "acme")
    try site.send()
    #expect(transport.requests.map { ($0.at - start) / 1000 } == [0, 60, 360])
    #expect(site.count("acme", .delivered) == 1)
    let ids = Set(transport.requests.map { $0.request.headers.first { $0.hasPrefix("webhook-id") } })
    #expect(ids.count == 1)
  }

  @Test(arguments: [(400, 1), (301, 1), (404, 1), (429, 2), (503, 2), (0, 2)])
  func `gives up at once where another attempt cannot help`(_ status: Int, _ attempts: Int) throws {
    let transport = ModelTransport(ModelTransport.status(status))
    let partner = try DeliverySite.partner("acme") { $0.retry.givesUpAfter = 90_000 }
    let site = try DeliverySite([partner], transport)
    try site.plan(1, to: "acme")
    try site.send()
    #expect(transport.requests.count == attempts)
    #expect(site.count("acme", .failed) == 1)
  }

  @Test func `keeps the last answer of a delivery that is given up without another attempt`() throws {
    let transport = ModelTransport { request, _ in
      IncomingResponse(number: request.number, status: 503, text: "busy")
    }
    let partner = try DeliverySite.partner("acme") { $0.retry.givesUpAfter = 900_000 }
    let site = try DeliverySite([partner], transport)
    let start = transport.now
    try site.plan(1, to: "acme")
    try site.send(for: 100_000)
    // The process does not run for a day.
    transport.now += 86_400_000
    try site.send()
    #expect(transport.requests.count == 2 && site.count("acme", .failed) == 1)
    let row = try site.outbox.statement("SELECT attempts, last_attempt_at, http_status, error FROM deliveries").first {
      row throws(FileFailure) in
      (try row.integer(0) as Int64, try row.integer(1) as Int64, try row.integer(2) as Int64, row.text(3))
    }
    let error = "the time of give_up_after_s is over; the last failure was: busy"
    #expect(try #require(row) == (2, start + 60_000, 503, error))
  }

  @Test func `keeps no secret in the beginning of an answer that it cuts`() throws {
    let transport = ModelTransport { request, _ in
      let text = String(repeating: "x", count: 195) + "HEADERSECRET is wrong"
      return IncomingResponse(number: request.number, status: 400, text: text)
    }
    let site = try DeliverySite([try DeliverySite.partner("acme") { $0.secrets.add("HEADERSECRET") }], transport)
    try site.plan(1, to: "acme")
    try site.send()
    let error = try site.outbox.statement("SELECT error FROM deliveries").first { $0.text(0) }
    #expect(error == String(repeating: "x", count: 195) + "… is ")
  }

  @Test func `respects Retry-After up to an hour`() throws {
    for (wanted, waited) in [(600_000, 600), (86_400_000, 3600), (1000, 60)] as [(Int64, Int64)] {
      let transport = ModelTransport { request, transport in
        IncomingResponse(number: request.number, status: transport.requests.count < 2 ? 429 : 200, retryAfter: wanted)
      }
      let site = try DeliverySite([try DeliverySite.partner("acme")], transport)
      let start = transport.now
      try site.plan(1, to: "acme")
      try site.send()
      #expect(transport.requests.map { ($0.at - start) / 1000 } == [0, waited])
    }
  }

  @Test func `ends with the failure of the transport, and keeps what is pending`() throws {
    let site = try DeliverySite([try DeliverySite.partner("acme")], ModelTransport(ModelTransport.status(200)))
    try site.plan(2, to: "acme")
    let sender = Sender(Partners(site.partners), site.outbox, BrokenTransport(), jitter: { 0 })
    do throws(DeliveryFailure) {
      try sender.fill(at: site.transport.now)
      Issue.record("the transport is broken")
    } catch {
      guard case .transport = error else { throw error }
      #expect("\(error)" == "libcurl is out of memory.")
    }
    #expect(site.count("acme", .pending) == 2)
  }

  @Test func `changes the times between attempts by a fifth at most`() {
    let policy = RetryPolicy()
    #expect(policy.delay(after: 1, jitter: -1, retryAfter: 0) == 48_000)
    #expect(policy.delay(after: 1, jitter: 1, retryAfter: 0) == 72_000)
    #expect(policy.delay(after: 99, jitter: 0, retryAfter: 0) == 3_600_000)
  }

  @Test func `ends a request that hangs after its timeout`() throws {
    let transport = ModelTransport(ModelTransport.status(0))
    let site = try DeliverySite([try DeliverySite.partner("acme") { $0.retry.retried = [] }], transport)
    let start = transport.now
    try site.plan(1, to: "acme")
    try site.send()
    #expect((5000..<5300).contains(transport.now - start))
    #expect(site.count("acme", .failed) == 1)
  }

  @Test func `tries a dead partner once a minute, and does not hold back others`() throws {
    let transport = ModelTransport { request, _ in
      IncomingResponse(number: request.number, status: request.url.contains("dead") ? 503 : 200)
    }
    let site = try DeliverySite([try DeliverySite.partner("dead"), try DeliverySite.partner("alive")], transport)
    try site.plan(2000, to: "dead")
    try site.plan(2000, to: "alive")
    try site.send(for: 3_600_000)
    #expect(site.count("alive", .delivered) == 2000)
    #expect(site.keys("alive") == Array(0..<2000))
    #expect((75...100).contains(site.keys("dead").count), "\(site.keys("dead").count) requests")
    #expect(site.count("dead", .pending) == 2000)
    // As soon as it lives again, all of them arrive: those without an attempt in the order of acceptance.
    transport.answer = ModelTransport.status(200)
    let before = site.keys("dead")
    try site.send()
    #expect(site.count("dead", .delivered) == 2000)
    let fresh = site.keys("dead").dropFirst(before.count).filter { !before.contains($0) }
    #expect(fresh == fresh.sorted())
  }

  @Test func `tries a dead partner within a minute after the clock is set back`() throws {
    let transport = ModelTransport(ModelTransport.status(503))
    let site = try DeliverySite([try DeliverySite.partner("dead")], transport)
    try site.plan(100, to: "dead")
    try site.send(for: 10_000)
    let count = transport.requests.count
    transport.now -= 86_400_000
    site.sender.limitTimes(at: transport.now)
    _ = try site.outbox.limitWaits(of: "dead", first: transport.now, again: transport.now)
    site.sender.wake()
    try site.send(for: 61_000)
    #expect(transport.requests.count > count)
  }

  @Test func `has a page of deliveries in memory, however many are pending`() throws {
    let transport = ModelTransport(ModelTransport.status(200))
    let site = try DeliverySite([try DeliverySite.partner("acme")], transport)
    try site.plan(5000, to: "acme")
    var most = 0
    while site.count("acme", .pending) > 0 {
      try site.sender.fill(at: transport.now)
      most = max(most, site.sender.queues[0].loaded.count)
      try site.sender.wait(at: transport.now, until: transport.now + 1000) { transport.now }
    }
    // Two pages, and the results that are not written yet.
    #expect(most <= 2 * PartnerQueue.pageSize + 500 + 16)
    #expect(site.keys("acme") == Array(0..<5000))
  }

  @Test func `does not send what is too old or not trusted enough`() throws {
    let transport = ModelTransport(ModelTransport.status(200))
    let old = try DeliverySite.partner("old")
    let strict = try DeliverySite.partner("strict") { $0.minimumTrust = 4 }
    let site = try DeliverySite([old, strict], transport)
    try site.plan(3, to: "old", age: 46 * 86_400_000)
    try site.plan(2, to: "old", from: 3, age: 44 * 86_400_000)
    try site.plan(3, to: "strict")
    try site.send()
    #expect(site.count("old", .cancelled) == 3)
    #expect(site.count("old", .delivered) == 2)
    #expect(site.count("strict", .cancelled) == 3)
  }

  @Test(
    arguments: [
      { $0.networks = ["another.skadnetwork"] }, { $0.apps = [2] }, { $0.kinds = [.event] },
    ] as [@Sendable (inout Partner) -> Void]
  )
  func `does not send what the filters leave out now, unless it is planned anew for others`(
    _ change: @Sendable (inout Partner) -> Void
  ) throws {
    let transport = ModelTransport(ModelTransport.status(200))
    let outbox = try Outbox.temporary()
    let all = try DeliverySite.partner("acme")
    let site = try DeliverySite([try DeliverySite.partner("acme", change)], transport, outbox: outbox)
    try site.plan(2, to: "acme")
    try site.send()
    #expect(transport.requests.isEmpty && site.count("acme", .cancelled) == 2)
    let again = try DeliverySite([all], transport, outbox: outbox)
    try again.plan(2, to: "acme")
    try again.send()
    #expect(again.keys("acme") == [0, 1] && again.count("acme", .delivered) == 2)
    // The totals do not go down.
    #expect(again.count("acme", .cancelled) == 2)
    #expect(
      try outbox.statement(RemovedDeliveries.totals).all { "\($0.text(0)) \($0.text(1)) \($0.text(2))" }.sorted()
        == ["acme cancelled 2", "acme delivered 2"]
    )
    // The summary has each delivery once.
    let line = try #require(try outbox.summary(of: ["acme"], leftOut: [:]).lines.first)
    #expect((line.delivered, line.cancelled) == (2, 0))
  }

  @Test(arguments: ["..", "../..", "a\\..\\b"])
  func `does not send what goes up in the path, unless it is planned anew for another URL`(_ value: String) throws {
    let outbox = try Outbox.temporary()
    let dots = try URLTemplate("https://acme.example/secret/{source_domain|default:\(value)}/x")
    let transport = ModelTransport(ModelTransport.status(200))
    let site = try DeliverySite([try DeliverySite.partner("acme") { $0.url = dots }], transport, outbox: outbox)
    try site.plan(1, to: "acme")
    try site.send()
    #expect(transport.requests.isEmpty && site.count("acme", .cancelled) == 1)
    let again = try DeliverySite([try DeliverySite.partner("acme")], transport, outbox: outbox)
    try again.plan(1, to: "acme")
    try again.send()
    #expect(again.keys("acme") == [0])
  }

  @Test func `sends not more in a second than the partner wants`() throws {
    let transport = ModelTransport(ModelTransport.status(200))
    let site = try DeliverySite([try DeliverySite.partner("acme") { $0.rate = 50 }], transport)
    let start = transport.now
    try site.plan(500, to: "acme")
    try site.send()
    #expect((9500...10_500).contains(transport.now - start), "\(transport.now - start) ms")
  }

  @Test func `repeats a delivery whose result was not written, with the same id`() throws {
    let transport = ModelTransport(ModelTransport.status(200))
    let site = try DeliverySite([try DeliverySite.partner("acme")], transport)
    try site.plan(10, to: "acme")
    try site.sender.fill(at: transport.now)
    // The process ends here: another sender finds the same deliveries.
    let again = Sender(Partners(site.partners), site.outbox, transport, jitter: { 0 })
    while site.count("acme", .pending) > 0 {
      try again.fill(at: transport.now)
      try again.wait(at: transport.now, until: transport.now + 1000) { transport.now }
    }
    let ids = transport.requests.map { $0.request.headers.first { $0.hasPrefix("webhook-id") } ?? "" }
    #expect(ids.count == 20)
    #expect(Set(ids).count == 10)
  }
}

/// A transport that begins no request.
private final class BrokenTransport: Transport {
  func begin(_ request: OutgoingRequest) throws(TransportFailure) {
    throw TransportFailure(description: "libcurl is out of memory.")
  }

  func responses(within milliseconds: Int64) throws(TransportFailure) -> [IncomingResponse] { [] }
}
