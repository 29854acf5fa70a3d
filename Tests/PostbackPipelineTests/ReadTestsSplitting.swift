import JSON
import Testing

@testable import PostbackPipeline

@Suite struct `A text in memory` {
  private func split(_ text: String, limit: Int = 100) throws -> [String] {
    let split = try SplitRecords(of: Array(text.utf8).span, recordBytes: limit)
    return split.records.map { String(decoding: split.bytes[$0.bytes.indices], as: UTF8.self) }
  }

  @Test func `is split as a file is`() throws {
    #expect(try split("") == [])
    #expect(try split("  \n") == [])
    #expect(try split(#"{"a":1}"#) == [#"{"a":1}"#])
    #expect(try split("{\"a\":1}\nx\n{\n\"b\":2\n}") == [#"{"a":1}"#, "x", "{\n\"b\":2\n}"])
    #expect(try split(#"[{"a":1},2,[3]]"#) == [#"{"a":1}"#, "2", "[3]"])
    #expect(try split(#"[{"a":1}"#) == [#"{"a":1}"#, ""])
  }

  @Test func `may hold more than a batch`() throws {
    let lines = (0..<20_000).map { #"{"n":\#($0)}"# }
    #expect(try split(lines.joined(separator: "\n")) == lines)
    #expect(try split("[" + lines.joined(separator: ",") + "]") == lines)
  }

  @Test func `says which record is too long`() throws {
    let split = try SplitRecords(of: Array("{}\n\(String(repeating: "x", count: 101))\n{}".utf8).span, recordBytes: 100)
    #expect(split.records.map(\.line) == [1, 2, 3])
    #expect(split.records.map { $0.defect != nil } == [false, true, false])
  }
}
