internal import JSON

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
