import JSON
import SKAdNetwork
import Signatures
import TestSupport
import Testing

/// Postbacks of Apple Ads beside what AdServices tells of the same installs, in the daily report and on the page.
@Suite struct `Apple Ads` {
  private let folder: TemporaryFolder
  private let signer: Signer

  init() throws {
    folder = try TemporaryFolder()
    signer = try Signer(.p256, id: "ours")
  }

  private static let payloads = """
    {"received_at":"2026-03-10T10:00:00Z","token":"a","payload":{"attribution":true,"campaignId":5,"conversionType":"Download",\
    "supplyPlacement":"APPSTORE_SEARCH_RESULTS"}}
    {"received_at":"2026-03-10T10:00:00Z","token":"b","payload":{"attribution":true,"campaignId":5,"conversionType":"Download",\
    "supplyPlacement":"APPSTORE_TODAY_TAB"}}
    {"received_at":"2026-03-10T10:00:00Z","token":"c","payload":{"attribution":true,"campaignId":6,"conversionType":"PreOrder"}}
    {"received_at":"2026-03-10T10:00:00Z","token":"d","payload":{"attribution":false}}

    """

  /// Runs over postbacks of Apple Ads: of two search results, a tab and an unknown place, and others that are no install.
  private func run() async throws -> String {
    func postback(_ id: String, _ values: [String: String], _ network: String = "com.apple.ads") throws -> Object {
      let names = ["transaction-id": Object.quoted(id), "ad-network-id": Object.quoted(network)]
      return try signer.sign(RealPostback.v3.object.with(names).with(["did-win": "true"]).with(values))
    }
    let reengagement = try signer.sign(
      payload: """
        {"ad-network-identifier":"com.apple.ads","postback-identifier":"p","advertised-item-identifier":1,\
        "conversion-type":"re-engagement","did-win":true,"postback-sequence-index":0}
        """
    )
    let postbacks = [
      try postback("a", ["campaign-id": "10"]), try postback("b", ["campaign-id": "10"]),
      try postback("c", ["campaign-id": "20"]), try postback("d", ["campaign-id": "50"]),
      try postback("e", ["campaign-id": "10", "did-win": "false"]), reengagement,
      try postback("f", ["campaign-id": "10"], "abcde12345.skadnetwork"),
    ]
    let dump = try folder.makeFile("dump", holding: Array(postbacks.map(\.text).joined(separator: "\n").utf8))
    let out = folder.path("out")
    let run = ["run", dump, "--out", out, "--received-at", "2026-03-12", "--trust-key", "ours=\(signer.base64)"]
    let result = try await BuiltCommand.run(run)
    #expect(result.status == 0, "\(result.errorText)")
    return out
  }

  private func importPayloads(_ out: String) async throws {
    let payloads = try folder.makeFile("payloads.jsonl", holding: Array(Self.payloads.utf8))
    #expect(try await BuiltCommand.run(["asa", "import", payloads, "--out", out]).status == 0)
  }

  @Test func `has its name without a lookup table`() async throws {
    let out = try await run()
    let daily = ["daily", out, "--environment", "custom", "--dimensions", "network_name"]
    #expect(try await BuiltCommand.run(daily).status == 0)
    let rows = try folder.contents(of: "out/skan_daily/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { Object(Array($0)) }.filter { $0.string("date_type") == "received" }
    #expect(rows.map { $0.string("network_name") } == ["Apple Ads", "abcde12345.skadnetwork"])
    #expect(rows.map { $0.string("network_status") } == ["mapped", "unmapped"])
  }

  @Test func `is shown once by place, with the range of its installs, and never added`() async throws {
    let out = try await run()
    let daily = ["daily", out, "--environment", "custom", "--json"]
    let before = try JSONValue(parsing: Array(try await BuiltCommand.run(daily).text.utf8))
    #expect(before["apple_search_ads"] == .null)
    try await importPayloads(out)
    let after = try JSONValue(parsing: Array(try await BuiltCommand.run(daily).text.utf8))
    #expect(after["windows"] == before["windows"])
    let places = try #require(after["apple_search_ads"]?["by_placement"]).array
    #expect(
      places.map { $0["placement"]?.text } == [
        "APPSTORE_SEARCH_RESULTS", "APPSTORE_SEARCH_TAB", "APPSTORE_TODAY_TAB", nil,
      ]
    )
    func counts(_ name: String) -> [Int64?] { places.map { $0[name]?.integer } }
    #expect(counts("postbacks") == [2, 1, 0, 1] && counts("attributions") == [1, 0, 1, 1])
    #expect(counts("installs_at_least") == [2, 1, 1, 1] && counts("installs_at_most") == [3, 1, 1, 2])
    let text = try await BuiltCommand.run(["daily", out, "--environment", "custom"]).text
    #expect(text.contains(#/ all +4 +3 +4 +7\n/#), "\(text)")
  }

  @Test func `leaves out the postbacks of environments that the report leaves out`() async throws {
    let out = try await run()
    try await importPayloads(out)
    let report = try JSONValue(parsing: Array(try await BuiltCommand.run(["daily", out, "--json"]).text.utf8))
    let places = try #require(report["apple_search_ads"]?["by_placement"]).array
    #expect(places.count == 3 && places.allSatisfy { $0["postbacks"]?.integer == 0 })
  }

  @Test func `is on the page as in the daily report, also after more postbacks`() async throws {
    let out = try await run()
    try await importPayloads(out)
    let page = folder.path("page.html")
    func text() async throws -> String {
      #expect(try await BuiltCommand.run(["report", out, "--html", page, "--force"]).status == 0)
      return String(decoding: try folder.contents(of: "page.html"), as: UTF8.self)
    }
    #expect(try await !text().contains("Installs of Apple Ads by the place of the ad"))
    #expect(try await BuiltCommand.run(["daily", out, "--environment", "custom"]).status == 0)
    func row(_ name: String, _ counts: [Int]) -> String {
      "<th scope=\"row\">\(name)</th>" + counts.map { "<td class=\"number\">\($0)</td>" }.joined()
    }
    let found = try await text()
    #expect(found.contains(row("APPSTORE_SEARCH_RESULTS", [2, 1, 2, 3])) && found.contains(row("all", [4, 3, 4, 7])))
    // A second part is counted alone, and added to what is kept of the first.
    let ids = ["transaction-id": "\"z\"", "ad-network-id": "\"com.apple.ads\"", "campaign-id": "10", "did-win": "true"]
    let late = try folder.makeFile("late", holding: Array(signer.sign(RealPostback.v3.object.with(ids)).text.utf8))
    let run = ["run", late, "--out", out, "--received-at", "2026-03-13", "--trust-key", "ours=\(signer.base64)"]
    #expect(try await BuiltCommand.run(run).status == 0)
    #expect(try await BuiltCommand.run(["daily", out, "--environment", "custom"]).status == 0)
    #expect(try await text().contains(row("APPSTORE_SEARCH_RESULTS", [3, 1, 3, 4])))
  }
}
