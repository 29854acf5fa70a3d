import DurableFiles
import HTTPClient
import PostbackVerification
import Signatures
import TestSupport
import Testing

@testable import Delivery

/// A postback with deliveries to one partner, and settlements of it.
private final class SettlementSite {
  static let key = PostbackKey(high: 0, low: 7)
  let folder: StateSite
  let site: DeliverySite
  var transport: ModelTransport { site.transport }
  var outbox: Outbox { site.outbox }

  /// The partner takes the postback itself, events and corrections, unless `change` says otherwise.
  init(outbox: Outbox? = nil, _ change: (inout Partner) -> Void = { _ in }) throws {
    folder = try StateSite()
    let url = try URLTemplate("https://acme.example/{kind}/{event_name|default:none}/{revenue|default:none}")
    let partner = try DeliverySite.partner("acme") {
      $0.url = url
      $0.kinds = Set(DeliveryKind.allCases)
      $0.networks = ["com.example"]
      change(&$0)
    }
    site = try DeliverySite([partner], ModelTransport(ModelTransport.status(200)), outbox: outbox)
  }

  /// Plans the delivery of the postback itself, and those of events with their revenue.
  func plan(_ events: [(name: String, revenue: String)], hold: Int64 = 0) throws {
    var hash = try SHA256()
    var planned: [PlannedDelivery] = []
    for event in [nil] + events.map(Optional.some) {
      var values: [TemplatePlaceholder: PlaceholderValue] = [
        .networkID: .text("com.example"), .appID: .number("1"), .conversionValue: .number("63"),
        .trustLevel: .number("3"),
        .currency: .text("USD"),
      ]
      values[.eventName] = event.map { .text($0.name) }
      values[.revenue] = event.map { .number($0.revenue) }
      values[.eventCount] = event.map { _ in .number("1") }
      let kind: DeliveryKind = event == nil ? .install : .event
      planned.append(
        PlannedDelivery(
          id: try DeliveryID(
            partner: "acme",
            postback: Self.key,
            kind: kind,
            event: event?.name,
            supersedes: nil,
            &hash
          ),
          partner: "acme",
          postback: Self.key,
          kind: kind,
          event: event?.name,
          supersedes: nil,
          receivedAt: transport.now,
          dueAt: transport.now + hold,
          refusal: nil,
          values: DeliveryValues(values)
        )
      )
    }
    try outbox.transaction { () throws(FileFailure) in
      for delivery in planned { try outbox.add(delivery, at: transport.now) }
    }
    site.sender.wake()
  }

  /// Compares the deliveries with a settlement that has these events.
  func settle(_ events: [(name: String, revenue: String)], for partner: Partner? = nil) throws {
    let key = "\"postback_key\":\"\(Self.key)\""
    let settled = "{\(key),\"effective_conversion_value\":63,\"effective_currency\":\"USD\",\"trust_level\":3}\n"
    let rows = events.map {
      "{\(key),\"event_name\":\"\($0.name)\",\"event_count\":1,\"skan_revenue\":\($0.revenue),\"currency\":\"USD\"}\n"
    }
    for (table, text) in [("skan_settled", settled), ("skan_settled_events", rows.joined())] {
      _ = try DurableFolder(making: "\(folder.output)/\(table)")
      try folder.change("out/\(table)/part-00000001.jsonl") { $0 = Array(text.utf8) }
    }
    site.sender.unload()
    let partners = Partners([partner ?? site.partners[0]])
    try SettlementCorrections(folder.output, outbox, partners).run("\(events)", at: transport.now)
    site.sender.wake()
  }

  /// Sends what is due within a time in milliseconds; returns the paths of the requests.
  @discardableResult
  func send(for duration: Int64 = 1000) throws -> [String] {
    let before = transport.requests.count
    try site.send(for: duration)
    return transport.requests.dropFirst(before).map { String($0.request.url.dropFirst("https://acme.example/".count)) }
  }

  func count(_ state: DeliveryState) -> Int64 { site.count("acme", state) }
}

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
}
