import Signatures
import TestSupport
import Testing

@testable import PostbackPipeline

extension FramingCase {
  /// Values that contain lines which look like complete records; each value is one record.
  static let whole = [
    Self(
      "no indentation, with lists of objects",
      "{\n\"list\": [\n{\n\"a\": 1\n},\n{\"b\":2}\n]\n}\n{}",
      ("{\n\"list\": [\n{\n\"a\": 1\n},\n{\"b\":2}\n]\n}", 1),
      ("{}", 9)
    ),
    Self(
      "elements without indentation, with lists of objects",
      "[\n{\n\"list\": [\n{\n\"a\": 1\n},\n{\"b\":2}\n]\n},\n{}\n]",
      ("{\n\"list\": [\n{\n\"a\": 1\n},\n{\"b\":2}\n]\n}", 2),
      ("{}", 10)
    ),
    Self(
      "lists of lists without indentation",
      "[\n{\n\"list\":\n[\n[\n1\n],\n[\n]\n]\n},\n{}\n]",
      ("{\n\"list\":\n[\n[\n1\n],\n[\n]\n]\n}", 2),
      ("{}", 12)
    ),
    Self("a brace below its key", "{\"a\":\n{\n\"b\":\n{}\n}\n}\n{}", ("{\"a\":\n{\n\"b\":\n{}\n}\n}", 1), ("{}", 7)),
    Self("commas at the start", "{\"a\":{}\n, \"b\":{}\n}\n{}", ("{\"a\":{}\n, \"b\":{}\n}", 1), ("{}", 4)),
    Self(
      "printed objects on one line end",
      "{\n\"a\":1\n}{\n\"b\":2\n} {}",
      ("{\n\"a\":1\n}", 1),
      ("{\n\"b\":2\n}", 3),
      ("{}", 5)
    ),
  ]

  /// Broken values that must not affect the records after them.
  static let recovery = [
    Self("cut before indented lines", "{\"a\":1,\n  {\"b\":2}\n  {}", ("{\"a\":1,", 1), ("{\"b\":2}", 2), ("{}", 3)),
    Self("cut before a value", "{\"a\":\n\n\t{\"b\":2}\n{}\n", ("{\"a\":", 1), ("{\"b\":2}", 3), ("{}", 4)),
    Self("cut before a value at the end", "{\"a\":\n{\"b\":2}", ("{\"a\":", 1), ("{\"b\":2}", 2)),
    Self("cut in a list", "{\"a\":[\n{\"b\":2}\n{}\n", ("{\"a\":[", 1), ("{\"b\":2}", 2), ("{}", 3)),
    Self(
      "cut before a printed object",
      "{\"a\":\n  {\n    \"b\": 2\n  }\n{}",
      ("{\"a\":", 1),
      ("{\n    \"b\": 2\n  }", 2),
      ("{}", 5)
    ),
    Self(
      "each cut line is a record",
      "{\"a\":\n{\"b\":[\n{\"c\":3}\n{\"d\":\n {\"e\":\n{\"f\":\n{}",
      ("{\"a\":", 1),
      ("{\"b\":[", 2),
      ("{\"c\":3}", 3),
      ("{\"d\":", 4),
      ("{\"e\":", 5),
      ("{\"f\":", 6),
      ("{}", 7)
    ),
    Self(
      "other lines behind a cut one",
      "{\"a\":[\n1\n\"x\"\n{\n}\n{\"b\":\nOK\n[{}]\n",
      ("{\"a\":[", 1),
      ("1", 2),
      ("\"x\"", 3),
      ("{\n}", 4),
      ("{\"b\":", 6),
      ("OK", 7),
      ("{}", 8)
    ),
    Self("a brace alone, then garbage", "{\nOK\n{}", ("{", 1), ("OK", 2), ("{}", 3)),
    Self(
      "a printed object that is broken is one record",
      "{\n  \"a\": 1\n  \"b\": 2,\n}\n{\n  \"a\": x y\n}\n{}",
      ("{\n  \"a\": 1\n  \"b\": 2,\n}", 1),
      ("{\n  \"a\": x y\n}", 5),
      ("{}", 8)
    ),
    Self(
      "an element cut before a value",
      "[\n{\"a\":\n{\"b\":2},\n{\"c\":3}\n]\n{}",
      ("{\"a\":", 2),
      ("{\"b\":2}", 3),
      ("{\"c\":3}", 4),
      ("{}", 6)
    ),
    Self(
      "an element cut in a list",
      "[\n{\"a\":[\n{\"b\":2},\n{\"c\":3}\n]\n{}",
      ("{\"a\":[", 2),
      ("{\"b\":2}", 3),
      ("{\"c\":3}", 4),
      ("{}", 6)
    ),
    Self("an element that is broken on its line", "[{\"a\":1 2},{\"b\":2}]", ("{\"a\":1 2}", 1), ("{\"b\":2}", 1)),
    Self(
      "brackets that do not match",
      "{\"a\":[1}\n{\"b\":2]\n{\n\"c\":[3}\n]\n{}",
      ("{\"a\":[1}", 1),
      ("{\"b\":2]", 2),
      ("{\n\"c\":[3}\n]", 3),
      ("{}", 6)
    ),
  ]
}

