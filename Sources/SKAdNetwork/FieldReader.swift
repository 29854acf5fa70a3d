internal import JSON

/// Reads the known fields of one parsed object as values of their types, and records the fields that were read.
///
/// A value that cannot be read is a defect where the signature covers the field. Otherwise the field is nil, recorded
/// as unreadable, and left to the extras.
struct FieldReader {
  /// The values of all fields of the object.
  let fields: [JSONField]
  let bytes: [UInt8]
  private let hasReplacedSurrogates: Bool
  /// The fields that the signature covers.
  var covered: FieldSet
  private(set) var taken = FieldSet()
  private(set) var coerced = FieldSet()
  private(set) var unreadable = FieldSet()

  init(_ document: JSONDocument, of bytes: [UInt8], covered: FieldSet) {
    fields = document.fields
    hasReplacedSurrogates = document.hasReplacedSurrogates
    (self.bytes, self.covered) = (bytes, covered)
  }

  /// The field's value; nil where it is absent or null.
  @inline(__always)
  private mutating func take(_ field: Field) -> JSONField? {
    taken.insert(field)
    let value = fields[field.rawValue]
    return value.kind == .absent || value.kind == .null ? nil : value
  }

  private func defect(_ code: RejectCode, _ field: Field, _ expected: String) -> PostbackDefect {
    PostbackDefect(code, field, expected: expected, found: fields[field.rawValue])
  }

  /// The defect of a required field without a value.
  func missing(_ field: Field) -> PostbackDefect { defect(.missingField, field, field.type.expectationOfMissing) }

  /// Records a field as read that is read elsewhere.
  mutating func skip(_ field: Field) { taken.insert(field) }

  /// Reads a string without U+2063 and U+0000; nil where it is absent or null. An empty one is an error unless
  /// `mayBeEmpty`.
  mutating func string(_ field: Field, mayBeEmpty: Bool = false) throws(PostbackDefect) -> ByteRange? {
    guard let value = take(field) else { return nil }
    guard value.kind == .string else { throw defect(.wrongType, field, "a string") }
    guard mayBeEmpty || value.text.count > 0 else { throw defect(.outOfRange, field, "a string that is not empty") }
    let text = bytes.span.extracting(value.text.indices)
    // U+2063 separates signed values; U+0000 ends strings in programs that read the tables.
    guard !text.containsForbidden else {
      throw defect(.forbiddenCharacter, field, "a string without U+2063 and U+0000")
    }
    guard !hasReplacedSurrogates || !text.containsReplacement else {
      throw PostbackDefect(
        .notJSON,
        detail: "\(field.name) contains half of a surrogate pair, which is not a character."
      )
    }
    return value.text
  }

  /// Reads a version that is a number, such as 2.2, as the text with one digit behind the point that Apple writes and
  /// signs; nil if it is no number.
  mutating func versionNumber() -> [UInt8]? {
    let value = fields[Field.version.rawValue]
    guard value.kind == .number else { return nil }
    taken.insert(.version)
    coerced.insert(.version)
    var text = Array(bytes[value.text.indices])
    guard let point = text.firstIndex(of: UInt8(ascii: ".")) else { return text + Array(".0".utf8) }
    while text.count > point + 2, text.last == UInt8(ascii: "0") { text.removeLast() }
    return text
  }

  /// Reads a domain, which may be empty, but not a number.
  mutating func domain(_ field: Field) throws(PostbackDefect) -> ByteRange? {
    guard let text = try string(field, mayBeEmpty: true) else { return nil }
    let isNumber = text.count > 0 && bytes[text.indices].allSatisfy { $0 &- UInt8(ascii: "0") <= 9 }
    guard !isNumber else { throw defect(.outOfRange, field, field.type.expectation) }
    return text
  }

  /// Reads a field with `reading`; nil where it is absent, null or an empty string, which a forwarder writes for null.
  /// A value that `reading` refuses is an error where the signature covers the field, else nil, and the field is
  /// unreadable.
  private mutating func value<Value>(
    _ field: Field,
    _ reading: (JSONKind, Span<UInt8>) -> FieldReading<Value>
  ) throws(PostbackDefect) -> Value? {
    guard let value = take(field) else { return nil }
    if value.kind == .string, value.text.count == 0 {
      coerced.insert(field)
      return nil
    }
    let code: RejectCode
    switch reading(value.kind, bytes.span.extracting(value.text.indices)) {
    case .plain(let value): return value
    case .coerced(let value):
      coerced.insert(field)
      return value
    case .wrongType: code = .wrongType
    case .outOfRange: code = .outOfRange
    }
    guard !covered.contains(field) else { throw defect(code, field, field.type.expectation) }
    taken.remove(field)
    unreadable.insert(field)
    return nil
  }

  /// Reads an integer in the field's range, the values that Apple sends.
  mutating func integer(_ field: Field) throws(PostbackDefect) -> Int64? {
    try value(field) { kind, text in FieldValue.integer(kind, text, in: field.range) }
  }

  mutating func boolean(_ field: Field) throws(PostbackDefect) -> Bool? { try value(field, FieldValue.boolean) }

  /// Reads one of a few words, in any letter case unless `isCaseSensitive`.
  mutating func word<Word: FieldWord>(
    _ field: Field,
    isCaseSensitive: Bool = false
  ) throws(PostbackDefect) -> Word? {
    try value(field) { kind, text in
      let reading: FieldReading<Word> = FieldValue.word(kind, text)
      if isCaseSensitive, case .coerced = reading { return .outOfRange }
      return reading
    }
  }

  mutating func countryCode(_ field: Field) throws(PostbackDefect) -> CountryCode? {
    try value(field) { kind, text in FieldValue.countryCode(kind, text) }
  }

  mutating func sourceIdentifier(_ field: Field) throws(PostbackDefect) -> SourceIdentifier? {
    try value(field) { kind, text in FieldValue.sourceIdentifier(kind, text) }
  }
}

extension Span<UInt8> {
  /// Indicates that the text has U+2063 (in UTF-8 E2 81 A3) or U+0000.
  fileprivate var containsForbidden: Bool {
    guard !isPlainASCII else { return false }
    for index in indices {
      let byte = self[index]
      if byte == 0 { return true }
      if byte == 0xE2, index + 2 < count, self[index + 1] == 0x81, self[index + 2] == 0xA3 { return true }
    }
    return false
  }

  /// Indicates that all bytes are from 1 to 127. Looks at eight of them at once.
  private var isPlainASCII: Bool {
    unsafe withUnsafeBytes { bytes in
      var index = 0
      var marks: UInt64 = 0
      while index + 8 <= bytes.count {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        marks |= (word &- 0x0101_0101_0101_0101) | word
        index += 8
      }
      while index < bytes.count {
        let byte = unsafe UInt64(bytes[index])
        marks |= (byte &- 1) | byte
        index += 1
      }
      return marks & 0x8080_8080_8080_8080 == 0
    }
  }

  /// Indicates that the text has U+FFFD (in UTF-8 EF BF BD).
  fileprivate var containsReplacement: Bool {
    indices.contains { index in
      self[index] == 0xEF && index + 2 < count && self[index + 1] == 0xBF && self[index + 2] == 0xBD
    }
  }
}
