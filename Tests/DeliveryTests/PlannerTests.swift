import DurableFiles
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

  @Test func `advises to plan again first where the deliveries are newer than the output`() async throws {
    let outbox = try Outbox.temporary()
    let partner = try DeliverySite.partner("acme")
    let newer = try Self.output([["a.skadnetwork", "b.skadnetwork"], ["c.skadnetwork"]])
    let planner = try Planner(newer.output, state: newer.state, outbox, Lookups.none())
    try await planner.begin([partner])
    while !planner.isDone { try await planner.planBatch(at: 0) }
    let older = try Self.output([["a.skadnetwork"]])
    let refused = try Planner(older.output, state: older.state, outbox, Lookups.none())
    do throws(FileFailure) {
      try await refused.begin([partner])
      Issue.record("the position is not in the output")
    } catch {
      let text = "\(error)"
      let replan = try #require(text.firstRange(of: "--replan"))
      let other = try #require(text.firstRange(of: "backup instead"))
      #expect(replan.lowerBound < other.lowerBound && text.contains("sent once more"))
    }
  }
}
