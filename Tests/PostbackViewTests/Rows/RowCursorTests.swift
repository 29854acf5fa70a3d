import Testing

@testable import PostbackView

@Suite struct `The place of the next page` {
  @Test func `is read as it was written`() throws {
    let cursor = try #require(RowCursorText(RowCursorText(part: 12, place: 345).text))
    #expect(cursor.part == 12 && cursor.place == 345)
  }

  @Test(arguments: ["", "1", "1-", "-1", "-1-2", "1-2-3", "1-99999999999999999999", "a-b", "1--2"])
  func `is refused in another form`(_ text: String) { #expect(RowCursorText(text) == nil) }
}

@Suite struct `A search in bytes` {
  @Test func `finds what is there, and nothing else`() {
    let bytes = Array("abcabd".utf8)
    for text in ["", "a", "abd", "abcabd", "d"] { #expect(bytes.holds(Array(text.utf8)), "\(text)") }
    for text in ["x", "abe", "abcabda", "db"] { #expect(!bytes.holds(Array(text.utf8)), "\(text)") }
    #expect(![UInt8]().holds([1]))
  }
}
