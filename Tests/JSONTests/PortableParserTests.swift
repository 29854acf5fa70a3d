import TestSupport
import Testing

@testable import JSON

/// The result of a parse of one text: the value, or the reason for which it is refused and the advice.
private enum Reading: Equatable {
  case value(JSONValue)
  case refused(String, advice: String)
}

/// A parser of one container at a time, as `JSONParser` has two.
private typealias Parse = @Sendable (Range<Int>, inout [UInt8], inout JSONDocument) throws(JSONDefect) -> Void

private let portable: Parse = { text, bytes, document throws(JSONDefect) in
  try PortableParser(names: [], maximumDepth: 64).parse(text, of: &bytes, into: &document)
}

private let simdjson: Parse = { text, bytes, document throws(JSONDefect) in
  try SimdjsonParser(names: [], maximumDepth: 64).parse(text, of: &bytes, into: &document)
}

private func reading(of text: [UInt8], with parse: Parse) -> Reading {
  var bytes = text + [UInt8](repeating: 0x22, count: JSONParser.padding)
  do throws(JSONDefect) {
    return .value(try value(0..<text.count, of: &bytes, with: parse))
  } catch {
    let reason =
      switch error {
      case .notJSON: "not JSON"
      case .tooDeep: "too deep"
      case .invalidUTF8: "no UTF-8"
      case .duplicateKey(let key): "twice: \(key)"
      }
    return .refused(reason, advice: error.advice(in: text))
  }
}

private func value(_ text: Range<Int>, of bytes: inout [UInt8], with parse: Parse) throws(JSONDefect) -> JSONValue {
  var document = JSONDocument()
  try parse(text, &bytes, &document)
  func string(_ field: JSONField) -> String { String(decoding: bytes[field.text.indices], as: UTF8.self) }
  func value(_ field: JSONField) throws(JSONDefect) -> JSONValue {
    switch field.kind {
    case .absent, .null: .null
    case .false: .bool(false)
    case .true: .bool(true)
    case .number: .number(string(field))
    case .string: .string(string(field))
    case .array, .object: try JSONTests.value(field.text.indices, of: &bytes, with: parse)
    }
  }
  var values: [JSONValue] = []
  for member in document.members { values.append(try value(member.value)) }
  return switch document.root.kind {
  case .array: .array(values)
  case .object: .object(zip(document.members, values).map { .init(key: string($0.key), value: $1) })
  default: try value(document.root)
  }
}

@Suite struct `A parser without simdjson` {
  private static let texts: [String] = [
    "", " ", "{", "}", "[", "]", "[]", "{}", "[ ]", "{ }", "\t[\r\n]\n", "[,]", "[1,]", "[,1]", "[1 2]", "[1]]", "[[1]",
    "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{1:2}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{}{}",
    "[]1",
    "true", "false", "null", "True", "nul", "nulll", "[truefalse]", "[true\"a\"]", "[\"a\"true]", "[1\"a\"]",
    "[\"a\"1]",
    "0", "-0", "-", "01", "-01", "1.", ".1", "1.5", "1e5", "1E+5", "1e-5", "1e", "1e+", "1.e1", "+1", "0x1", "1_0",
    "NaN",
    "Infinity", "-1.25e-2", "1e999", "18446744073709551616", "-9223372036854775809",
    "340282366920938463463374607431768211456",
    "[340282366920938463463374607431768211456,01]", "[01,340282366920938463463374607431768211456]", "1 ", " 1", "1,",
    "1]",
    #""a""#, #""a"#, #"""#, #""\"#, #""\""#, #""\\""#, #""\/\b\f\n\r\t""#, #""\x""#, #""\u12""#, #""\u00e9\u20AC""#,
    #""\ud83d\ude00""#, #""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\u0041""#, #""\ud83d\n""#,
    #""\ud83d\ud83d\ude00""#,
    #""\u""#, #""\u123g""#, #""\U0041""#, "\"\u{7F}\"", "\"\t\"", "\"\n\"", "\"\u{0}\"", "\"é€😀\"", "\u{FEFF}{}",
    "{}\u{FEFF}",
    "[\u{A0}1]", "[1\u{C}]", "[\u{0}]", #"[\"a"]"#, #"[\n]"#, "[1]\\", "\\\"", "[1]#", "/* */[]", "[1]//",
    #"{"a":1,"a":2}"#, #"{"a":1,"\u0061":2}"#, #"{"b":1,"a":1,"b":2,"a":2}"#, #"{"a":{"x":1,"x":2},"a":2}"#,
    #"{"a":1,"a":{"x":1,"x":2}}"#, #"[{"y":{"x":1,"x":2},"y":1},{"a":1,"a":1}]"#, #"{"a":1,"a":2"#, #"{"a":1,"a":2,}"#,
    #"{"":1,"":2}"#, #"{"é":1,"\u00e9":2}"#, #"{"a":"\u0061\"\\","\n":[{"\t":"\u0000"}]}"#,
    #"{"a":[1,{"b":[null,[]]},{}]}"#,
  ]

  private static let bytes: [[UInt8]] = [
    [0xFF], [0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xFF],
    [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xE2, 0x82, 0x22], [0x22, 0x01, 0xFF, 0x22], [0x5B, 0xFF, 0x2C],
    [0x5B, 0xFF, 0x5D], [0xEF, 0xBB, 0xBF],
  ]

