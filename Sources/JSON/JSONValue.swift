internal import Base

/// A JSON value as a tree: for small texts such as configuration, not for postbacks.
public indirect enum JSONValue: Sendable, Equatable {
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number as it was written.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// An object's members in order; no key occurs twice.
  case object([Member])

  /// A member of an object.
  public struct Member: Sendable, Equatable {
    /// The key.
    public var key: String
    /// The value.
    public var value: JSONValue

    /// A member.
    public init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// Parses a whole text; with `replacingLoneSurrogates` as `JSONParser` does.
  public init(parsing text: [UInt8], replacingLoneSurrogates: Bool = false) throws(JSONDefect) {
    var parser = JSONParser()
    let text = replacingLoneSurrogates ? text[...].replacingLoneSurrogates() ?? text : text
    var bytes = text + [UInt8](repeating: 0, count: JSONParser.padding)
    self = try Self.value(0..<text.count, of: &bytes, with: &parser)
  }

  private static func value(
    _ text: Range<Int>,
    of bytes: inout [UInt8],
    with parser: inout JSONParser
  ) throws(JSONDefect) -> JSONValue {
    var document = JSONDocument()
    try parser.parse(text, of: &bytes, into: &document)
    if document.root.kind == .array {
      var elements: [JSONValue] = []
      for member in document.members { elements.append(try value(member.value, of: &bytes, with: &parser)) }
      return .array(elements)
    }
    guard document.root.kind == .object else { return try value(document.root, of: &bytes, with: &parser) }
    var members: [Member] = []
    for member in document.members {
      let key = string(member.key.text, of: bytes)
      members.append(Member(key: key, value: try value(member.value, of: &bytes, with: &parser)))
    }
    return .object(members)
  }

  private static func value(
    _ field: JSONField,
    of bytes: inout [UInt8],
    with parser: inout JSONParser
  ) throws(JSONDefect) -> JSONValue {
    switch field.kind {
    case .absent, .null: .null
    case .false: .bool(false)
    case .true: .bool(true)
    case .number: .number(string(field.text, of: bytes))
    case .string: .string(string(field.text, of: bytes))
    case .array, .object: try value(field.text.indices, of: &bytes, with: &parser)
    }
  }

  private static func string(_ text: ByteRange, of bytes: [UInt8]) -> String {
    String(decoding: bytes[text.indices], as: UTF8.self)
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON, on one line.
  public var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The value as JSON for a script element of HTML: nothing in it ends the element, or a line.
  package var scriptText: String {
    let json = bytes
    var text: [UInt8] = []
    text.reserveCapacity(json.count)
    for index in json.indices {
      let byte = json[index]
      switch byte {
      case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
        text.append(contentsOf: "\\u00".utf8)
        text.append(contentsOf: [.hexadecimalDigit(byte >> 4), .hexadecimalDigit(byte & 15)])
      // U+2028 and U+2029.
      case 0xA8...0xA9 where index > 1 && json[index - 2] == 0xE2 && json[index - 1] == 0x80:
        text.removeLast(2)
        text.append(contentsOf: "\\u202".utf8)
        text.append(.hexadecimalDigit(byte & 15))
      default: text.append(byte)
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return bytes
  }

  /// Appends the value as JSON on one line, without white space; with `escapingSlashes`, `/` in the texts of values as `\/`.
  package func append(to json: inout [UInt8], escapingSlashes: Bool = false) {
    switch self {
    case .null: json.append(contentsOf: "null".utf8)
    case .bool(let value): json.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let text): json.append(contentsOf: text.utf8)
    case .string(let text): json.appendJSONString(text, escapingSlashes: escapingSlashes)
    case .array(let elements):
      json.append(UInt8(ascii: "["))
      for index in elements.indices {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        elements[index].append(to: &json, escapingSlashes: escapingSlashes)
      }
      json.append(UInt8(ascii: "]"))
    case .object(let members):
      json.append(UInt8(ascii: "{"))
      for index in members.indices {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        json.appendJSONString(members[index].key)
        json.append(UInt8(ascii: ":"))
        members[index].value.append(to: &json, escapingSlashes: escapingSlashes)
      }
      json.append(UInt8(ascii: "}"))
    }
  }
}

extension JSONValue {
  /// Returns an integer as a JSON number; null if it is nil.
  package static func integer(_ value: (some BinaryInteger)?) -> JSONValue { value.map { .number("\($0)") } ?? .null }

  /// Returns a value; null if it is nil.
  package static func optional(_ value: JSONValue?) -> JSONValue { value ?? .null }

  /// Returns a string; null if it is nil.
  package static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

  /// Returns an array of strings.
  package static func texts(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }

  /// Returns a number rounded to the thousandth; null if it is nil, not finite, or 10¹² and above in magnitude.
  package static func decimal(_ value: Double?) -> JSONValue {
    guard let value, value.isFinite, value.magnitude < 1e12 else { return .null }
    return .number("\((value * 1000).rounded() / 1000)")
  }

  /// The value of the first member with this key; nil if there is none, or this is not an object.
  package subscript(key: String) -> JSONValue? { members?.first { $0.key == key }?.value }

  /// The text of a string; nil for any other value.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The value of a number that is an integer of 64 bits; nil for any other value.
  package var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

  /// The elements of an array; nil for any other value.
  package var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The members of an object; nil for any other value.
  package var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The value of a number; nil for any other value.
  package var decimal: Double? { if case .number(let text) = self { Double(text) } else { nil } }
}

extension JSONValue.Member {
  /// Creates a member of an object.
  package init(_ key: String, _ value: JSONValue) { self.init(key: key, value: value) }
}

/// A value in a JSON text and its place there; the value is nil where a key is absent.
package struct JSONNode {
  /// The value; nil if the key is absent.
  package let value: JSONValue?
  /// The place as an RFC 6901 JSON pointer; empty for the whole text.
  package let pointer: String

  /// A value at a place; the pointer of the whole text is "".
  package init(value: JSONValue?, pointer: String) {
    self.value = value
    self.pointer = pointer
  }

  /// The member `key` of an object; its value is nil where the key is absent or this is no object.
  package subscript(key: String) -> JSONNode {
    guard case .object(let members) = value else { return child(key, nil) }
    return child(key, members.first { $0.key == key }?.value)
  }

  /// The keys and members of an object, in order; nil for anything else.
  package var members: [(key: String, node: JSONNode)]? {
    guard case .object(let members) = value else { return nil }
    return members.map { ($0.key, child($0.key, $0.value)) }
  }

  /// The elements of an array; nil for anything else.
  package var elements: [JSONNode]? {
    guard case .array(let elements) = value else { return nil }
    return elements.enumerated().map { child(String($0.offset), $0.element) }
  }

  private func child(_ token: String, _ value: JSONValue?) -> JSONNode {
    var pointer = pointer + "/"
    for character in token.unicodeScalars {
      switch character {
      case "~": pointer += "~0"
      case "/": pointer += "~1"
      default: pointer.unicodeScalars.append(character)
      }
    }
    return JSONNode(value: value, pointer: pointer)
  }
}
