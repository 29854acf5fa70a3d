import DurableFiles
import JSON
import Ledger
import LookupFixtures
import Tables
import TestSupport
import Testing

@testable import CampaignEnrichment
@testable import CopySettlement
@testable import DerivedTables
@testable import PostbackCopies
@testable import Reporting
@testable import TableReading

@Suite struct EnrichmentTests {
  @Test func `the rows are the same if the copies do not fit the buffer`() async throws {
    let folder = try TemporaryFolder()
    let keys = (0..<3_000).map { number in
      let end = String(10_000 + number * 7 % 3_000).suffix(4)
      return "\(String(repeating: "0", count: 28))\(end)"
    }
    let rows = keys.map { key in
      #"{"postback_key":"\#(key)","ad_network_id":"a","app_id":1,"environment":"production"}"# + "\n"
    }
    let body = String(decoding: Fixtures.lines("postbacks/skadnetwork-2.1.jsonl")[2], as: UTF8.self)
    let rejects = (0..<5_000).map { number in
      let copy = JSONValue.string(body.replacing("112233445566", with: "\(number)")).description
      let head = #"{"reject_code":"duplicate_identical","first_seen_postback_key":"#
      let key = keys[number * 11 % 2_900]
      return "\(head)\"\(key)\",\"raw_body\":\(copy)}\n"
    }
    for (table, lines) in [("skan_postbacks", rows), ("skan_rejects", rejects)] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      try folder.makeFile("out/\(table)/part-1.jsonl", holding: Array(lines.joined().utf8))
    }
    let lookups = try LookupFolder(["apps.csv": "app_id,app_name\n1,One\n"]).load()
    var outputs: Set<[UInt8]> = []
    for bytes in [64 << 20, 200_000, 10_000] {
      let enrichment = try await Enrichment(
        accepted: try TableFiles(.postbacks, at: [folder.path("out")]),
        rejects: try TableFiles(.rejects, at: [folder.path("out")]),
        lookups,
        as: TableEncoding([.jsonLines]),
        into: try DerivedTable(.enriched, TableEncoding([.jsonLines]), in: folder.path("out")),
        jobs: 2,
        bufferBytes: bytes
      )
      #expect(enrichment.summary.copies == 5_000)
      #expect(enrichment.summary.inline == 2_900)
      outputs.insert(try folder.contents(of: "out/skan_enriched/part-00000001.jsonl"))
    }
    #expect(outputs.count == 1)
    // Of copies that were received at the same time, that with the least content counts, whatever their order.
    let lines = try #require(outputs.first).split(separator: UInt8(ascii: "\n"))
    let third = try JSONValue(parsing: Array(lines[33]))
    #expect(third["campaign_id"]?.text == "3")
  }

  @Test func `the campaign, the ad group, the creative and the test mark are each of the first copy that has it`() {
    func values(_ fields: [InlineValues.Field: String], isTest: Bool = false, forwardedAt: Int64? = nil) -> InlineValues
    {
      var values = InlineValues()
      for (field, text) in fields { values.set(field, text) }
      (values.isTest, values.forwardedAt) = (isTest, forwardedAt)
      return values
    }
    let copies: [(InlineValues, Int64?)] = [
      (values([.campaignName: "first"]), 1), (values([.campaignID: "2", .campaignName: "second", .adgroupID: "a"]), 2),
      (values([.adgroupID: "b", .creativeName: "c"], isTest: true, forwardedAt: 9), 3),
      (values([.creativeID: "later"], forwardedAt: 8), nil),
    ]
    var random = SplitMix(seed: 1)
    for _ in 0..<50 {
      let joined = InlineValues(ofCopies: copies.shuffled(using: &random).map { $0.0.record(receivedAt: $0.1) })
      let expected = values(
        [.campaignName: "first", .adgroupID: "a", .creativeName: "c"],
        isTest: true,
        forwardedAt: 9
      )
      #expect(joined == expected)
    }
  }

  @Test func `the country and the time of the copy that counts decide on the campaign`() async throws {
    let folder = try TemporaryFolder()
    let key = String(repeating: "0", count: 32)
    let row =
      #"{"postback_key":"\#(key)","version":"3.0","ad_network_id":"a","app_id":1,"campaign_id":7,"#
      + #""country_code":"US","environment":"production","received_at":"2026-03-10T00:00:00Z","#
      + #""install_date_earliest":"2026-03-08T00:00:00Z","install_date_latest":"2026-03-09T00:00:00Z"}"#
    let settled =
      #"{"postback_key":"\#(key)","effective_country_code":"DE","effective_received_at":"2026-05-10T00:00:00Z","#
      + #""effective_install_date_earliest":"2026-05-08T00:00:00Z","#
      + #""effective_install_date_latest":"2026-05-09T00:00:00Z"}"#
    for (table, text) in [("skan_postbacks", row + "\n"), ("skan_rejects", ""), ("skan_settled", settled + "\n")] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      try folder.makeFile("out/\(table)/part-1.jsonl", holding: Array(text.utf8))
    }
    let campaigns =
      "ad_network_id,campaign_key,country,campaign_id,valid_from,valid_to\n"
      + "a,7,US,C1,2026-01-01,\na,7,DE,C2,2026-01-01,2026-04-01\na,7,DE,C3,2026-05-01,\n"
    let lookups = try LookupFolder(["campaigns.csv": campaigns]).load()
    for isSettled in [false, true] {
      let enrichment = try await Enrichment(
        accepted: try TableFiles(.postbacks, at: [folder.path("out")]),
        rejects: try TableFiles(.rejects, at: [folder.path("out")]),
        settled: isSettled ? try TableFiles(derived: .settled, in: folder.path("out")) : nil,
        lookups,
        as: TableEncoding([.jsonLines]),
        into: try DerivedTable(.enriched, TableEncoding([.jsonLines]), in: folder.path("out")),
        jobs: 1
      )
      #expect(enrichment.summary.settled == (isSettled ? 1 : 0))
      let row = try JSONValue(parsing: try folder.contents(of: "out/skan_enriched/part-00000001.jsonl"))
      #expect(row["campaign_id"]?.text == (isSettled ? "C3" : "C1"))
      #expect(row["country"]?.text == (isSettled ? "DE" : "US"))
    }
  }
}
