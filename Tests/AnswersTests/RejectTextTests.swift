import JSON
import Testing

@testable import Answers

@Suite struct `The text of rejects` {
  @Test func `has a line for each cell, and the body with its control characters escaped`() {
    let row = RejectedRow(Array(#"{"reject_code":"not_json","stage":null,"raw_body":"{\u001b[2J"}"#.utf8))
    #expect(row.text == "reject_code  not_json\n  {\\u{1b}[2J")
    #expect(row.firstOfConflict == nil)
  }

  @Test func `shows bytes that are no text, and nothing for a line that is no row`() {
    #expect(RejectedRow(Array(#"{"raw_body_base64":"Yf8="}"#.utf8)).text == "  a\\xff")
    #expect(RejectedRow(Array("[".utf8)).text == "  ")
  }

  @Test func `names the first copy of a conflict`() {
    let line = #"{"reject_code":"duplicate_conflict","first_seen_postback_key":"ab"}"#
    #expect(RejectedRow(Array(line.utf8)).firstOfConflict == "ab")
  }

  @Test(arguments: [(1, 3, "33.3 %"), (0, 5, "0.0 %"), (1, 100_000, "< 0.1 %"), (5, 5, "100.0 %"), (0, 0, "-")])
  func `has shares`(_ part: Int, _ whole: Int, _ text: String) {
    #expect("\(Share(part, of: whole))" == text)
    #expect(JSONValue.share(part, of: whole) == .null || whole > 0)
  }

  @Test(arguments: [("a", "a"), ("", "\"\""), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("a\nb", "\"a\nb\"")])
  func `has fields of CSV`(_ text: String, _ field: String) {
    #expect(text.csvField == field)
  }

  @Test(arguments: [("=1+1", "'=1+1"), ("@x", "'@x"), ("plain", "plain"), ("", "")])
  func `has no formula in a field`(_ text: String, _ field: String) {
    #expect(text.withoutFormula == field)
  }

  @Test func `has the words of analysts for fields in either notation`() {
    #expect(FieldWords.name("conversion_value") == "the fine value")
    #expect(FieldWords.name("source-app-id") == FieldWords.name("publisher_item_identifier"))
    #expect(FieldWords.name("forwarder") == "forwarder")
  }

  @Test func `shortens values so that their difference stays visible`() {
    func texts(_ values: [String?]) -> [String] {
      DifferingTexts(values.map { $0.map { Array($0.utf8) } }, width: 8).texts
    }
    #expect(texts(["1", nil]) == ["1", "absent"])
    #expect(texts(["", "absent", nil]) == ["\"\"", "\"absent\"", "absent"])
    #expect(texts(["x", "x "]) == ["x", "\"x \""])
    #expect(texts(["aaaaaaaaaa1", "aaaaaaaaaa2"]) == ["…aa1", "…aa2"])
    #expect(texts(["a" + String(repeating: "\u{301}", count: 5000), "b"])[0].unicodeScalars.count == 8)
    #expect(texts(["\u{e9}", "e\u{301}"]).map { Array($0.utf8) } == [[0xC3, 0xA9], [0x65, 0xCC, 0x81]])
  }
}