@Suite struct `Framing after defects` {
  @Test(arguments: FramingCase.whole + FramingCase.recovery)
  func `ends records where their JSON ends, for chunks of any size`(_ framing: FramingCase) throws {
    for chunk in 1...framing.text.utf8.count {
      #expect(try framed(framing.text, chunk: chunk) == framing.records, "chunks of \(chunk)")
    }
  }

  @Test(arguments: ["{\"a\":[\n", "{\"a\":\n", "  {\"a\":[{\"b\":\n"])
  func `makes one record of each truncated line`(_ line: String) throws {
    let count = 3000
    let records = try framed(String(repeating: line, count: count) + "{\"b\":2}\n{}")
    #expect(records.map(\.line) == Array(1...count + 2))
    #expect(records.suffix(2).map(\.text) == ["{\"b\":2}", "{}"])
  }

  @Test(arguments: ["{\"a\":[\n", "{\"a\":[\n{},\n", "[{\"a\":[\n{\"b\":1},\n"], [7, 4096])
  func `keeps batches small, and the same, for any defects`(_ lines: String, chunk: Int) throws {
    let text = Array(String(repeating: lines, count: 5000).utf8)
    let limits = ReadLimits(recordBytes: 1000, batchBytes: 2000, batchRecords: 100)
    var framer = try Framer(limits: limits)
    var counts: [Int] = []
    var records: [FramedRecord] = []
    func take(_ framer: inout Framer) {
      let (bytes, batch) = framer.take()
      counts.append(batch.count)
      records += batch.map { FramedRecord($0, in: bytes) }
    }
    var start = 0
    while start < text.count {
      let end = min(text.count, start + chunk)
      start += try framer.frame(text.span.extracting(start..<end))
      if framer.isFull { take(&framer) }
    }
    try framer.finish()
    take(&framer)
    #expect(counts.count > 30 && (counts.max() ?? 0) < 500)
    #expect(try framed(text) == records)
  }

  @Test func `makes one record of a valid value above the limit with any number of lines`() throws {
    let lines = String(repeating: "{\"transaction-id\":1},\n", count: 8000) + "{}\n"
    let texts = ["{\n\"list\": [\n\(lines)]\n}", "{\"list\":[\n\(lines)]}"]
    for text in texts {
      for whole in ["\(text)\n{\"b\":2}\n", "[\n\(text),\n{\"b\":2}\n]"] {
        let records = try framed(whole, chunk: 4096)
        try #require(records.count == 2)
        var sha = try SHA256()
        let digest = try sha.digest(of: Array(text.utf8).span)
        #expect(records[0].defect == .tooLarge(byteCount: text.utf8.count, digest: digest))
        #expect(records[1].text == "{\"b\":2}")
      }
    }
  }

  @Test(arguments: [1, 7, 20, 4096])
  func `separates a truncated line above the limit from the next line`(chunk: Int) throws {
    let limits = ReadLimits(recordBytes: 20)
    let long = "{\"a\":\"" + String(repeating: "x", count: 50) + "\",\"b\":"
    let records = try framed("\(long)\n  {\"c\":3}\n\(long)[\n{\"d\":4}\n{}\n", chunk: chunk, limits: limits)
    #expect(records.map(\.line) == [1, 2, 3, 4, 5])
    #expect([1, 3, 4].map { records[$0].text } == ["{\"c\":3}", "{\"d\":4}", "{}"])
    guard case .tooLarge = records[0].defect, case .tooLarge = records[2].defect else {
      Issue.record("\(records)")
      return
    }
  }

  @Test func `applies the limit to each record, not to the broken value that contains it`() throws {
    let limits = ReadLimits(recordBytes: 20)
    let records = try framed("{\"a\":[1,2,3,\n{\"b\":[1,2,3,4]}\n{\"c\":3}", limits: limits)
    #expect(
      records == [.init("{\"a\":[1,2,3,", line: 1), .init("{\"b\":[1,2,3,4]}", line: 2), .init("{\"c\":3}", line: 3)]
    )
  }
}
