import Signatures
import Testing

@testable import PostbackPipeline

/// A text and its expected records.
struct FramingCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var text: String
  var records: [FramedRecord]

  init(_ rule: String, _ text: String, _ records: (String, Int)...) {
    testDescription = rule
    self.text = text
    self.records = records.map { FramedRecord($0.0, line: $0.1) }
  }

  static let unclosed = FramingDefect.truncatedInput("The array is not closed.")

  func notClosed(_ rest: String, line: Int) -> Self {
    var copy = self
    copy.records.append(FramedRecord(rest, line: line, defect: Self.unclosed))
    return copy
  }

  static let lines = [
    Self("nothing", ""),
    Self("white space only", " \r\n\t\n\n"),
    Self("JSON Lines", "{\"a\":1}\n{\"b\":2}\n", ("{\"a\":1}", 1), ("{\"b\":2}", 2)),
    Self("no last line end", "{\"a\":1}\n{\"b\":2}", ("{\"a\":1}", 1), ("{\"b\":2}", 2)),
    Self(
      "blank lines, CR LF and spaces around",
      "\n\r\n  {\"a\":1} \t\r\n\n{\"b\":2}\r\n",
      ("{\"a\":1}", 3),
      ("{\"b\":2}", 5)
    ),
    Self("garbage lines", "hello\n{}\n42\n}", ("hello", 1), ("{}", 2), ("42", 3), ("}", 4)),
    Self(
      "objects one after another on a line",
      #"{"a":1}{"b":2} {"c":3}\#n{}{}"#,
      (#"{"a":1}"#, 1),
      (#"{"b":2}"#, 1),
      (#"{"c":3}"#, 1),
      ("{}", 2),
      ("{}", 2)
    ),
    Self(
      "braces in strings of such objects",
      #"{"a":"}{"}{"b":"\"}{"}\#n{"c":"} {"}\#n{}"#,
      (#"{"a":"}{"}"#, 1),
      (#"{"b":"\"}{"}"#, 1),
      (#"{"c":"} {"}"#, 2),
      ("{}", 3)
    ),
    Self(
      "a cut object before others on its line",
      #"{"a":{"b":1}{"c":2} {"d":[}{"e":3}\#n{}"#,
      (#"{"a":{"b":1}"#, 1),
      (#"{"c":2}"#, 1),
      (#"{"d":[}"#, 1),
      (#"{"e":3}"#, 1),
      ("{}", 2)
    ),
    Self(
      "an object cut in a string before others on its line",
      #"{"a":"x{"b":2}{"c":3}\#n{}"#,
      (#"{"a":"x{"b":2}"#, 1),
      (#"{"c":3}"#, 1),
      ("{}", 2)
    ),
    Self(
      "rubbish between objects of a line",
      #"{"a":1},{"b":2}{"c":3} x}\#n{}"#,
      (#"{"a":1},{"b":2}"#, 1),
      (#"{"c":3} x}"#, 1),
      ("{}", 2)
    ),
    Self("a line cut short", "{\"a\":1\n{\"b\":2}\n", ("{\"a\":1", 1), ("{\"b\":2}", 2)),
    Self("a line cut in a string", "{\"a\":\"x\n{\"b\":2}\n", ("{\"a\":\"x", 1), ("{\"b\":2}", 2)),
    Self("a line cut behind a backslash", "{\"a\":\"x\\\n{\"b\":2}\n", ("{\"a\":\"x\\", 1), ("{\"b\":2}", 2)),
    Self("a line cut at the end of the input", "{}\n{\"a\":", ("{}", 1), ("{\"a\":", 2)),
    Self("a line cut before an array", "{\"a\":\n[{}]\n", ("{\"a\":", 1), ("{}", 2)),
    Self("rubbish behind an object", "{\"a\":1},\n{}\n", ("{\"a\":1},", 1), ("{}", 2)),
    Self(
      "a bracket in a string",
      "{\"a\":\"}\"\n,\"b\":\"{[\\\"\"}\n{}",
      ("{\"a\":\"}\"\n,\"b\":\"{[\\\"\"}", 1),
      ("{}", 3)
    ),
  ]

  static let objects = [
    Self("a pretty object", "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n", ("{\n  \"a\": {\n    \"b\": 1\n  }\n}", 1)),
    Self("pretty objects", "{\n  \"a\": 1\n}\n{\n  \"b\": 2\n}\n", ("{\n  \"a\": 1\n}", 1), ("{\n  \"b\": 2\n}", 4)),
    Self("no indentation", "{\n\"a\": {\n\"b\": 1\n}\n}\n{}", ("{\n\"a\": {\n\"b\": 1\n}\n}", 1), ("{}", 6)),
    Self("blank lines inside", "{\n\n \"a\":1\r\n\r\n}\n", ("{\n\n \"a\":1\r\n\r\n}", 1)),
    Self("an indented list of objects", "{\"a\": [\n  {\"b\": 1}\n]}\n", ("{\"a\": [\n  {\"b\": 1}\n]}", 1)),
    Self("rubbish behind the end", "{\n\"a\":1\n} x\n{}", ("{\n\"a\":1\n} x", 1), ("{}", 4)),
    Self("cut before JSON Lines", "{\n \"a\": 1,\n\n{\"b\":2}\n{}", ("{\n \"a\": 1,", 1), ("{\"b\":2}", 4), ("{}", 5)),
    Self(
      "a raw line end in a string",
      "{\n\"a\":\"x\ny\"\n}\n{}",
      ("{\n\"a\":\"x\ny\"\n}", 1),
      ("{}", 5)
    ),
    Self("cut at the end of the input", "{\n  \"a\": 1\n", ("{\n  \"a\": 1", 1)),
  ]

  static let arrays = [
    Self("empty arrays", "[]\n[ ]\n[\n]"),
    Self("an array", "[{\"a\":1},{\"b\":2}]", ("{\"a\":1}", 1), ("{\"b\":2}", 1)),
    Self("a pretty array", "[\n  {\n    \"a\": 1\n  },\n  {}\n]\n", ("{\n    \"a\": 1\n  }", 2), ("{}", 5)),
    Self("no indentation", "[\n{\n\"a\": 1\n},\n{\n}\n]\n", ("{\n\"a\": 1\n}", 2), ("{\n}", 5)),
    Self("arrays behind each other", "[{\"a\":1}][{}]\n[{}]\n{}", ("{\"a\":1}", 1), ("{}", 1), ("{}", 2), ("{}", 3)),
    Self(
      "scalars and nested arrays",
      "[1, \"a,]\\\"\" ,[2,[3]],null\n]",
      ("1", 1),
      ("\"a,]\\\"\"", 1),
      ("[2,[3]]", 1),
      ("null", 1)
    ),
    Self("stray commas", "[,{},,{}]", (",", 1), ("{}", 1), (",", 1), ("{}", 1)),
    Self("a comma before the end", "[{},\n]", ("{}", 1)),
    Self("a missing comma", "[{} {}\n{}]", ("{}", 1), ("{}", 1), ("{}", 2)),
    Self("junk behind an element", "[{\"a\":1} b c ,{}]", ("{\"a\":1}", 1), ("b c", 1), ("{}", 1)),
    Self("junk before an object", "[1 {\"a\":1,\"b\":2},{}]", ("1", 1), ("{\"a\":1,\"b\":2}", 1), ("{}", 1)),
    Self("junk up to a line end", "[{}\nb c\n,{}]", ("{}", 1), ("b c", 2), ("{}", 3)),
    Self("rubbish behind an array", "[{}] x\n{}", ("{}", 1), ("x", 1), ("{}", 2)),
    Self("a string that meets a line end", "[\"a\n,{}]", ("\"a", 1), ("{}", 2)),
    Self(
      "a raw line end in an element",
      "[\n{\"a\":\"x\ny\", \"b\": 1},\n{\"c\":3}]",
      ("{\"a\":\"x\ny\", \"b\": 1},", 2),
      ("{\"c\":3}", 4)
    ),
    Self(
      "an element without its end, indented",
      "[\n  {\n    \"a\": 1\n  ,\n  {\n    \"b\": 2\n  }\n]\n{}",
      ("{\n    \"a\": 1\n  ,", 2),
      ("{\n    \"b\": 2\n  }", 5),
      ("{}", 9)
    ),
    Self("lines of arrays, one cut", "[{\"a\":1\n[{\"b\":2},{}]\n", ("{\"a\":1", 1), ("{\"b\":2}", 2), ("{}", 2)),
    Self("an array cut before JSON Lines", "[{\"a\":1\n{\"b\":2}\n", ("{\"a\":1", 1), ("{\"b\":2}", 2)).notClosed(
      "",
      line: 3
    ),
    Self("an array that is not closed", "[{}", ("{}", 1)).notClosed("", line: 1),
    Self("an element that is not closed", "[{},\n{\"a\":[1", ("{}", 1)).notClosed("{\"a\":[1", line: 2),
    Self("a scalar at the end", "[1, 2", ("1", 1)).notClosed("2", line: 1),
  ]

  static let all = lines + objects + arrays
}

@Suite struct `Framing` {
  @Test(arguments: FramingCase.all, [1, 2, 3, 7, 4096])
  func `gives the expected records of a text for chunks of any size`(
    _ framing: FramingCase,
    chunk: Int
  ) throws {
    #expect(try framed(framing.text, chunk: chunk) == framing.records)
  }

  @Test(arguments: [1, 2, 3, 4096])
  func `makes a byte order mark a record of its own before the first postback`(chunk: Int) throws {
    let mark = FramedRecord("\u{FEFF}", line: 1, defect: .byteOrderMark)
    #expect(
      try framed("\u{FEFF}{\"a\":1}\n{}", chunk: chunk) == [mark, .init("{\"a\":1}", line: 1), .init("{}", line: 2)]
    )
    #expect(try framed("\u{FEFF}[{}]", chunk: chunk) == [mark, .init("{}", line: 1)])
    #expect(try framed("\u{FEFF}{\n}\n{}", chunk: chunk) == [mark, .init("{\n}", line: 1), .init("{}", line: 3)])
    #expect(try framed("\u{FEFF}", chunk: chunk) == [mark])
  }

  @Test(arguments: [[0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x7B, 0x7D]] as [[UInt8]], [1, 4096])
  func `treats part of a byte order mark as a garbage line`(_ start: [UInt8], chunk: Int) throws {
    let text = start + Array("\n{}".utf8)
    #expect(
      try framed(text, chunk: chunk) == [.init(String(decoding: start, as: UTF8.self), line: 1), .init("{}", line: 2)]
    )
  }

  @Test(arguments: [1, 2, 3, 7, 4096])
  func `keeps the first bytes, the length and the digest of a record above the limit`(chunk: Int) throws {
    let limits = ReadLimits(recordBytes: 8)
    var sha = try SHA256()
    func tooLarge(_ text: String, line: Int) throws -> FramedRecord {
      let digest = try sha.digest(of: Array(text.utf8).span)
      let defect = FramingDefect.tooLarge(byteCount: text.utf8.count, digest: digest)
      return FramedRecord(String(text.prefix(8)), line: line, defect: defect)
    }
    let long = "{\"a\":\"xyz\"}"
    let pretty = "{\n\"a\":\n1\n}"
    let cut = "{\"a\":1,\n\n"
    #expect(
      try framed("{\"a\":12}\r\n\(long) \r\n{}", chunk: chunk, limits: limits)
        == [.init("{\"a\":12}", line: 1), tooLarge(long + " \r", line: 2), .init("{}", line: 3)]
    )
    #expect(
      try framed("[\(long),\n{}]\(pretty)\n\(cut){}", chunk: chunk, limits: limits)
        == [
          tooLarge(long, line: 1), .init("{}", line: 2), tooLarge(pretty, line: 2), .init("{\"a\":1,", line: 6),
          .init("{}", line: 8),
        ]
    )
  }

  @Test func `does not count trailing white space against the limit`() throws {
    let limits = ReadLimits(recordBytes: 8)
    let long = "{\"a\":12}" + String(repeating: " ", count: 100)
    #expect(
      try framed("\(long)\n123456789\n", limits: limits).map(\.text) == ["{\"a\":12}", "12345678"]
    )
    #expect(try framed("\(long)\n", limits: limits).map(\.defect) == [nil])
  }

  @Test func `reports an unclosed array after an element that is too large`() throws {
    let records = try framed("[" + String(repeating: "[", count: 100_000))
    #expect(records.count == 2)
    guard case .tooLarge(byteCount: 100_000, digest: _) = records.first?.defect else {
      Issue.record("\(records[0])")
      return
    }
    #expect(records.last == FramedRecord("", line: 1, defect: FramingCase.unclosed))
  }

  @Test(arguments: [
    ("", ""), ("{}\n", ""), ("{}\n{\"a\"", "{\"a\""), ("{}\n{}", "{}"), ("{}\n[{}", ""), ("{}\n[{\"a\"", "{\"a\""),
    ("{}\n{\n\"a\":1\n", "{\n\"a\":1"),
  ])
  func `makes one record of the incomplete end of a truncated text`(_ text: String, rest: String) throws {
    let records = try framed(text, cut: "why")
    #expect(records.last?.text == rest)
    #expect(records.last?.defect == .truncatedInput("why"))
    #expect(records.dropLast().allSatisfy { $0.defect == nil && $0.text == "{}" })
  }

  @Test func `ends a batch with the record that fills it`() throws {
    let limits = ReadLimits(recordBytes: 100, batchBytes: 10, batchRecords: 3)
    var framer = try Framer(limits: limits)
    let text = Array("{}\n{}\n{}\n{}\n{\"abcdefghijk\":1}\n{}".utf8)
    var start = 0
    var counts: [Int] = []
    while start < text.count {
      start += try framer.frame(text.span.extracting(start...))
      guard framer.isFull else { break }
      let (bytes, records) = framer.take()
      counts.append(records.count)
      #expect(bytes.suffix(RawBatch.padding).allSatisfy { $0 == 0 })
    }
    #expect(counts == [3, 2])
  }
}
