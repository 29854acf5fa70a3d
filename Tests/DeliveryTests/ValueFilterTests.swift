import Ledger
import Testing

@testable import Delivery

/// The filters `nulls` and `minimum_trust`, which decide by the values that count.
@Suite struct `A filter of values` {
  private static let purchase = [(name: "purchase", revenue: "64.5")]
  private let both = ["install/none/none", "event/purchase/64.5"]

  @Test func `takes a postback without a value that the settlement has one for, with its events`() async throws {
    let site = try SettlementSite { $0.includesNulls = false }
    try site.commit(value: nil, isForwarded: true, [])
    try await site.planRows()
    #expect(try site.send().isEmpty)
    let corrections = try site.settle(Self.purchase)
    #expect(try site.send() == both)
    #expect(corrections.takenUp == ["acme": [.nulls: 1]])
    try site.settle(Self.purchase)
    #expect(try site.send().isEmpty)
  }

  @Test func `leaves a postback out that the settlement has no value for, until another one has`() async throws {
    let site = try SettlementSite { $0.includesNulls = false }
    try site.commit(value: 63, isForwarded: true, Self.purchase)
    try await site.planRows()
    try site.settle([], value: nil)
    #expect(try site.send().isEmpty && site.count(.cancelled) == 2)
    try site.settle(Self.purchase)
    #expect(try site.send() == both)
  }

  @Test func `sends the postback with its events when the trust rises`() async throws {
    let site = try SettlementSite { $0.minimumTrust = 3 }
    try site.commit(value: 63, isForwarded: true, Self.purchase)
    try await site.planRows()
    try site.settle(Self.purchase, trust: 2)
    #expect(try site.send().isEmpty)
    try site.settle(Self.purchase, trust: 4)
    #expect(try site.send() == both)
  }

  @Test func `keeps no correction and no new event back of what was delivered`() async throws {
    let site = try SettlementSite { ($0.minimumTrust, $0.includesNulls) = (2, false) }
    try site.commit(value: 63, isForwarded: true, Self.purchase)
    try await site.planRows()
    #expect(try site.send() == both)
    try site.settle([("purchase", "3"), ("sign_up", "0")], value: 1, trust: 0)
    #expect(try site.send().sorted() == ["correction/none/none", "correction/purchase/3", "event/sign_up/0"])
    try site.settle([], value: nil, trust: 0)
    #expect(try site.send().sorted() == ["correction/none/none", "correction/purchase/0", "correction/sign_up/0"])
  }

  @Test func `counts the corrections that the partner does not want, whatever the trust is`() async throws {
    let site = try SettlementSite {
      $0.minimumTrust = 2
      $0.kinds.remove(.correction)
    }
    try site.commit(value: 63, isForwarded: true, Self.purchase)
    try await site.planRows()
    try site.send()
    try site.settle(Self.purchase + [("sign_up", "0")], value: 1, trust: 0)
    #expect(try site.send().isEmpty && site.outbox.correctionsNotSent(to: "acme") == 2)
  }

  @Test func `sends with the same id what it had cancelled when it was due, once the trust rises`() async throws {
    let site = try SettlementSite { ($0.minimumTrust, $0.hold) = (2, 3_600_000) }
    try site.commit(value: 63, isForwarded: true, Self.purchase)
    try await site.planRows()
    try site.settle(Self.purchase, trust: 0)
    #expect(try site.send(for: 4_000_000).isEmpty && site.count(.cancelled) == 2)
    try site.settle(Self.purchase, trust: 4)
    #expect(try site.send(for: 4_000_000) == both)
    #expect(try site.outbox.statement("SELECT 1 FROM deliveries").all { _ in true }.count == 2)
  }

  @Test func `sends what too high a minimum had cancelled after a planning anew`() async throws {
    let site = try SettlementSite { $0.hold = 3_600_000 }
    try site.commit(value: 63, isForwarded: true, Self.purchase)
    try await site.planRows()
    var strict = site.site.partners[0]
    strict.minimumTrust = 4
    try site.site.sender.use(Partners([strict]))
    #expect(try site.send(for: 4_000_000).isEmpty && site.count(.cancelled) == 2)
    try site.site.sender.use(Partners(site.site.partners))
    try await site.planRows()
    #expect(try site.send().isEmpty)
    try await site.planRows(again: true)
    #expect(try site.send(for: 4_000_000) == both)
  }

  @Test func `sends the correction that an earlier version has cancelled for its trust`() async throws {
    let site = try SettlementSite { $0.minimumTrust = 2 }
    try site.commit(value: 63, isForwarded: true, [])
    try await site.planRows()
    try site.send()
    try site.settle([], value: 1, trust: 0)
    try site.outbox.statement(
      """
      UPDATE deliveries SET state = 'cancelled', error = 'the trust level 0 is below minimum_trust', next_attempt_at = NULL
      WHERE kind = 'correction'
      """
    ).run()
    try site.settle([], value: 1, trust: 0)
    #expect(try site.send() == ["correction/none/none"])
  }

  @Test func `takes the postback itself only if the partner wanted it when it was planned`() async throws {
    let site = try SettlementSite {
      $0.includesNulls = false
      $0.kinds = [.event]
    }
    try site.commit(value: 63, isForwarded: true, [])
    try await site.planRows()
    var wider = site.site.partners[0]
    wider.kinds = [.install, .event]
    try site.settle([], for: wider)
    #expect(try site.send().isEmpty)
    try site.settle(Self.purchase, for: wider)
    #expect(try site.send() == ["event/purchase/64.5"])
  }
}
