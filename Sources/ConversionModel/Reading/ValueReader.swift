internal import Base
package import JSON

/// Readers for the basic values of models. Each notes a wrong value as a problem; most return nil for it.
@available(iOS 18.0, *)
extension ModelReader {
  /// Notes that a value is missing, or is not the expected one.
  mutating func note(_ node: JSONNode, mustBe expected: String) {
    guard let value = node.value else { return note(node, "This key is missing. Its value must be \(expected).") }
    note(node, "The value must be \(expected), but it is \(value.excerpt).")
  }

  /// Tells if the node is an object; notes a node that is not, and keys that are not in `keys`.
  mutating func isObject(_ node: JSONNode, keys: [String], called name: String) -> Bool {
    guard let members = node.members else {
      note(node, mustBe: "an object with the keys of \(name)")
      return false
    }
    for (key, member) in members where !keys.contains(key) {
      note(member, "This is not a key of \(name). The keys are \(keys.joined(separator: ", ")).")
    }
    return true
  }

  /// Reads an integer in `range`, written without a fraction and an exponent; `default` where it is absent.
  mutating func integer(_ node: JSONNode, in range: ClosedRange<Int64>, default: Int64? = nil) -> Int64? {
    if node.value == nil, let `default` { return `default` }
    if case .number(let text) = node.value, let value = Int64(text), range.contains(value) { return value }
    note(node, mustBe: "an integer from \(range.lowerBound) to \(range.upperBound)")
    return nil
  }

  /// Reads `true` or `false`; `default` where the value is absent or wrong.
  mutating func bool(_ node: JSONNode, default: Bool = false) -> Bool {
    if case .bool(let value) = node.value { return value }
    if node.value != nil { note(node, mustBe: "true or false") }
    return `default`
  }

  /// Reads one of the raw values of a type.
  mutating func word<Word: RawRepresentable & CaseIterable>(_ node: JSONNode, _ type: Word.Type) -> Word?
  where Word.RawValue == String {
    if case .string(let text) = node.value, let word = Word(rawValue: text) { return word }
    note(node, mustBe: "one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    return nil
  }

  /// Reads a string of 1 to 256 bytes without control characters.
  mutating func text(_ node: JSONNode) -> String? {
    if let name = node.value?.name { return name }
    note(node, mustBe: "a string of 1 to 256 bytes without control characters")
    return nil
  }

  /// Reads an amount of money; `orNull` adds to the message that null is possible.
  mutating func amount(_ node: JSONNode, orNull: Bool = false) -> Amount? {
    let expected = "an amount of 0 or more" + (orNull ? ", or null for no upper limit" : "")
    guard case .number(let text) = node.value else {
      note(node, mustBe: expected)
      return nil
    }
    do {
      return try Amount(parsing: text)
    } catch {
      switch error {
      case .notANumber, .negative: note(node, mustBe: expected)
      case .tooLarge: note(node, mustBe: "less than 1000000000000000")
      case .tooPrecise: note(node, mustBe: "an amount with at most six fraction digits")
      }
      return nil
    }
  }
}

extension JSONValue {
  /// The value for a message: a text and a number cut after 40 characters, an array and an object by their types.
  package var excerpt: String {
    switch self {
    case .null, .bool, .number: description.count <= 40 ? description : description.prefix(40) + "…"
    case .string(let text): text.quotedExcerpt
    case .array(let elements): elements.isEmpty ? "an empty array" : "an array"
    case .object: "an object"
    }
  }

  /// The text of a string of 1 to 256 bytes without control characters; nil for any other value.
  package var name: String? {
    guard let text, (1...256).contains(text.utf8.count),
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { return nil }
    return text
  }
}

extension String {
  /// Indicates that the text has the form of an ISO 4217 code: three capital letters.
  package var isCurrencyCode: Bool {
    utf8.count == 3 && utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }
}
