import PageMarkup
import TestSupport
import Testing

@testable import ReportPages

@Suite struct `The elements of a page` {
  @Test(arguments: [
    ("adjust", "#forwarder=adjust&at=flow"), ("~a b&c=d#", "#forwarder=~~a%20b%26c%3Dd%23&at=flow"),
    ("\u{202E}é", "#forwarder=%5Cu%7B202e%7D%C3%A9&at=flow"),
  ])
  func `has links with a filter, percent-encoded`(_ name: String, _ fragment: String) {
    #expect(ReportLink(.forwarder, name, at: "flow").fragment == fragment)
  }

  @Test func `has the first 20 rows of a long table, and the others where the reader opens them`() throws {
    let html = HTML.longTable("Rows", ["name", "number"], 0..<1500) { $1.add("n\($0)", .number($0)) }
    let (first, others) = (ReportedTable("Rows", in: html.markup), ReportedTable("Rows: the others", in: html.markup))
    #expect(try #require(first).rows.map { $0[1] } == (0..<20).map { "\($0)" })
    #expect(try #require(others).rows.map { $0[0] } == (20..<1000).map { "n\($0)" })
    #expect(html.markup.contains("<summary>980 more</summary>"))
    let short = HTML.longTable("Rows", ["name"], 0..<20) { index, table in table.add("n\(index)") }
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
