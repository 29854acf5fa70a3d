public import JSON

/// Why bytes are no postback that could be verified.
public struct PostbackDefect: Error, Sendable {
  /// The stable code.
  public var code: RejectCode
  /// The key that is wrong, as it should stand in JSON.
  public var field: String?
  /// What should be there, in words.
  public var expected: String?
  /// What is there, in the buffer that was parsed.
  public var found: ByteRange?
  /// What happened, where the fields above do not say it all.
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
  /// An envelope's `received_at` that is no time.
  public static func receivedAt(_ text: ByteRange) -> PostbackDefect {
    let found = JSONField(kind: .string, text: text)
    return PostbackDefect(.outOfRange, .receivedAt, expected: "a time as RFC 3339 has it", found: found)
  }
}
