import Testing

@testable import Answers

@Suite struct `A table of text` {
  private var table: TextTable {
    var table = TextTable(["code", "rows", "received", "meaning"], numbersIn: [1], timesIn: [2])
    table.add("signature_invalid", "12", "2026-03-10T00:00:00Z", "No trusted key signed this content.")
    table.add("too\nlarge", "7", "2026-03-11T00:00:00Z", "The record has too many bytes.")
    return table
  }

  @Test(arguments: [30, 40, 60, 80, 100, 132, 250]) func `fits the width`(_ width: Int) {
    let lines = table.text(width: width).split(separator: "\n")
    #expect(lines.count == 3 && lines.allSatisfy { $0.count <= width })
    // Numbers are never cut.
    #expect(lines[1].contains("12") && lines[2].contains("7"))
  }

  @Test func `is complete without a width, with its numbers at the right`() {
    #expect(
      table.text(indent: 2, width: nil) == """
          code               rows  received              meaning
          signature_invalid    12  2026-03-10T00:00:00Z  No trusted key signed this content.
          too\\u{a}large         7  2026-03-11T00:00:00Z  The record has too many bytes.
        """
    )
  }

  @Test(arguments: [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 4, "日…"), ("a", 0, ""), ("e\u{301}x", 2, "e\u{301}x"),
  ])
  func `cuts a text by its columns`(_ text: String, _ limit: Int, _ expected: String) {
    #expect(text.shortened(toColumns: limit) == expected)
    #expect(expected.columns <= limit)
  }
}
