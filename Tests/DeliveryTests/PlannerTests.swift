import LookupTables
import PostbackVerification
import Tables
import TestSupport
import Testing

@testable import Delivery

@Suite struct `The planner` {
  /// Makes an output with a part of accepted postbacks for each list of networks.
  private static func output(_ parts: [[String]]) throws -> StateSite {
    let site = try StateSite()
    var number: UInt64 = 0
    let rows = parts.map { networks in
      networks.map { network -> [ColumnName: String] in
        number += 1
        let key = PostbackKey(high: 0, low: number).description
        return [.postbackKey: key, .adNetworkID: network, .environment: "production"]
      }
    }
    try site.commit([(.postbacks, rows)])
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
