import JSON
import TestSupport
import Testing

@testable import postback

/// The findings at the top of a report, on dumps with known frauds.
@Suite struct `The findings of postback report` {
  /// The page over the tables of a dump with these options of `generate`.
  private func page(_ options: [String], count: Int = 5000, report: [String] = []) async throws -> String {
    let site = try await FraudSite.with(options, count: count)
    return try await FraudSite.run(["report", site.out, "--html", "-"] + report + site.keys)
  }

  /// The sentences at the top of a page, with their links.
  private func findings(_ page: String) throws -> [(text: String, link: String)] {
    let list = try #require(
      page.split(separator: "id=\"findings\"").last?.split(separator: "</section>").first?
        .split(separator: "</ol>").first
    )
    return try list.split(separator: "<li>").dropFirst().map { item in
      (String(item), String(try #require(item.firstMatch(of: /href="#([^"]+)"/)?.1)))
    }
  }

  @Test func `the first finding names the party, the numbers and the certainty, and links to its evidence`()
    async throws
  {
    let page = try await page(["--fraud", "inflate-coarse,forwarder=adjust,share=0.8"], count: 5000)
    let findings = try findings(page)
    #expect((1...5).contains(findings.count))
    let first = try #require(findings.first)
    #expect(first.text.contains("<strong>The forwarder adjust raised the conversion value in "), "\(first.text)")
    #expect(first.text.contains("By chance, "))
    #expect(first.text.contains("since 2026-") || first.text.contains("in the whole period"))
    #expect(first.text.contains(" USD in decoded revenue"))
    #expect(first.link.hasPrefix("signal-"))
    for finding in findings { #expect(page.contains("id=\"\(finding.link)\""), "\(finding.link)") }
  }

  @Test func `lost attributions that are presented as won are a finding of the diagnosis`() async throws {
    let page = try await page(["--fraud", "flip-win,forwarder=network-1,share=0.8"], report: ["--diagnose"])
    let findings = try findings(page)
    let edits = try #require(findings.first { $0.link == "tampering" })
    #expect(edits.text.contains("The forwarder network-1 presented lost attributions as won in "), "\(edits.text)")
    #expect(edits.text.contains("This is certain: Apple&#39;s signature fits the original."))
  }

  @Test func `a clean dump has no suspicion, and the page says what was tested`() async throws {
    let page = try await page([])
    #expect(try findings(page).allSatisfy { !$0.text.contains("<strong>") })
    #expect(page.contains("No alarm in "))
    #expect(page.contains("<h3 id=\"not-tested\">"))
  }
}
