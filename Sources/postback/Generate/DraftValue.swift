internal import JSON

/// A value of a generated postback.
enum DraftValue: Equatable, Sendable {
  case text(String)
  case integer(Int64)
  case boolean(Bool)
  /// JSON text as it is, which may be invalid in a postback or invalid JSON.
  case json(String)

  /// The value as text, in the form that is signed.
  var text: String {
    switch self {
    case .text(let text), .json(let text): text
    case .integer(let integer): String(integer)
    case .boolean(let boolean): boolean ? "true" : "false"
    }
  }

  /// Appends the value in JSON. If `quoted` is true, numbers and Booleans become strings.
  func append(to json: inout [UInt8], quoted: Bool = false, escapesSlashes: Bool = false) {
    switch self {
    case .text(let text): json.appendJSONString(text, escapingSlashes: escapesSlashes)
    case .integer, .boolean:
      if quoted { json.append(UInt8(ascii: "\"")) }
      json.append(contentsOf: text.utf8)
      if quoted { json.append(UInt8(ascii: "\"")) }
    case .json(let text): json.append(contentsOf: text.utf8)
    }
  }
}

extension [UInt8] {
  /// Appends `"name":`, with a comma before it unless it is the first key.
  mutating func appendJSONKey(_ name: String, isFirst: Bool = false) {
    if !isFirst { append(UInt8(ascii: ",")) }
    appendJSONString(name)
    append(UInt8(ascii: ":"))
  }
}
