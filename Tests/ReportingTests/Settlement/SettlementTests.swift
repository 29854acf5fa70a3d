import ConversionModel
import DurableFiles
import JSON
import Ledger
import LookupFixtures
import Tables
import TestSupport
import Testing

@testable import CopySettlement
@testable import DerivedTables
@testable import PostbackCopies
@testable import Reporting
@testable import TableReading

/// The settlement of tables.
@Suite struct SettlementTests {
  private static let count = 3_000

  private func key(_ number: Int) -> String { String(repeating: "0", count: 27) + "1" + "\(1_0000 + number)".suffix(4) }

  private func body(_ fine: Int, _ number: Int) -> String {
    """
    {"version":"3.0","ad-network-id":"n\(number % 3)","campaign-id":1,"app-id":525463029,"transaction-id":"t\(number)",\
    "redownload":false,"fidelity-type":1,"did-win":true,"conversion-value":\(fine),"attribution-signature":"AA=="}
    """
  }

  /// Tables of accepted postbacks, most of them with copies in another order.
  private func output() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    var random = SplitMix(seed: 9)
    var accepted: [String] = []
    var rejects: [String] = []
    for number in 0..<Self.count {
      let fine = Int(random.next() % 64)
      let head = "{\"postback_key\":\"\(key(number))\",\"framework\":\"skadnetwork\",\"version\":\"3.0\","
      let middle =
        "\"ad_network_id\":\"n\(number % 3)\",\"app_id\":525463029,\"did_win\":true,\"conversion_value\":\(fine),"
      let end = "\"environment\":\"production\",\"channel\":\"apple_direct\",\"received_at\":\"2026-03-10T00:00:00Z\","
      accepted.append(head + middle + end + "\"decode_status\":\"no_model\"}\n")
      for copy in 0..<Int(random.next() % 4) {
        let value = random.next() % 5 == 0 ? Int(random.next() % 64) : fine
        let text = JSONValue.string(body(value, number)).description
        let forwarder = ["a", "b", "c"][copy % 3]
        rejects.append(
          "{\"reject_code\":\"duplicate_identical\",\"first_seen_postback_key\":\"\(key(number))\","
            + "\"channel\":\"network_forwarded\",\"forwarder\":\"\(forwarder)\","
            + "\"received_at\":\"2026-03-1\(copy)T00:00:01Z\",\"raw_body\":\(text)}\n"
        )
      }
    }
    rejects.shuffle(using: &random)
    for (table, lines) in [("skan_postbacks", accepted), ("skan_rejects", rejects)] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      try folder.makeFile("out/\(table)/part-1.jsonl", holding: Array(lines.joined().utf8))
    }
    return folder
  }

  private func settle(_ folder: TemporaryFolder, bufferBytes: Int, jobs: Int) async throws -> Settlement {
    var settings = SettlementSettings()
    settings.bufferBytes = bufferBytes
    let out = folder.path("out")
    return try await Settlement(
      accepted: try TableFiles(.postbacks, at: [out]),
      rejects: try TableFiles(.rejects, at: [out]),
      try LookupFolder(["apps.csv": "app_id,app_name,direct_copies_since\n525463029,One,2026-01-01\n"]).load(),
      try Models(loading: [Fixtures.path("models")]),
      settings,
      as: TableEncoding([.jsonLines]),
      into: (
        try DerivedTable(.settled, TableEncoding([.jsonLines]), in: out),
        try DerivedTable(.settledEvents, TableEncoding([.jsonLines]), in: out)
      ),
      jobs: jobs
    )
  }

  @Test func `the tables are the same if the copies do not fit the buffer, on any number of cores`() async throws {
    let folder = try output()
    var outputs: Set<[UInt8]> = []
    for (bytes, jobs) in [(64 << 20, 1), (64 << 20, 3), (100_000, 2), (3_000, 2)] {
      let settlement = try await settle(folder, bufferBytes: bytes, jobs: jobs)
      #expect(settlement.unreadable.count == 0)
      let files = ["skan_settled/part-00000001.jsonl", "skan_settled/_summary.json"]
      outputs.insert(
        try (files + ["skan_settled_events/part-00000001.jsonl"]).flatMap { try folder.contents(of: "out/\($0)") }
      )
    }
    #expect(outputs.count == 1)
  }

  @Test func `the sums over forwarders are those of an independent count of the copies`() async throws {
    let folder = try output()
    let summary = try await settle(folder, bufferBytes: 64 << 20, jobs: 2).summary
    var forwarded: [String: Set<String>] = [:]
    var conflicts: Set<String> = []
    var values: [String: Int64] = [:]
    for line in try folder.contents(of: "out/skan_postbacks/part-1.jsonl").split(separator: UInt8(ascii: "\n")) {
      let row = try JSONValue(parsing: Array(line))
      values[row["postback_key"]?.text ?? ""] = row["conversion_value"]?.integer
    }
    for line in try folder.contents(of: "out/skan_rejects/part-1.jsonl").split(separator: UInt8(ascii: "\n")) {
      let row = try JSONValue(parsing: Array(line))
      let key = try #require(row["first_seen_postback_key"]?.text)
      forwarded[row["forwarder"]?.text ?? "", default: []].insert(key)
      let body = try JSONValue(parsing: Array((row["raw_body"]?.text ?? "").utf8))
      if body["conversion-value"]?.integer != values[key] { conflicts.insert(key) }
    }
    let all = forwarded.values.reduce(into: Set<String>()) { $0.formUnion($1) }
    let overall = summary.overall
    #expect(overall.reduce(0) { $0 + $1.all.counts.direct } == Self.count)
    #expect(overall.reduce(0) { $0 + $1.all.counts.both } == all.count)
    #expect(summary.trustLevels == [conflicts.count, 0, 0, Self.count - all.count, all.count - conflicts.count])
    for (forwarder, keys) in forwarded {
      let counts = overall.flatMap(\.forwarders).filter { $0.0 == forwarder }.map(\.1.counts)
      #expect(counts.reduce(0) { $0 + $1.forwarded } == keys.count)
    }
    let compared = overall.compactMap { $0.all.counts.fields[.conversionValue] }
    #expect(compared.reduce(0) { $0 + $1.compared } == all.count)
    #expect(compared.reduce(0) { $0 + $1.agreeing } == all.count - conflicts.count)
  }
}
