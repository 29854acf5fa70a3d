import Ledger
import Tables
import TestSupport
import Testing

@testable import Delivery

@Suite struct `The comparison with a settlement` {
  private let day: Int64 = 86_400_000

  @Test func `neither corrects nor adds what the partner no longer takes`() throws {
    let site = try SettlementSite()
    try site.plan([("purchase", "64.5")])
    #expect(try site.send() == ["install/none/none", "event/purchase/64.5"])
    var other = site.site.partners[0]
    other.networks = ["another.skadnetwork"]
    try site.settle([("purchase", "9"), ("sign_up", "0")], for: other)
    #expect(site.count(.pending) == 0 && site.count(.delivered) == 2)
  }

  @Test func `sends an event that one settlement did not have, and the next one has`() throws {
    let site = try SettlementSite()
    try site.plan([("purchase", "64.5")], hold: 2 * day)
    try site.settle([])
    #expect(site.count(.cancelled) == 1)
    try site.settle([("purchase", "60")])
    #expect(try site.send(for: 3 * day).sorted() == ["event/purchase/60", "install/none/none"])
  }

  @Test func `holds an event that a settlement adds as long as its postback`() throws {
    let site = try SettlementSite { $0.hold = 2 * 86_400_000 }
    try site.plan([], hold: 2 * day)
    try site.settle([("purchase", "64.5")])
    #expect(try site.send(for: day).isEmpty)
    try site.settle([("purchase", "60"), ("sign_up", "0")])
    #expect(try site.send(for: 2 * day) == ["install/none/none", "event/purchase/60", "event/sign_up/0"])
    try site.settle([("purchase", "50"), ("sign_up", "0"), ("level", "1")])
    #expect(try site.send() == ["correction/purchase/50", "event/level/1"])
  }

  @Test func `corrects what was delivered with values that were replaced between its attempts`() throws {
    let site = try SettlementSite()
    site.transport.answer = ModelTransport.status(503)
    try site.plan([("purchase", "64.5"), ("sign_up", "0")])
    try site.send()
    try site.settle([("purchase", "40"), ("sign_up", "1")])
    try site.settle([("purchase", "30"), ("sign_up", "0")])
    try site.correctRestated()
    #expect(site.count(.pending) == 3)
    site.transport.answer = ModelTransport.status(200)
    #expect(try site.send(for: 100_000).contains("event/purchase/64.5"))
    #expect(try !site.outbox.restated().isEmpty)
    try site.correctRestated()
    try site.correctRestated()
    #expect(try site.send() == ["correction/purchase/30"])
    try site.settle([("purchase", "30"), ("sign_up", "0")])
    #expect(try site.send().isEmpty && site.count(.delivered) == 4)
  }

