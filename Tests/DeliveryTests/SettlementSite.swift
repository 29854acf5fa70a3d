import DurableFiles
import HTTPClient
import Ledger
import LookupTables
import PostbackVerification
import Signatures
import TestSupport

@testable import Delivery
@testable import Tables

/// A postback with deliveries to one partner, and settlements of it.
final class SettlementSite {
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

  /// Commits a postback of a device, or of a named forwarder, with its value and its events.
  func commit(value: Int?, isForwarded: Bool, _ events: [(name: String, revenue: String)]) throws {
    var row: [ColumnName: String] = [
      .postbackKey: Self.key.description, .adNetworkID: "com.example", .environment: "production", .appID: "1",
      .channel: isForwarded ? "network_forwarded" : "apple_direct", .decodeStatus: value == nil ? "null" : "decoded",
    ]
    row[.conversionValue] = value.map { "\($0)" }
    row[.forwarder] = isForwarded ? "cheap-clicks" : nil
    let names: [ColumnName: String] = [.postbackKey: Self.key.description, .eventCount: "1", .currency: "USD"]
    let rows = events.map { event in names.merging([.eventName: event.name, .skanRevenue: event.revenue]) { $1 } }
    try folder.commit([(.postbacks, [[row]]), (.events, [rows])])
  }

  /// Plans the rows that are committed, for the partner or for another one with its id.
  func planRows(for partner: Partner? = nil, again: Bool = false) async throws {
    if again { try outbox.rewind(["acme"], to: folder.state, at: transport.now) }
    let planner = try Planner(folder.output, state: folder.state, outbox, Lookups.none())
    try await planner.begin([partner ?? site.partners[0]])
    while !planner.isDone { try await planner.planBatch(at: transport.now) }
    site.sender.wake()
  }

  /// Compares the deliveries with a settlement that has this value and these events.
  @discardableResult
  func settle(
    _ events: [(name: String, revenue: String)],
    value: Int? = 63,
    trust: Int = 3,
    for partner: Partner? = nil
  ) throws -> SettlementCorrections {
    let key = "\"postback_key\":\"\(Self.key)\""
    let number = value.map { "\($0)" } ?? "null"
    let settled =
      "{\(key),\"effective_conversion_value\":\(number),\"effective_currency\":\"USD\",\"trust_level\":\(trust)}\n"
    let rows = events.map {
      "{\(key),\"event_name\":\"\($0.name)\",\"event_count\":1,\"skan_revenue\":\($0.revenue),\"currency\":\"USD\"}\n"
    }
    for (table, text) in [("skan_settled", settled), ("skan_settled_events", rows.joined())] {
      _ = try DurableFolder(making: "\(folder.output)/\(table)")
      try folder.change("out/\(table)/part-00000001.jsonl") { $0 = Array(text.utf8) }
    }
    site.sender.unload()
    let partners = Partners([partner ?? site.partners[0]])
    let corrections = try SettlementCorrections(folder.output, outbox, partners, startedAt: 0)
    try corrections.run("\(events)", at: transport.now)
    site.sender.wake()
    return corrections
  }

  /// Corrects what was delivered with values that a settlement had replaced.
  func correctRestated() throws {
    let corrections = try SettlementCorrections(folder.output, outbox, Partners(site.partners))
    try corrections.correct(outbox.restated(), at: transport.now)
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

extension StateSite {
  /// Commits rows of tables, in parts, with the columns of their first rows.
  func commit(_ tables: [(table: Table, parts: [[[ColumnName: String]]])]) throws {
    let ledger = try ledger()
    let folder = try OutputFolder(output, of: ledger, [])
    for (full, parts) in tables where parts.contains(where: { !$0.isEmpty }) {
      let columns = parts.joined().reduce(into: Set<ColumnName>()) { $0.formUnion($1.keys) }
      let names = full.columns.map(\.name).filter(columns.contains)
      let table = Table(name: full.name, description: "", columns: names.map { Column($0, .text, .nullable, "") })
      var files = try TableParts(table, [.jsonLines], in: folder, [], lastNumber: 0)
      for rows in parts {
        var encoder = RowEncoder(table, TableEncoding([.jsonLines]))
        for row in rows {
          for name in names { encoder.text(name, row[name]) }
          encoder.endRow()
        }
        let portion = TablePortion(encoder.take(), in: "", received: nil, formats: [.jsonLines])
        for write in try files.append(portion, limit: .max) { try write.perform() }
        files.roll()
      }
      var commit = LedgerCommit(time: 1)
      commit.parts = try files.synchronize()
      try ledger.commit(commit)
      try files.publish()
    }
  }
}
