import DurableFiles
import Ledger
import LookupTables
import PostbackVerification
import TestSupport
import Testing

@testable import Delivery
@testable import Tables

@Suite struct `The planner` {
  /// Makes an output with a part of accepted postbacks for each list of networks.
  private static func output(_ parts: [[String]]) throws -> StateSite {
    let site = try StateSite()
    let ledger = try site.ledger()
    let columns: [ColumnName] = [.postbackKey, .adNetworkID, .environment]
    let table = Table(
      name: Table.postbacks.name,
      description: "",
      columns: columns.map { Column($0, .text, .nullable, "") }
    )
    let folder = try OutputFolder(site.output, of: ledger, [])
    var files = try TableParts(table, [.jsonLines], in: folder, [], lastNumber: 0)
    var number: UInt64 = 0
    for networks in parts {
      var encoder = RowEncoder(table, TableEncoding([.jsonLines]))
      for network in networks {
        number += 1
        encoder.text(.postbackKey, PostbackKey(high: 0, low: number).description)
        encoder.text(.adNetworkID, network)
        encoder.text(.environment, "production")
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
    return site
  }

  @Test func `plans the rows that are left for the partners as they are after a stop`() async throws {
    let networks = ["a.skadnetwork", "b.skadnetwork"]
    let site = try Self.output([networks, networks, networks])
    let outbox = try Outbox.temporary()
    let planner = try Planner(site.output, state: site.state, outbox, Lookups.none())
    var partner = try DeliverySite.partner("acme") { $0.networks = nil }
    try await planner.begin([partner])
    try await planner.planBatch(at: 0)
    #expect(outbox.counts["acme"]?[.pending] == 2)
    partner.networks = ["b.skadnetwork"]
    try planner.stop()
    #expect(planner.isDone)
    try await planner.begin([partner])
    while !planner.isDone { try await planner.planBatch(at: 0) }
    #expect(outbox.counts["acme"]?[.pending] == 4)
    #expect(planner.leftOut["acme"]?[.networks] == 2)
  }
}
