import JSON
import TestSupport
import Testing

@testable import PageMarkup

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
}
