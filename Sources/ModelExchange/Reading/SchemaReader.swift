internal import Base
internal import ConversionModel
internal import JSON

/// Reads values of a schema, and notes all problems found in it, and what a model cannot say.
struct SchemaReader {
  private let file: String
  private let text: [UInt8]
  private(set) var problems: [ModelProblem] = []
  var notes = ExchangeNotes()

  init(_ text: [UInt8], file: String) { (self.text, self.file) = (text, file) }

  // MARK: - Problems

  mutating func note(_ node: JSONNode, _ reason: String) {
    let line = problems.count < 20 ? node.line(in: text) : nil
    problems.append(ModelProblem(file: file, line: line, pointer: node.pointer, reason: reason))
  }

  /// Notes that a value is missing, or is not the expected one.
  mutating func note(_ node: JSONNode, mustBe expected: String) {
    guard let value = node.value, value != .null else {
      return note(node, "This key is missing. Its value must be \(expected).")
    }
    note(node, "The value must be \(expected), but it is \(value.excerpt).")
  }

  // MARK: - Values

  /// Tells if the node is an object, and notes one that is not; members with other keys than `keys` are lost.
  mutating func isObject(_ node: JSONNode, keys: [String], called name: String) -> Bool {
    guard let members = node.members else {
      note(node, mustBe: "an object with the keys of \(name)")
      return false
    }
    for (key, member) in members where !keys.contains(key) && member.isPresent {
      notes.lose(key, at: member.pointer, "The documentation of the form does not have this key.")
    }
    return true
  }

  /// Reads the elements of an array; empty, with a note, for anything else, but without one where it is absent and optional.
  mutating func elements(_ node: JSONNode, of name: String, optional: Bool = false) -> [JSONNode] {
    if let elements = node.elements { return elements }
    if !optional || node.isPresent { note(node, mustBe: "an array of \(name)") }
    return []
  }

  /// Reads an integer; nil where it is absent or null, and, with a note, where it is wrong. A string of digits counts as an
  /// integer, because the JSON form of protocol buffers writes 64 bits so.
  mutating func integer(_ node: JSONNode, in range: ClosedRange<Int64>) -> Int64? {
    guard node.isPresent else { return nil }
    let digits = node.value?.text ?? node.value.flatMap { $0.integer }.map(String.init)
    if let value = digits.flatMap({ Int64($0) }), range.contains(value) { return value }
    note(node, mustBe: "an integer from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// Reads an integer that must be there.
  mutating func requiredInteger(_ node: JSONNode, in range: ClosedRange<Int64>) -> Int64? {
    if node.isPresent { return integer(node, in: range) }
    note(node, mustBe: "an integer from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  mutating func count(_ node: JSONNode) -> Int? { integer(node, in: 0...1_000_000_000).map(Int.init) }

  /// Reads an amount of money; nil where it is absent or null, and, with a note, where it is wrong.
  mutating func amount(_ node: JSONNode, at place: String) -> Amount? {
    guard node.isPresent else { return nil }
    guard case .number(let text) = node.value else {
      note(node, mustBe: "an amount of 0 or more")
      return nil
    }
    do throws(AmountDefect) { return try Amount(parsing: text) } catch {
      guard error == .tooPrecise, let rounded = try? Amount(rounding: text) else {
        note(node, mustBe: "an amount of 0 or more, and less than 1000000000000000")
        return nil
      }
      notes.lose("the seventh fraction digit", at: place, "Amounts of a model have six; \(text) became \(rounded).")
      return rounded
    }
  }

  /// Reads a text of 1 to 256 bytes without control characters; nil, with a note, for anything else.
  mutating func name(_ node: JSONNode) -> String? {
    if let name = node.value?.name { return name }
    note(node, mustBe: "a string of 1 to 256 bytes without control characters")
    return nil
  }

  /// Reads an App Store id, with or without `id` before its digits.
  mutating func appID(_ node: JSONNode) -> Int64? {
    let text = node.value?.text ?? node.value?.integer.map(String.init) ?? ""
    let digits = text.hasPrefix("id") ? text.dropFirst(2) : text[...]
    if digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let id = Int64(digits), id > 0 { return id }
    note(node, mustBe: "an App Store id, such as id1234567890")
    return nil
  }

  /// Reads an ISO 4217 code; nil where it is absent or null, and, with a note, where it is wrong.
  mutating func currency(_ node: JSONNode) -> String? {
    guard node.isPresent else { return nil }
    if let code = node.value?.text, code.isCurrencyCode { return code }
    note(node, mustBe: "an ISO 4217 code of three capital letters such as \"USD\"")
    return nil
  }
}

extension JSONNode {
  /// Indicates that the key is there, and its value is not null.
  var isPresent: Bool { value != nil && value != .null }
}
