import Foundation
import TestSupport
import Testing

@Suite struct `The business half of postback report` {
  /// Writes the tables of an output with campaigns; a forwarder names some of them in markup.
  private func makeOutput(in folder: TemporaryFolder) async throws -> (out: String, lookups: String) {
    let (dump, out, reporting) = (folder.path("dump"), folder.path("out"), folder.path("campaigns"))
    let keys = folder.path("keys")
    try await call([
      "generate", "--count", "1500", "--seed", "4", "--campaigns", "12", "--days", "10", "--cost", "--reporting",
      reporting, "--out", dump, "--keys", keys,
    ])
    let lookups = "\(reporting)/lookups"
    let file = "campaigns/lookups/campaigns.csv"
    let named = String(decoding: try folder.contents(of: file), as: UTF8.self)
      .replacing("Campaign 1 ", with: "<img src=x onerror=alert(1)>&amp; ")
    try folder.makeFile(file, holding: Array(named.utf8))
    try await call(
      ["run", dump, "--out", out, "--models", "\(reporting)/models"] + folder.words(of: "keys")
    )
    try await call(["settle", out, "--lookups", lookups])
    return (out, lookups)
  }

  private func call(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 0, "\(arguments.joined(separator: " ")): \(result.errorText)")
  }

  @Test func `begins with at most five findings, each with a link to its section`() async throws {
    let folder = try TemporaryFolder()
    let (out, lookups) = try await makeOutput(in: folder)
    try await call(["daily", out, "--lookups", lookups, "--environment", "custom"])
    let page = try await BuiltCommand.run(["report", out, "--html", "-"]).text
    let list = try #require(
      page.split(separator: "id=\"findings\"").last?.split(separator: "</ol>").first
    )
    let findings = list.split(separator: "<li>").filter { $0.contains("</li>") }
    #expect((1...5).contains(findings.count))
    for finding in findings {
      #expect(finding.contains { $0.isNumber })
      let link = try #require(finding.firstMatch(of: /href="#([^"]+)"/)?.1)
      #expect(page.contains("id=\"\(link)\""), "\(link)")
    }
    #expect(!page.contains("<img src=x"))
  }
}
