import JSON
import TestSupport
import Testing

@testable import ReportPages

@Suite struct `The markup of a page` {
  @Test func `escapes text in elements, attributes and JSON`() throws {
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

  @Test func `keeps combined characters, and makes control and format characters visible`() {
    let html: HTML = "<b>\("e\u{301} 👩‍👧 \u{7}")</b>"
    #expect(html.markup == "<b>e\u{301} 👩\\u{200d}👧 \\u{7}</b>")
    let text = "a&b"
    #expect(HTML(text).markup == "a&amp;b")
  }

  @Test(arguments: [
    ("adjust", "#forwarder=adjust&at=flow"), ("~a b&c=d#", "#forwarder=~~a%20b%26c%3Dd%23&at=flow"),
    ("\u{202E}é", "#forwarder=%5Cu%7B202e%7D%C3%A9&at=flow"),
  ])
  func `has links with a filter, percent-encoded`(_ name: String, _ fragment: String) {
    #expect(ReportLink(.forwarder, name, at: "flow").fragment == fragment)
  }

  @Test func `has the first 20 rows of a long table, and the others where the reader opens them`() throws {
    let html = HTML.longTable("Rows", ["name", "number"], 1500) { index, table in table.add("n\(index)", .number(index))
    }
    let (first, others) = (ReportedTable("Rows", in: html.markup), ReportedTable("Rows: the others", in: html.markup))
    #expect(try #require(first).rows.map { $0[1] } == (0..<20).map { "\($0)" })
    #expect(try #require(others).rows.map { $0[0] } == (20..<1000).map { "n\($0)" })
    #expect(html.markup.contains("<summary>980 more</summary>"))
    let short = HTML.longTable("Rows", ["name"], 20) { index, table in table.add("n\(index)") }
    #expect(!short.markup.contains("<details"))
  }

  @Test func `breaks only words that are too long for a column`() {
    var table = NumberTable("Words", ["name", "text", "time", "share"])
    table.add("a", .text(String(repeating: "x", count: 29)), .time("2026-03-10"), .share(1, of: 3))
    table.add("b", .text(String(repeating: "word ", count: 9)), .time(""), .share(0, of: 0))
    for cell in [
      "<td class=\"long\">xx", "<td class=\"prose\">word", "<td class=\"time\">2026", "<td class=\"number\">33.3 %",
    ] {
      #expect(table.html.markup.contains(cell), "\(cell)")
    }
    #expect(table.html.markup.contains("<th scope=\"col\" class=\"number\">share</th>"))
    #expect(table.html.markup.contains("<th scope=\"col\">text</th>"))
  }
}
