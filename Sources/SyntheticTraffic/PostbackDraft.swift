internal import JSON
internal import SKAdNetwork

/// The fields of a generated postback, without its signature.
struct PostbackDraft: Sendable {
  /// A key with its value.
  struct Member: Sendable {
    var field: Field
    var value: DraftValue
  }

  let format: PostbackFormat
  /// The members in the order in which Apple documents them.
  private(set) var members: [Member] = []
  /// The members whose keys are not Apple's.
  var extras: [(name: String, value: DraftValue)] = []

  init(_ format: PostbackFormat) { self.format = format }

  /// The value of a field; nil if it is absent.
  subscript(field: Field) -> DraftValue? {
    get { members.first { $0.field == field }?.value }
    set {
      let index = members.firstIndex { $0.field.rawValue >= field.rawValue } ?? members.count
      let isThere = index < members.count && members[index].field == field
      switch newValue {
      case let value? where isThere: members[index].value = value
      case let value?: members.insert(Member(field: field, value: value), at: index)
      case nil where isThere: members.remove(at: index)
      case nil: break
      }
    }
  }

  /// Adds a second member with the same key, which no genuine postback has.
  mutating func double(_ field: Field, _ value: DraftValue) { members.append(Member(field: field, value: value)) }

  /// Indicates that the postback reports a win. Versions without `did-win` report only wins.
  var isWin: Bool { self[.didWin] != .boolean(false) }

  /// Appends the text that Apple signs of a SKAdNetwork postback: the values of its version's fields, joined by U+2063.
  func appendSignedText(to message: inout [UInt8]) {
    format.rules.appendSignedText(to: &message) { field, message in
      guard let value = self[field] else { return false }
      message.append(contentsOf: value.text.utf8)
      return true
    }
  }
}

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
