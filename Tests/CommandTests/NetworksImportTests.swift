import TestSupport
import Testing

/// `networks import` and `plist check --networks` over lists in the forms in which companies publish them.
@Suite struct `Lists of ad networks` {
  private static let lists = ["iab.json", "applovin.json", "ironsource.xml"].map { Fixtures.path("networks/\($0)") }
  private static let networks = Fixtures.path("lookups/networks.csv")

  private func run(_ arguments: [String]) async throws -> BuiltCommand.Result {
    try await BuiltCommand.run(["networks", "import"] + arguments)
  }

  @Test func `become one table in which each id has the name that one of them gives`() async throws {
    let result = try await run(Self.lists)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(
      result.text.split(separator: "\n") == [
        "ad_network_id,network_name", "uw77j35x4d.skadnetwork,The Trade Desk", "7ug5zh24hu.skadnetwork,Liftoff",
        "3sh42y64q3.skadnetwork,Centro Inc.", "wzmmz9fp6w.skadnetwork,InMobi",
        "ludvb6z3bs.skadnetwork,ludvb6z3bs.skadnetwork", "4fzdc2evr5.skadnetwork,4fzdc2evr5.skadnetwork",
        "2u9pt9hc89.skadnetwork,2u9pt9hc89.skadnetwork", "su67r6k2v3.skadnetwork,su67r6k2v3.skadnetwork",
        "9t245vhmpl.skadnetwork,9t245vhmpl.skadnetwork",
      ]
    )
    #expect(result.errorText.contains("9 ids of ad networks, 5 of them without a name."))
    let reversed = try await run(Self.lists.reversed())
    #expect(reversed.text.contains("7ug5zh24hu.skadnetwork,Liftoff\n"))
  }

  @Test func `leave the rows of an own table as they are, and can be enriched with`() async throws {
    let folder = try TemporaryFolder()
    let own = """
      ad_network_id,network_name,owner,valid_from,valid_to
      7ug5zh24hu.skadnetwork,"Old, Ltd.",,,2026-01-01
      7ug5zh24hu.adattributionkit,Vungle,mmp_secure,2026-01-01,
      com.example,Example Network,,,

      """
    let table = try folder.makeFile("networks.csv", holding: Array(own.utf8))
    let refused = try await run([table, Self.lists[0], "--out", table])
    #expect(refused.status == 73, "\(refused.errorText)")
    let result = try await run([table, Self.lists[0], "--out", table, "--force"])
    #expect(result.status == 0 && result.errorText.contains("7ug5zh24hu.skadnetwork has the names \"Old, Ltd.\""))
    let written = String(decoding: try folder.contents(of: "networks.csv"), as: UTF8.self)
    #expect(written.hasPrefix(own) && written.contains("\nuw77j35x4d.skadnetwork,The Trade Desk,,,\n"), "\(written)")
    let out = folder.path("out")
    let dump = Fixtures.path("postbacks/skadnetwork-4.0.jsonl")
    #expect(try await BuiltCommand.run(["run", dump, "--out", out]).status == 0)
    let enriched = try await BuiltCommand.run(["enrich", out, "--lookups", folder.path("")])
    #expect(enriched.status == 0, "\(enriched.errorText)")
  }

  @Test(arguments: [
    (#"["a.skadnetwork",{"skadnetwork_id":"B.SKADNETWORK","entity_domain":"b.com"}]"#, "b.skadnetwork,b.com"),
    (#"{"skadnetwork_ids":["a.skadnetwork","b.skadnetwork"],"hash":"key1"}"#, "b.skadnetwork,b.skadnetwork"),
    ("\u{FEFF}[\"a.skadnetwork\",\"b.skadnetwork\"]", "b.skadnetwork,b.skadnetwork"),
    ("a.skadnetwork # a comment\n\nb.adattributionkit\n", "b.adattributionkit,b.adattributionkit"),
    (
      """
      <plist><array><dict><!-- A --><key>SKAdNetworkIdentifier</key><string>a.skadnetwork</string></dict>
      <dict><key>SKAdNetworkIdentifier</key><string>b.skadnetwork</string></dict></array></plist>
      """, "b.skadnetwork,b.skadnetwork"
    ),
  ])
  func `have these forms too`(_ text: String, _ last: String) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("list", holding: Array(text.utf8))
    let result = try await run([file])
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text == "ad_network_id,network_name\na.skadnetwork,a.skadnetwork\n\(last)\n")
  }

  @Test(arguments: ["", "{}", "[", #"{"skadnetwork_ids":{}}"#, "<plist><dict/></plist>", "<html></html>", "word"])
  func `that are none are refused`(_ text: String) async throws {
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("list", holding: Array(text.utf8))
    let result = try await run([file])
    #expect(result.status == 65 && result.errorText.contains("list:"), "\(result.errorText)")
    #expect(result.output.isEmpty)
  }

  @Test func `of which a part cannot be read give the rest, with a warning`() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("list", holding: Array(#"["a.skadnetwork","b",7]"#.utf8))
    let result = try await run([file])
    #expect(result.status == 0 && result.text.hasSuffix("\na.skadnetwork,a.skadnetwork\n"))
    #expect(result.errorText.contains("skadnetwork_ids[1]: ") && result.errorText.contains("skadnetwork_ids[2]: "))
  }

  @Test func `are compared with the Info.plist of an app`() async throws {
    let folder = try TemporaryFolder()
    func missing(_ ids: [String]) async throws -> Int {
      let items = ids.map { "<dict><key>SKAdNetworkIdentifier</key><string>\($0)</string></dict>" }.joined()
      let text = "<plist><dict><key>SKAdNetworkItems</key><array>\(items)</array></dict></plist>"
      let plist = try folder.makeFile("Info.plist", holding: Array(text.utf8))
      let result = try await BuiltCommand.run(["plist", "check", plist, "--networks", Self.lists[2]])
      return result.text.matches(of: /network_missing/).count
    }
    let ids = ["su67r6k2v3.skadnetwork", "7ug5zh24hu.skadnetwork", "9t245vhmpl.skadnetwork"]
    #expect(try await missing(ids) == 0)
    #expect(try await missing(Array(ids.prefix(1))) == 2)
  }
}
