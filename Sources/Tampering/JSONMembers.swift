internal import JSON

extension JSONValue {
  /// The members of an object; nil for other values.
  var members: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// The text of a string; nil for other values.
  var text: String? { if case .string(let text) = self { text } else { nil } }

  /// The kind and the text of a number, a string or a Boolean, as the parser gives them; nil for other values.
  var scalar: (kind: JSONKind, text: [UInt8])? {
    switch self {
    case .bool(let value): (value ? .true : .false, [])
    case .number(let text): (.number, Array(text.utf8))
    case .string(let text): (.string, Array(text.utf8))
    case .null, .array, .object: nil
    }
  }

  /// Returns the value of an object's member; nil if there is none.
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
