import PageMarkup
import Analysis
import FraudSignals
import JSON
import TestSupport
import Testing

@testable import ReportPages

@Suite struct `The page of a report` {
  @Test func `is valid for empty tables, and names the commands for what is missing`() async throws {
    let tables = try WrittenTables()
    let page = try await tables.page()
    #expect(page.contains("All 0 rejects."))
    #expect(!page.contains("nan") && !page.contains("inf "))
    #expect(page.contains("<code>postback daily \(tables.out)</code>"))
    #expect(page.contains("<code>postback settle \(tables.out) --lookups DIR</code>"))
    #expect(!page.contains("id=\"implementation\"") && !page.contains("id=\"search-ads\""))
  }

  @Test func `uses the times of receipt in envelopes, which broken lines lack`() async throws {
    // A file of today, long after the envelopes.
    let ofFile = ["received_at": #""2026-06-01T00:00:00Z""#, "received_at_source": #""file_mtime""#]
    let page = try await WrittenTables(
      [["received_at": #""2026-03-02T10:00:00Z""#], ["received_at": #""2026-03-05T00:00:00Z""#]],
      rejects: [
        ["received_at": #""2026-03-01T00:00:00Z""#], ofFile, ofFile.merging(["reject_code": #""too_large""#]) { $1 },
        ["received_at": #""2026-03-09T23:00:00Z""#],
      ]
    ).page()
    #expect(page.contains("received from 2026-03-01T00:00:00Z to 2026-03-09T23:00:00Z, by their envelopes."))
    #expect(
      page.contains("Records dated only by the time of their file are counted, but not part of this span: 2.")
    )
    let steps = try #require(ReportedTable("Rejects by code and time of receipt (UTC)", in: page)).rows
    #expect(steps.map { $0[0].prefix(10) } == ["2026-03-01", "2026-03-09"])
    let codes = try #require(ReportedTable("Rejects by code", in: page)).rows
    #expect(
      codes.map { Array($0[0...4]) } == [
        ["not_json", "3", "75.0 %", "2026-03-01T00:00:00Z", "2026-03-09T23:00:00Z"],
        ["too_large", "1", "25.0 %", "unknown", "unknown"],
      ]
    )
  }

  @Test(arguments: [("file_mtime", "by the time of their file."), ("option", "by --received-at.")])
  func `uses the time of the option or the file if no record has its own time of receipt`(
    _ source: String,
    _ words: String
  )
    async throws
  {
    let page = try await WrittenTables([["received_at_source": "\"\(source)\""]]).page()
    #expect(page.contains(words))
    #expect(!page.contains("are counted, but not part of"))
  }

  @Test func `explains why postbacks are not decoded`() async throws {
    let statuses = ["decoded", "null", "null", "unmapped", "no_model", "no_model", "no_model", "not_won"]
    let page = try await WrittenTables(statuses.map { ["decode_status": "\"\($0)\""] }).page()
    let rows = try #require(ReportedTable("Unique postbacks that are not decoded", in: page)).rows
    #expect(rows.map { $0[0] } == ["null", "unmapped", "no_model", "ambiguous", "not_won"])
    #expect(rows.map { $0[1] } == ["2", "1", "3", "0", "1"])
  }

  @Test func `counts rare values of a dimension together`() async throws {
    let forwarders = (0..<600).map { index in index < 300 ? "f\(index % 10)" : "rare\(index)" }
    let page = try await WrittenTables(rejects: forwarders.map { ["forwarder": "\"\($0)\""] }).page()
    let cube = try WrittenTables.data("cube", in: page)
    let found = try #require(cube["forwarder"]?.elements)
    #expect(found.count == 13)
    #expect(found.prefix(10).allSatisfy { $0.text?.hasPrefix("f") == true })
    #expect(found.last?.integer == 0)
    let counts = (cube["counts"]?.elements ?? []).compactMap { $0.integer.map { Int($0) } }
    var others = 0
    for at in stride(from: 0, to: counts.count, by: 6) where counts[at + 1] == 12 { others += counts[at + 5] }
    #expect(others == 298)
    #expect(page.contains("are together, as “others”."))
  }

  @Test func `shows a sample with every code first, and says that it is one`() async throws {
    let rejects = (0..<300).map {
      ["reject_code": $0 < 290 ? #""not_json""# : #""too_large""#, "raw_sha256": "\"\($0)\""]
    }
    let page = try await WrittenTables(rejects: rejects).page(sample: 40)
    let rows = try #require(try WrittenTables.data("data", in: page)["rows"]?.elements)
    #expect(
      rows.count <= 40 && Set(rows.prefix(2).compactMap { $0["reject_code"]?.text }) == ["not_json", "too_large"]
    )
    #expect(page.contains("A sample of \(rows.count) of 300 rejects, at most 40"))
    #expect(rows[0]["raw_body"]?.text == "<b>" && !page.contains("<b>\""))
  }

  @Test func `has the words of the docs`() {
    let page = Glossary.html.markup
    let docs = String(decoding: Fixtures.bytes("../docs/analysts.md"), as: UTF8.self)
    for entry in Glossary.entries {
      #expect(docs.contains("| \(entry.word) | \(entry.others) | \(entry.meaning) |"), "\(entry.word)")
      let word: HTML = "<dt>\(entry.word)</dt>"
      #expect(page.contains(word.markup))
    }
  }

  @Test func `has the findings about the app that another command printed`() throws {
    let answer = """
      {"app_versions":[{"app_version":"<b>3.1","verdict":"fail","devices":4,"failing_devices":1,"warned_devices":0}],\
      "devices":4,"findings":[{"rule":"fine_range","severity":"error","devices":1,"rows":2,"advice":"Send 0 to 63."}]}
      """
    let section = try #require(ImplementationSection(parsing: Array(answer.utf8))).html.markup
    #expect(
      try #require(ReportedTable("Versions of the app", in: section)).rows == [["&lt;b&gt;3.1", "fail", "4", "1", "0"]]
    )
    let rules = try #require(ReportedTable("Rules that devices break", in: section)).rows
    #expect(rules == [["fine_range", "error", "1", "25.0 %", "2", "Send 0 to 63."]])
    for other in ["", "{}", #"{"app_versions":[],"findings":[]}"#, "[1]"] {
      #expect(ImplementationSection(parsing: Array(other.utf8)) == nil, "\(other)")
    }
    let none = #"{"app_versions":[],"findings":[],"devices":0}"#
    #expect(ImplementationSection(parsing: Array(none.utf8))?.html.markup.contains("No rule is broken.") == true)
  }
}
