import Testing

@testable import PostbackView

@Suite struct `A download` {
  @Test func `quotes what would end a cell, and guards what would be a formula`() {
    var csv = ViewCSV(["a", "b"])
    csv.add([("=1+1", true), ("-5", false)])
    csv.add([("a,\"b\"\nc", true), nil])
    csv.add([("", true), ("''@x", true)])
    #expect(
      String(decoding: csv.bytes, as: UTF8.self)
        == "a,b\r\n'=1+1,-5\r\n\"a,\"\"b\"\"\nc\",\r\n\"\",'''@x\r\n"
    )
  }
}

@Suite struct `A cell of a download` {
  @Test(arguments: ["=1", "+1", "-1", "@A1", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠A1", "'=1"])
  func `is no formula, also behind apostrophes and in full-width forms`(_ text: String) {
    var csv = ViewCSV([])
    csv.add([(text, true), (text, false)])
    let cells = String(decoding: csv.bytes.dropFirst(2), as: UTF8.self).replacing("\"", with: "")
    #expect(cells == "'\(text),\(text)\r\n")
  }

  @Test(arguments: ["1", "a=1", " =1", "＇", "\u{FF1C}", "''a", "¼"]) func `is as it was otherwise`(_ text: String) {
    var csv = ViewCSV([])
    csv.add([(text, true)])
    #expect(String(decoding: csv.bytes.dropFirst(2), as: UTF8.self) == "\(text)\r\n")
  }
}

@Suite struct `The parameters of an address` {
  @Test func `are refused by name where they are unknown or wrong`() throws {
    let parameters = try ViewParameters("since=2026-13-01&limit=0&by=x&since=2026-02-30")
    #expect(throws: ViewDefect.self) { try parameters.allow(["by"]) }
    #expect(throws: ViewDefect.self) { try parameters.day("since") }
    #expect(throws: ViewDefect.self) { try parameters.integer("limit", in: 1...5) }
    #expect(throws: ViewDefect.self) { try parameters.word("by", of: ["y"]) }
    #expect(try parameters.day("until") == nil)
    let many = (0...200).map { "a=\($0)" }.joined(separator: "&")
    #expect(throws: ViewDefect.self) { try ViewParameters(many) }
  }

  @Test func `are decoded, and keep hostile text as text`() throws {
    let parameters = try ViewParameters("where=a:%3Cb%3E+c&where=d%3Ae%26f")
    #expect(parameters.all("where") == ["a:<b> c", "d:e&f"])
  }
}
