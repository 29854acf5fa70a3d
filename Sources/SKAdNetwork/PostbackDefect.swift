internal import Base
public import JSON

/// The reason for which bytes were rejected before verification: they are not a well-formed postback.
public struct PostbackDefect: Error, Sendable {
  /// The stable code of the reason.
  public var code: RejectCode
  /// The key that is wrong, as it should be written in JSON.
  public var field: String?
  /// A description of the expected value.
  public var expected: String?
  /// The value that was found, as a range of the parsed buffer; nil where the key is absent.
  public var found: ByteRange?
  /// An explanation, where the other properties do not suffice.
  public var detail: String?

  init(_ code: RejectCode, detail: String? = nil) {
    (self.code, self.detail) = (code, detail)
  }

  init(_ code: RejectCode, _ field: Field, expected: String, found: JSONField, detail: String? = nil) {
    self.code = code
    self.field = field.name
    self.expected = expected
    self.found = found.kind == .absent ? nil : found.text
    self.detail = detail
  }

  init(json defect: JSONDefect) {
    switch defect {
    case .notJSON(let problem): self.init(.notJSON, detail: problem)
    case .tooDeep: self.init(.tooDeep)
    case .invalidUTF8: self.init(.invalidUTF8)
    case .duplicateKey(let key):
      self.init(.duplicateKey)
      field = key
    }
  }
}

extension PostbackDefect {
  /// The defect of an envelope whose `received_at` is not an RFC 3339 time.
  public static func receivedAt(_ text: ByteRange) -> PostbackDefect {
    let found = JSONField(kind: .string, text: text)
    return PostbackDefect(.outOfRange, .receivedAt, expected: "a time as RFC 3339 has it", found: found)
  }
}

/// The reason for which a text is not a postback, with the texts that explain it.
public struct PostbackError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The stable code of the reason, of the stage `parse` or `schema`.
  public let code: RejectCode
  /// The key that is wrong; nil if no single one is. This text, `expected` and `found` are cut at 200 bytes.
  public let field: String?
  /// A description of the expected value.
  public let expected: String?
  /// The value that was found; nil where the key is absent.
  public let found: String?
  /// The reason as a sentence.
  public let explanation: String

  package init(_ defect: PostbackDefect, of bytes: [UInt8]) {
    code = defect.code
    field = defect.field.map { PostbackDefect.excerpt($0.utf8) }
    expected = defect.expected.map { PostbackDefect.excerpt($0.utf8) }
    found = defect.found.map { PostbackDefect.excerpt(bytes[$0.indices]) }
    explanation = code.explanation(of: field, expected: expected, found: found, detail: defect.detail)
  }

  /// The code and the explanation, on one line without control characters.
  public var description: String { "\(code.rawValue): \(explanation.withControlCharactersEscaped)" }
}

extension RejectCode {
  /// The explanation of one rejection: `detail` if given, else the field with its values, else the meaning of the code.
  package func explanation(of field: String?, expected: String?, found: String?, detail: String?) -> String {
    if let detail { return detail }
    if let field, let expected {
      guard let found else { return "\(field) is missing; expected \(expected)." }
      return "\(field) is \(found); expected \(expected)."
    }
    return explanation
  }
}

extension PostbackDefect {
  /// Returns at most the first 200 bytes of a text, so that it fits a table cell, followed by `…` if it is longer. The
  /// raw bytes of the record hold all of it.
  package static func excerpt(_ text: some BidirectionalCollection<UInt8>) -> String {
    guard var end = text.index(text.startIndex, offsetBy: excerptLength, limitedBy: text.endIndex), end < text.endIndex
    else { return String(decoding: text, as: UTF8.self) }
    // Not in the middle of a character: continuation bytes are 10xxxxxx.
    while end > text.startIndex, text[end] & 0xC0 == 0x80 { end = text.index(before: end) }
    return String(decoding: text[..<end], as: UTF8.self) + "…"
  }

  private static let excerptLength = 200
}
