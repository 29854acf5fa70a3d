@testable import PostbackPipeline
import Foundation
import JSON
import TestSupport
import Testing

@testable import postback

@Suite struct `postback report` {
  @Test func `is identical for any number of cores`() async throws {
    let site = try await RejectsSite.shared.value
    var pages: [[UInt8]] = []
    for jobs in ["1", "3"] {
      let result = try await BuiltCommand.run(["report", site.out, "--html", "-", "--sample", "100", "--jobs", jobs])
      #expect(result.status == 0, "\(result.errorText)")
      pages.append(result.output)
    }
    #expect(pages[0] == pages[1])
    #expect(pages[0].count > 20_000)
  }

  @Test func `uses the times of receipt in envelopes, which broken lines lack`() async throws {
    let site = try await RejectsSite.shared.value
    let folder = try TemporaryFolder()
    let broken = try folder.makeFile("broken", holding: Array("{\"version\":\nnothing\n".utf8))
    // A file of today, long after the envelopes.
    let inputs = [site.folder.path("dump"), broken]
    #expect(try await BuiltCommand.run(["run"] + inputs + ["--out", folder.path("out")] + site.keys).status == 0)
    let page = try await BuiltCommand.run(["report", folder.path("out"), "--html", "-"]).text
    let rejects = try JSONObject.lines(try folder.contents(of: "out/skan_rejects/part-00000001.jsonl"))
    let postbacks = try JSONObject.lines(try folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
    func times(_ rows: [JSONObject], _ source: String) -> [String] {
      rows.filter { $0.cell("received_at_source") == source }.compactMap { $0.cell("received_at") }.sorted()
    }
    let (own, ofFile) = (times(rejects + postbacks, "envelope"), times(rejects + postbacks, "file_mtime"))
    #expect(ofFile.count > 2 && own.count > 2000)
    #expect(page.contains("Records were received from \(own[0]) to \(own[own.count - 1]), by their envelopes."))
    #expect(
      page.contains(
        "Records dated only by the time of their file are counted, but not part of this span: \(ofFile.count)."
      )
    )
    let steps = try #require(ReportedTable("Rejects by code and time of receipt (UTC)", in: page)).rows
    let days = own[0].prefix(10)...own[own.count - 1].prefix(10)
    #expect(steps.allSatisfy { days.contains($0[0].prefix(10)) })
    let codes = try #require(ReportedTable("Rejects by code", in: page)).rows
    for code in codes {
      let seen = times(rejects.filter { $0.cell("reject_code") == code[0] }, "envelope")
      #expect(code[3] == seen.first ?? "unknown" && code[4] == seen.last ?? "unknown")
      #expect(code[1] == "\(rejects.count { $0.cell("reject_code") == code[0] })")
    }
  }

  @Test(arguments: [[], ["--received-at", "2026-03-10T00:00:00Z"]])
  func `uses the time of the option or the file if no record has its own time of receipt`(_ options: [String])
    async throws
  {
    let folder = try TemporaryFolder()
    let file = Fixtures.path("postbacks/skadnetwork-3.0.jsonl")
    #expect(try await BuiltCommand.run(["run", file, "--out", folder.path("out")] + options).status == 0)
    let page = try await BuiltCommand.run(["report", folder.path("out"), "--html", "-"]).text
    #expect(page.contains(options.isEmpty ? "by the time of their file." : "by --received-at."))
    #expect(!page.contains("are counted, but not part of"))
  }

  @Test func `explains why postbacks are not decoded`() async throws {
    let folder = try TemporaryFolder()
    let site = try await RejectsSite.shared.value
    let run = try await BuiltCommand.run(
      ["run", site.folder.path("dump"), "--models", Fixtures.path("models"), "--out", folder.path("out")] + site.keys
    )
    #expect(run.status == 0, "\(run.errorText)")
    let postbacks = try JSONObject.lines(try folder.contents(of: "out/skan_postbacks/part-00000001.jsonl"))
    let counts = Dictionary(grouping: postbacks) { $0.cell("decode_status") ?? "" }.mapValues(\.count)
    let page = try await BuiltCommand.run(["report", folder.path("out"), "--html", "-"]).text
    let rows = try #require(ReportedTable("Unique postbacks that are not decoded", in: page)).rows
    #expect(rows.map { $0[0] } == ["null", "unmapped", "no_model", "ambiguous", "not_won"])
    for row in rows { #expect(row[1] == "\(counts[row[0]] ?? 0)") }
    #expect((counts["null"] ?? 0) > 0 && (counts["not_won"] ?? 0) > 0)
  }

  @Test func `is a valid page for empty tables`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    let empty = try folder.makeFile("empty")
    #expect(try await BuiltCommand.run(["run", empty, "--out", out]).status == 0)
    let result = try await BuiltCommand.run(["report", out, "--html", "-"])
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.contains("All 0 rejects."))
    #expect(!result.text.contains("nan") && !result.text.contains("inf "))
  }

  @Test func `escapes text in markup, attributes and JSON`() throws {
    var generator = SplitMix(seed: 3)
    let pieces = [
      "<", ">", "&", "\"", "'", "</script>", "<!--", "\u{2028}", "\u{0}", "é", "a", "\\", "]]>", "\u{202E}",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0..<12, using: &generator)).map { _ in pieces.randomElement(using: &generator)! }
        .joined()
      let html: HTML = "<p title=\"\(text)\">\(text)</p>"
      let inside = html.markup.dropFirst("<p title=\"".count).dropLast("</p>".count)
      #expect(inside.filter { $0 == "<" || $0 == "\"" || $0 == "'" }.count == 1)
      let json = HTML.script(.object([.init("text", .string(text))])).markup
      #expect(!json.contains { "<>&\u{2028}\u{2029}".contains($0) })
      #expect(try JSONValue(parsing: Array(json.utf8))["text"]?.text == text)
    }
  }

  @Test(arguments: [[], ["out"], ["--html", "x"], ["-", "--html", "x"], ["out", "--html", ""]])
  func `exits with 64 for a wrong command line`(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(["report"] + arguments)
    #expect(result.status == 64)
  }

  @Test func `exits with 73 if the file exists`() async throws {
    let site = try await RejectsSite.shared.value
    let folder = try TemporaryFolder()
    let file = try folder.makeFile("report.html", holding: [1])
    let result = try await BuiltCommand.run(["report", site.out, "--html", file])
    #expect(result.status == 73)
    #expect(try folder.contents(of: "report.html") == [1])
  }
}
