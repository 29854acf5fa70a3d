import JSON
import Testing

@testable import PostbackPipeline

@Suite struct `A text in memory` {
  /// The records of a text that is passed in pieces of `chunk` bytes, with their content.
  private func records(_ text: String, limit: Int = 100, pieces: Int) throws -> [(record: Record, text: String)] {
    var splitter = try RecordSplitter(recordBytes: limit)
    var found: [(record: Record, text: String)] = []
    func take(_ batch: (bytes: [UInt8], records: [Record])) {
      found += batch.records.map { ($0, String(decoding: batch.bytes[$0.bytes.indices], as: UTF8.self)) }
    }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let piece = Array(rest.prefix(pieces))
      rest = rest.dropFirst(try splitter.split(piece.span))
      take(splitter.take())
    }
    try splitter.finish()
    take(splitter.take())
    return found
  }

  private func split(_ text: String) throws -> [String] {
    let whole = try records(text, pieces: .max).map(\.text)
    #expect(try records(text, pieces: 7).map(\.text) == whole)
    return whole
  }

  @Test func `is split into records as a file is`() throws {
    #expect(try split("") == [])
    #expect(try split("  \n") == [])
    #expect(try split(#"{"a":1}"#) == [#"{"a":1}"#])
    #expect(try split(#"{"a":1}{"b":2} {}"#) == [#"{"a":1}"#, #"{"b":2}"#, "{}"])
    #expect(try split("{\"a\":1}\nx\n{\n\"b\":2\n}") == [#"{"a":1}"#, "x", "{\n\"b\":2\n}"])
    #expect(try split(#"[{"a":1},2,[3]]"#) == [#"{"a":1}"#, "2", "[3]"])
    #expect(try split(#"[{"a":1}"#) == [#"{"a":1}"#, ""])
  }

  @Test func `can hold more than a batch`() throws {
    let lines = (0..<20_000).map { #"{"n":\#($0)}"# }
    #expect(try split(lines.joined(separator: "\n")) == lines)
    #expect(try split(lines.joined()) == lines)
    #expect(try split("[" + lines.joined(separator: ",") + "]") == lines)
  }

  @Test func `reports which record is too long`() throws {
    let records = try records("{}\n\(String(repeating: "x", count: 101))\n{}", pieces: 10)
    #expect(records.map(\.record.line) == [1, 2, 3])
    #expect(records.map { $0.record.defect != nil } == [false, true, false])
  }
}