  /// Texts that are nested about as deeply as is allowed, and much more deeply.
  private static let nested: [String] = [62, 63, 64, 65, 1000].flatMap { (depth: Int) -> [String] in
    func times(_ text: String) -> String { String(repeating: text, count: depth) }
    return [
      times("[") + "1" + times("]"), times("[") + times("]"), times("{\"a\":") + "{}" + times("}"), times("[") + "1",
      times("[") + "01" + times("]"), times("[") + "1]]", times("[") + "1" + times("]") + "]",
    ]
  }

  @Test func `reads and refuses what simdjson does, for the same reason, with the same advice`() {
    var accepted = 0
    for text in (Self.texts + Self.nested).map({ Array($0.utf8) }) + Self.bytes {
      let expected = reading(of: text, with: simdjson)
      if case .value = expected { accepted += 1 }
      #expect(reading(of: text, with: portable) == expected, "\(String(decoding: text.prefix(60), as: UTF8.self))")
    }
    #expect(accepted > 30)
  }

  @Test(arguments: ["models", "postbacks", "hostile"])
  func `reads the texts of Fixtures as simdjson does`(_ folder: String) {
    let files = Fixtures.files(in: folder).filter { $0.hasSuffix(".json") || $0.hasSuffix(".jsonl") }
    #expect(!files.isEmpty)
    for file in files {
      for text in file.hasSuffix(".json") ? [Fixtures.bytes(file)] : Fixtures.lines(file) {
        #expect(reading(of: text, with: portable) == reading(of: text, with: simdjson), "\(file)")
      }
    }
  }

  @Test func `reads 20 000 damaged models as simdjson does`() {
    let models = Fixtures.files(in: "models").filter { $0.hasSuffix(".json") }.map(Fixtures.bytes)
    // Parts of models, so that two damages are near to each other; each has its own text.
    let parts = Set(models.flatMap { Self.parts(of: try? JSONValue(parsing: $0)) }).sorted().map { Array($0.utf8) }
    var random = SplitMix(seed: 15)
    var (accepted, reasons): (Int, Set<String>) = (0, [])
    for number in 0..<20_000 {
      var text = (number % 500 == 0 ? models : parts).randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        let other = text[Int.random(in: 0..<text.count, using: &random)...].prefix(
          Int.random(in: 1...24, using: &random)
        )
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: text[place] = Array("\"{}[],:\\\n0-.eu".utf8).randomElement(using: &random) ?? 0
        case 2: text.replaceSubrange(place..<min(place + other.count, text.count), with: other)
        default: text.insert(contentsOf: other, at: place)
        }
      }
      let expected = reading(of: text, with: simdjson)
      switch expected {
      case .value: accepted += 1
      case .refused(let reason, _): reasons.insert(String(reason.prefix(5)))
      }
      let found = reading(of: text, with: portable)
      #expect(found == expected, "\(String(decoding: text, as: UTF8.self))")
    }
    #expect(accepted > 2000)
    #expect(reasons == ["not J", "no UT", "twice"] as Set)
  }

  /// The texts of the objects and arrays in a value that have 20 to 300 bytes.
  private static func parts(of value: JSONValue?) -> [String] {
    let inner: [JSONValue] =
      switch value {
      case .array(let elements): elements
      case .object(let members): members.map(\.value)
      default: []
      }
    let text = value?.description ?? ""
    return inner.flatMap(parts) + (inner.isEmpty || !(20...300).contains(text.utf8.count) ? [] : [text])
  }

  @Test func `hands out known names as simdjson does`() throws {
    for text in [
      #"{"x":1,"b":"two\t","y":[ ],"a":1.0}"#, #"{"a":1,"a":2}"#, #"{"y":1,"x":{"z":1,"z":2},"y":2}"#, #"{"\u0061":1}"#,
      #"{"x":1,"x":2,"a":3,"a":4}"#, "[1,2]", "7",
    ] {
      func read(_ parse: Parse) -> [String] {
        var bytes = Array("before".utf8) + Array(text.utf8) + [UInt8](repeating: 0x22, count: JSONParser.padding)
        var document = JSONDocument()
        do throws(JSONDefect) {
          try parse(6..<6 + text.utf8.count, &bytes, &document)
        } catch {
          return ["\(error)"]
        }
        func said(_ field: JSONField) -> String {
          field.kind == .absent
            ? "absent" : "\(field.kind) " + String(decoding: bytes[field.text.indices], as: UTF8.self)
        }
        return [said(document.root)] + document.fields.map(said)
          + document.members.flatMap { [said($0.key), said($0.value)] }
      }
      let expected = read { text, bytes, document throws(JSONDefect) in
        try SimdjsonParser(names: ["a", "b", "c"], maximumDepth: 64).parse(text, of: &bytes, into: &document)
      }
      let found = read { text, bytes, document throws(JSONDefect) in
        try PortableParser(names: ["a", "b", "c"], maximumDepth: 64).parse(text, of: &bytes, into: &document)
      }
      #expect(found == expected)
    }
  }
}

@Suite struct `Output of decimal integers` {
  @Test func `has the digits of the standard library's text`() {
    var random = SplitMix(seed: 3)
    var numbers: [Int64] = [0, -1, .max, .min, 9_999_999_999_999_999, 10_000_000_000_000_000, -10_000_000_000_000_001]
    for shift in 0..<64 { numbers.append(Int64(truncatingIfNeeded: random.next() >> UInt64(shift))) }
    for number in numbers {
      var text: [UInt8] = []
      text.appendDecimal(number)
      #expect(String(decoding: text, as: UTF8.self) == "\(number)")
    }
  }
}
