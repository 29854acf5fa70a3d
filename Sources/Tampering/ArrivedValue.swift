internal import JSON
internal import SKAdNetwork

extension FieldType {
  /// Tells if values of both types have the same form, so that they can be exchanged.
  func hasForm(of other: FieldType) -> Bool {
    switch (self, other) {
    case (.integer, .integer), (.boolean, .boolean), (.sourceIdentifier, .sourceIdentifier): true
    case (.integer, _), (.boolean, _), (.sourceIdentifier, _): false
    case (_, .integer), (_, .boolean), (_, .sourceIdentifier): false
    default: true
    }
  }

  /// Returns the value of a JSON value in any form that forwarders write; nil for a null, an object and an array.
  func value(_ json: JSONValue) -> String? {
    guard let text = Self.text(json) else { return nil }
    if let read = read(json) { return read }
    switch self {
    case .integer: return Self.integer(text)
    case .boolean:
      switch text.withoutWhiteSpaceAround.lowercased() {
      case "true", "1", "yes": return "true"
      case "false", "0", "no": return "false"
      default: return text
      }
    default: return text
    }
  }

  /// Tells if the pipeline reads the JSON value as `value`, so that its form need not be reported.
  func takes(_ json: JSONValue, as value: String) -> Bool {
    if let read = read(json) { return read == value }
    switch (self, json) {
    case (.boolean, _), (.integer, .string): return false
    case (.integer, .number(let text)), (_, .string(let text)): return text == value
    default: return false
    }
  }

  /// Returns the value that the pipeline's parser reads; nil for texts, and for JSON that it does not accept.
  private func read(_ json: JSONValue) -> String? {
    guard let (kind, text) = json.scalar else { return nil }
    switch self {
    case .integer: return FieldValue.integer(kind, text.span, in: .min ... .max).value.map { String($0) }
    case .boolean: return FieldValue.boolean(kind, text.span).value.map { String($0) }
    case .sourceIdentifier: return FieldValue.sourceIdentifier(kind, text.span).value?.description
    default: return nil
    }
  }

  /// Appends a value as JSON.
  func append(_ value: String, to json: inout [UInt8], escapingSlashes: Bool) {
    switch self {
    case .integer, .boolean: json.append(contentsOf: value.utf8)
    default: json.appendJSONString(value, escapingSlashes: escapingSlashes)
    }
  }

  private static func text(_ json: JSONValue) -> String? {
    switch json {
    case .string(let text), .number(let text): text
    case .bool(let value): value ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// Returns the integer in its plain form: `042`, `+42`, `42.0` and ` 42 ` are 42. Returns the text itself if it is no
  /// integer.
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

extension JSONValue {
  /// The kind and the text of a number, a string or a Boolean, as the parser gives them; nil for other values.
  var scalar: (kind: JSONKind, text: [UInt8])? {
    switch self {
    case .bool(let value): (value ? .true : .false, [])
    case .number(let text): (.number, Array(text.utf8))
    case .string(let text): (.string, Array(text.utf8))
    case .null, .array, .object: nil
    }
  }
}
