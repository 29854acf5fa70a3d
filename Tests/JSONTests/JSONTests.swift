import JSON
import Testing

@Suite struct `JSON values` {
  @Test(arguments: [
    "42", "42.0", "4.2e1", "-0", "0.1", "1e999", "340282366920938463463374607431768211456", "18446744073709551616",
    "-9223372036854775809", "1E+2",
  ])
  func `numbers keep their text`(_ number: String) throws {
    let value = try JSONValue(parsing: Array(#"{"a" : \#(number) , "b":[\#(number)]}"#.utf8))
    #expect(
      value
        == .object([.init(key: "a", value: .number(number)), .init(key: "b", value: .array([.number(number)]))])
    )
  }

  @Test(arguments: ["01", "+1", "1.", ".5", "1e", "--1", "0x1", "1e5x", "1_0", "NaN", "1 2"])
  func `malformed numbers are refused, also beside a number that is too large for simdjson`(_ number: String) {
    for other in ["1", "340282366920938463463374607431768211456"] {
      #expect(throws: JSONDefect.self) { try JSONValue(parsing: Array(#"{"a":\#(other),"b":\#(number)}"#.utf8)) }
    }
  }

  @Test func `strings are unescaped once`() throws {
    let text = #"{"k\u0065y" : "a\\nb\/c\u20ac\ud83d\ude00" ,"plain":"é" , "empty":"", "quote":"\"" }"#
    guard case .object(let members) = try JSONValue(parsing: Array(text.utf8)) else {
      Issue.record("not an object")
      return
    }
    #expect(members.map(\.key) == ["key", "plain", "empty", "quote"])
    #expect(members.map(\.value) == [.string(#"a\nb/c€😀"#), .string("é"), .string(""), .string("\"")])
  }

  @Test(arguments: [
    #"{"a":1,"a":2}"#, #"{"a":1,"b":{"x":1,"y":2,"x":1}}"#, #"{"l":[{"x":1},{"x":1,"x":1}]}"#, #"{"a":1,"\u0061":2}"#,
  ])
  func `a repeated key is found at any depth`(_ text: String) {
    #expect {
      try JSONValue(parsing: Array(text.utf8))
    } throws: { error in
      if case JSONDefect.duplicateKey = error { true } else { false }
    }
  }

  @Test func `the same key is allowed in different objects`() throws {
    let inner = JSONValue.object([.init(key: "a", value: .number("1"))])
    let text = #"{"a":{"a":[{"a":1},{"a":1}]},"b":{"a":1}}"#
    #expect(
      try JSONValue(parsing: Array(text.utf8))
        == .object([
          .init(key: "a", value: .object([.init(key: "a", value: .array([inner, inner]))])),
          .init(key: "b", value: inner),
        ])
    )
  }

  @Test(
    arguments: [
      ("{}", .object([])), ("[]", .array([])), (" { } ", .object([])), (" [ ] ", .array([])),
      ("[[],{},[{}]]", .array([.array([]), .object([]), .array([.object([])])])),
      (
        "{\"a\":{ },\"b\":[ ] ,\"c\":[{}],\"d\":1}",
        .object([
          .init(key: "a", value: .object([])), .init(key: "b", value: .array([])),
          .init(key: "c", value: .array([.object([])])), .init(key: "d", value: .number("1")),
        ])
      ), ("3", .number("3")), (" \"x\" ", .string("x")), ("null", .null),
      ("[true,false ]", .array([.bool(true), .bool(false)])),
    ] as [(String, JSONValue)]
  )
  func `empty containers and bare scalars are parsed`(_ text: String, _ value: JSONValue) throws {
    #expect(try JSONValue(parsing: Array(text.utf8)) == value)
  }

  @Test func `nesting beyond the limit is too deep`() {
    func nested(_ open: String, _ close: String, _ depth: Int) -> String {
      String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
    }
    for text in [nested("[", "]", 10_000), nested("{\"a\":", "}", 100)] {
      #expect {
        try JSONValue(parsing: Array(text.utf8))
      } throws: { error in
        if case JSONDefect.tooDeep = error { true } else { false }
      }
    }
  }

  @Test func `invalid UTF-8 is distinguished from invalid JSON`() {
    #expect {
      try JSONValue(parsing: Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8))
    } throws: { error in
      if case JSONDefect.invalidUTF8 = error { true } else { false }
    }
  }
}

@Suite struct `A document with known names` {
  private func parse(_ text: String, names: [String]) throws -> ([String?], [String: String]) {
    var parser = JSONParser(names: names)
    var document = JSONDocument()
    var bytes = Array("before".utf8) + Array(text.utf8) + [UInt8](repeating: 0x22, count: JSONParser.padding)
    try parser.parse(6..<6 + text.utf8.count, of: &bytes, into: &document)
    func string(_ field: JSONField) -> String { String(decoding: bytes[field.text.indices], as: UTF8.self) }
    let known = document.fields.map { $0.kind == .absent ? nil : string($0) }
    let others = document.members.map { (string($0.key), string($0.value)) }
    return (known, Dictionary(uniqueKeysWithValues: others))
  }

  @Test func `hands out known values by index and the others by key`() throws {
    let (known, others) = try parse(
      #"{ "x" : {"n": [1, {"z" : 2.50}]} , "b" : "two\t" ,"y":[ ] , "a":1.0 }"#,
      names: ["a", "b", "c"]
    )
    #expect(known == ["1.0", "two\t", nil])
    #expect(others == ["x": #"{"n": [1, {"z" : 2.50}]}"#, "y": "[ ]"])
  }

  @Test func `known keys match in any escaping, and only completely`() throws {
    let (known, others) = try parse(#"{"\u0061b":1,"a":2,"abc":3}"#, names: ["ab"])
    #expect(known == ["1"])
    #expect(others == ["a": "2", "abc": "3"])
  }

  @Test func `a parser can read many texts`() throws {
    var parser = JSONParser(names: ["a"])
    var document = JSONDocument()
    for length in [1, 5000, 3, 70_000, 2] {
      let text = Array(("{\"a\":\"" + String(repeating: "x", count: length) + "\"}").utf8)
      var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
      try parser.parse(0..<text.count, of: &bytes, into: &document)
      #expect(document.fields[0].text.count == UInt32(length))
      var broken = Array("{\"a\":".utf8) + [UInt8](repeating: 0, count: JSONParser.padding)
      #expect(throws: JSONDefect.self) { try parser.parse(0..<5, of: &broken, into: &document) }
    }
  }
}

@Suite struct `Output of JSON` {
  @Test(arguments: [
    ("[1, -2.50,{\"a\":1e5}]", "[1, -2.50,{\"a\":1e5}]"), ("{\"a\":\n[\r\n]}", "{\"a\": [  ]}"),
    ("123456789012345678", "123456789012345678"), ("1234567890123456789", "\"1234567890123456789\""),
    ("[1e400,-1E-400,0.5]", "[\"1e400\",\"-1E-400\",0.5]"),
    ("{\"99999999999999999999\":\"1e999, \\\"2\"}", "{\"99999999999999999999\":\"1e999, \\\"2\"}"),
    ("\"\\\\\"", "\"\\\\\""),
  ])
  func `stays on one line, and numbers that readers cannot hold become strings`(_ value: String, _ portable: String)
    throws
  {
    var text: [UInt8] = []
    text.appendPortableJSON(Array(value.utf8)[...])
    #expect(String(decoding: text, as: UTF8.self) == portable)
    _ = try JSONValue(parsing: text)
  }
}
