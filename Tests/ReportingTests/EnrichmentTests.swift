import Analysis
import DurableFiles
import JSON
import Ledger
import Tables
import TestSupport
import Testing

@testable import Reporting

@Suite struct EnrichmentTests {
  @Test func `the rows are the same if the copies do not fit the buffer`() async throws {
    let folder = try TemporaryFolder()
    let keys = (0..<3_000).map { String(repeating: "0", count: 28) + String(10_000 + $0 * 7 % 3_000).suffix(4) }
    let rows = keys.map { key in
      #"{"postback_key":"\#(key)","ad_network_id":"a","app_id":1,"environment":"production"}"# + "\n"
    }
    let body = String(decoding: Fixtures.lines("postbacks/skadnetwork-2.1.jsonl")[2], as: UTF8.self)
    let rejects = (0..<5_000).map { number in
      let copy = JSONValue.string(body.replacing("112233445566", with: "\(number)")).description
      let head = #"{"reject_code":"duplicate_identical","first_seen_postback_key":"#
      return head + "\"\(keys[number * 11 % 2_900])\",\"raw_body\":\(copy)}\n"
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
    // Of several copies the first one counts.
    let lines = try #require(outputs.first).split(separator: UInt8(ascii: "\n"))
    let third = try JSONValue(parsing: Array(lines[33]))
    #expect(third["campaign_id"]?.text == "3")
  }
}
