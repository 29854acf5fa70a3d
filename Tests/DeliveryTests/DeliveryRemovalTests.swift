import DurableFiles
import Ledger
import PostbackVerification
import Tables
import TestSupport
import Testing

@testable import Delivery

@Suite struct `The removal of deliveries` {
  private static let id = "0AD4CD75-3341-42D2-A10F-A829777E0C7B"

  /// A delivery of a postback of somebody else, whose bytes name the id.
  private static func delivery(_ number: Int, to partner: String) -> PlannedDelivery {
    PlannedDelivery(
      id: DeliveryID(UInt128(number) << 8 | UInt128(partner.utf8.count)),
      partner: partner,
      postback: PostbackKey(high: 0, low: UInt64(number)),
      kind: .install,
      event: nil,
      supersedes: nil,
      receivedAt: 0,
      dueAt: 0,
      refusal: nil,
      values: DeliveryValues([.raw: .text(#"{"version":"4.0","note":"refund of \#(id)"}"#)])
    )
  }

  @Test func `takes nothing from the totals, after 90 days and on a request`() throws {
    let site = try StateSite()
    _ = try site.ledger()
    do {
      let (partner, outbox) = (try DeliverySite.partner("acme"), try Outbox(in: site.state))
      let sender = try DeliverySite([partner], ModelTransport(ModelTransport.status(200)), outbox: outbox)
      try sender.plan(5, to: "acme")
      try sender.send()
      sender.transport.now += 91 * 86_400_000
      try sender.plan(3, to: "acme", from: 5)
      try outbox.prune(at: sender.transport.now)
      #expect(try outbox.statement("SELECT 1 FROM deliveries").all { _ in true }.count == 3)
      #expect(sender.count("acme", .delivered) == 5 && sender.count("acme", .pending) == 3)
    }
    #expect(try Outbox(in: site.state).counts["acme"] == [.delivered: 5, .pending: 3])
    do {
      let (partner, outbox) = (try DeliverySite.partner("acme"), try Outbox(in: site.state))
      let sender = try DeliverySite([partner], ModelTransport(ModelTransport.status(200)), outbox: outbox)
      sender.transport.now += 91 * 86_400_000
      try sender.send()
    }
    let keys: Set = [PostbackKey(high: 0, low: 5), PostbackKey(high: 0, low: 6)]
    let request = RemovalRequest(transactionIDs: [Self.id], addresses: [])
    #expect(try DeliveryRemoval(site.state).remove(keys, request) == 2)
    #expect(try Outbox(in: site.state).counts["acme"]?[.delivered] == 8)
  }

  @Test func `masks the id in deliveries, and in what awaits events`() throws {
    let site = try StateSite()
    _ = try site.ledger()
    do {
      let outbox = try Outbox(in: site.state)
      try outbox.transaction { () throws(FileFailure) in
        for (number, partner) in (0..<4500).flatMap({ number in ["acme", "apex-ads"].map { (number, $0) } }) {
          let delivery = Self.delivery(number, to: partner)
          if number % 2 == 0 { try outbox.note(awaited: delivery, at: 0) } else { try outbox.add(delivery, at: 0) }
        }
        try outbox.statement("UPDATE deliveries SET restated_values = delivery_values").run()
      }
    }
    let request = RemovalRequest(transactionIDs: [Self.id], addresses: [])
    _ = try DeliveryRemoval(site.state).remove([], request)
    let outbox = try Outbox(in: site.state)
    for (table, column) in [
      ("deliveries", "delivery_values"), ("deliveries", "restated_values"), ("awaited_events", "delivery_values"),
    ] {
      let texts = try outbox.statement("SELECT \(column) FROM \(table)").all { $0.text(0) }
      #expect(texts.count == 4500)
      #expect(texts.allSatisfy { $0.contains("refund of xxxxxxxx-") && !$0.contains(Self.id) }, "\(table)")
    }
  }
}
