internal import JSON
internal import SKAdNetwork

/// What a signed field holds, and so how its value is written.
enum SignedType {
  case text, integer, boolean

  init(_ field: Field) {
    self =
      switch field {
      case .campaignID, .appID, .sourceAppID, .fidelityType, .postbackSequenceIndex, .advertisedItemIdentifier,
        .publisherItemIdentifier:
        .integer
      case .redownload, .didWin: .boolean
      default: .text
      }
  }

  /// The value that a JSON value stands for, however it is written; nil for a null, an object and an array.
  func value(_ json: JSONValue) -> String? {
    guard let text = Self.text(json) else { return nil }
    switch self {
    case .text: return text
    case .integer: return Self.integer(text)
    case .boolean:
      switch text.withoutWhiteSpaceAround.lowercased() {
      case "true", "1", "yes": return "true"
      case "false", "0", "no": return "false"
      default: return text
      }
    }
  }

  /// Whether the system reads the JSON value as that value, so that nothing is to be said about how it is written.
  func takes(_ json: JSONValue, as value: String) -> Bool {
    switch (self, json) {
    case (.text, .string(let text)), (.integer, .string(let text)), (.integer, .number(let text)): text == value
    case (.boolean, .string(let text)): text == value
    case (.boolean, .bool): true
    default: false
    }
  }

  /// Appends a value as JSON.
  func append(_ value: String, to json: inout [UInt8], escapingSlashes: Bool) {
    switch self {
    case .text: json.appendJSONString(value, escapingSlashes: escapingSlashes)
    case .integer, .boolean: json.append(contentsOf: value.utf8)
    }
  }

  private static func text(_ json: JSONValue) -> String? {
    switch json {
    case .string(let text), .number(let text): text
    case .bool(let value): value ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// `042`, `+42`, `42.0` and ` 42 ` are 42.
  private static func integer(_ text: String) -> String {
    var digits = text.withoutWhiteSpaceAround[...]
    if digits.first == "+" { digits.removeFirst() }
    if let point = digits.firstIndex(of: "."), digits[point...].dropFirst().allSatisfy({ $0 == "0" }) {
      digits = digits[..<point]
    }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return text }
    let plain = digits.drop { $0 == "0" }
    return plain.isEmpty ? "0" : String(plain)
  }
}

extension [UInt8] {
  /// Appends a JSON string; with `escapingSlashes`, `/` as `\/`, as Apple's encoder writes it.
  mutating func appendJSONString(_ text: String, escapingSlashes: Bool) {
    let slash = UInt8(ascii: "/")
    guard escapingSlashes, text.utf8.contains(slash) else { return appendJSONString(text) }
    var plain: [UInt8] = []
    plain.appendJSONString(text)
    for byte in plain {
      if byte == slash { append(UInt8(ascii: "\\")) }
      append(byte)
    }
  }
}

extension JSONValue {
  /// The members of an object; nil of anything else.
  var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// What a string says; nil of anything else.
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The value of an object's member; nil where it is not there.
  func member(_ name: String) -> JSONValue? { members?.first { $0.key == name }?.value }

  /// Appends the value as JSON on one line, without white space.
  func append(to json: inout [UInt8], escapingSlashes: Bool) {
    switch self {
    case .string(let text): json.appendJSONString(text, escapingSlashes: escapingSlashes)
    case .array(let elements):
      json.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        element.append(to: &json, escapingSlashes: escapingSlashes)
      }
      json.append(UInt8(ascii: "]"))
    case .object(let members):
      json.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { json.append(UInt8(ascii: ",")) }
        json.appendJSONString(member.key)
        json.append(UInt8(ascii: ":"))
        member.value.append(to: &json, escapingSlashes: escapingSlashes)
      }
      json.append(UInt8(ascii: "}"))
    case .null, .bool, .number: json.append(contentsOf: description.utf8)
    }
  }
}