  @Test func `opens a queue from before values that were replaced were kept`() throws {
    let site = try StateSite()
    _ = try site.ledger()
    do {
      let outbox = try Outbox(in: site.state)
      for change in ["DROP INDEX deliveries_restated", "ALTER TABLE deliveries DROP COLUMN restated_values"] {
        try outbox.statement(change).run()
      }
    }
    for _ in 0..<2 { #expect(try Outbox(in: site.state).restated().isEmpty) }
  }

  @Test func `corrects what the partner has after a correction has failed whose values were replaced`() throws {
    let site = try SettlementSite()
    try site.plan([("purchase", "64.5")])
    try site.send()
    site.transport.answer = ModelTransport.status(503)
    try site.settle([("purchase", "40")])
    try site.send()
    try site.settle([])
    site.transport.answer = ModelTransport.status(400)
    #expect(try site.send(for: 100_000) == ["correction/purchase/40"] && site.count(.failed) == 1)
    site.transport.answer = ModelTransport.status(200)
    try site.correctRestated()
    #expect(try site.send() == ["correction/purchase/0"])
  }

  @Test func `adds no event to what was planned before events were wanted, unless it is planned anew`() throws {
    let site = try SettlementSite()
    let (after, outbox) = (site.site.partners[0], site.outbox)
    var before = after
    before.kinds = [.install]
    #expect(try outbox.noteFilters(of: [before], at: site.transport.now).isEmpty)
    try site.plan([])
    try site.settle([("purchase", "64.5")], for: before)
    site.transport.now += 1000
    #expect(try outbox.noteFilters(of: [after], at: site.transport.now) == ["acme"])
    try site.settle([("purchase", "60")])
    #expect(try site.send() == ["install/none/none"])
    try outbox.setPositions(of: "acme", TableCursor(startOf: .postbacks), nil)
    _ = try site.folder.ledger()
    try outbox.rewind(["acme"], to: site.folder.state)
    try site.settle([("purchase", "50")])
    #expect(try site.send() == ["event/purchase/50"])
  }

  @Test(
    arguments: [
      { $0.networks = ["another.skadnetwork"] }, { $0.apps = [2] }, { $0.kinds = [.redownload] },
      { $0.url = try URLTemplate("https://acme.example/{source_domain|default:..}/{event_name}") },
    ] as [@Sendable (inout Partner) throws -> Void]
  )
  func `adds an event again that the settings had cancelled, once it is planned anew`(
    _ change: @Sendable (inout Partner) throws -> Void
  ) async throws {
    let site = try SettlementSite { $0.hold = 3_600_000 }
    let events = [(name: "purchase", revenue: "64.5"), (name: "sign_up", revenue: "0")]
    try site.commit(value: 63, isForwarded: false, [events[0]])
    try await site.planRows()
    try site.settle(events)
    var narrow = site.site.partners[0]
    try change(&narrow)
    try site.site.sender.use(Partners([narrow]))
    #expect(try site.send(for: 4_000_000).isEmpty && site.count(.cancelled) == 3)
    // Still left out, so that nothing is brought back.
    try await site.planRows(for: narrow, again: true)
    try site.settle(events, for: narrow)
    #expect(try site.send(for: 4_000_000).isEmpty)
    try site.site.sender.use(Partners(site.site.partners))
    try site.settle(events)
    #expect(try site.send(for: 4_000_000).isEmpty)
    let all = ["event/purchase/64.5", "event/sign_up/0", "install/none/none"]
    for expected in [all, []] {
      try await site.planRows(again: true)
      try site.settle(events)
      #expect(try site.send(for: 4_000_000).sorted() == expected)
    }
    #expect(try site.outbox.statement("SELECT 1 FROM deliveries").all { _ in true }.count == 3)
  }

  @Test func `adds a correction again that a filter had cancelled, once it is planned anew`() async throws {
    let site = try SettlementSite()
    try site.commit(value: 63, isForwarded: false, [("purchase", "64.5")])
    try await site.planRows()
    #expect(try site.send().count == 2)
    try site.settle([("purchase", "40")])
    var narrow = site.site.partners[0]
    narrow.networks = ["another.skadnetwork"]
    try site.site.sender.use(Partners([narrow]))
    #expect(try site.send().isEmpty)
    try site.site.sender.use(Partners(site.site.partners))
    try site.settle([("purchase", "40")])
    #expect(try site.send().isEmpty)
    for expected in [["correction/none/none", "correction/purchase/40"], []] {
      try await site.planRows(again: true)
      try site.settle([("purchase", "40")])
      #expect(try site.send().sorted() == expected)
    }
  }

  @Test func `adds an event to what was planned after events were wanted`() throws {
    let site = try SettlementSite()
    var before = site.site.partners[0]
    before.kinds = [.install]
    _ = try site.outbox.noteFilters(of: [before], at: site.transport.now)
    _ = try site.outbox.noteFilters(of: site.site.partners, at: site.transport.now)
    try site.plan([])
    try site.settle([("purchase", "60")])
    #expect(try site.send().sorted() == ["event/purchase/60", "install/none/none"])
  }

  @Test func `does not send an event that is back when it is too old`() throws {
    let site = try SettlementSite { $0.maximumAge = 1000 }
    try site.plan([("purchase", "64.5")], hold: 500)
    try site.settle([])
    site.transport.now += 2000
    try site.settle([("purchase", "60")])
    #expect(try site.send().isEmpty && site.count(.pending) == 0)
  }

  @Test func `corrects an event to nothing that is gone before its correction is sent`() throws {
    let site = try SettlementSite()
    try site.plan([("purchase", "64.5")])
    try site.send()
    try site.settle([("purchase", "40")])
    try site.settle([])
    #expect(site.count(.pending) == 1 && site.count(.cancelled) == 0)
    #expect(try site.send() == ["correction/purchase/0"])
  }

  @Test func `corrects what the partner has after a correction has failed, and with another id`() throws {
    let site = try SettlementSite()
    try site.plan([("purchase", "64.5")])
    try site.send()
    site.transport.answer = ModelTransport.status(400)
    try site.settle([("purchase", "40")])
    #expect(try site.send() == ["correction/purchase/40"] && site.count(.failed) == 1)
    site.transport.answer = ModelTransport.status(200)
    try site.settle([("purchase", "40")])
    #expect(try site.send().isEmpty)
    try site.settle([("purchase", "30")])
    #expect(try site.send() == ["correction/purchase/30"])
    let rows = try site.outbox.statement(
      "SELECT hex(delivery_id), hex(supersedes) FROM deliveries WHERE event_name IS NOT NULL"
    )
    .all { ($0.text(0), $0.text(1)) }
    #expect(Set(rows.map(\.0)).count == 3 && rows[1].1 == rows[0].0 && rows[2].1 == rows[0].0)
    try site.settle([])
    #expect(try site.send() == ["correction/purchase/0"])
  }
}
