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
    self.code = code
    self.detail = detail
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
