internal import JSON

/// Reads the known fields of one parsed object as what they have to be, and notes which it took.
struct FieldReader {
  let document: JSONDocument
  let bytes: [UInt8]
  private(set) var taken = FieldSet()
  private(set) var coerced = FieldSet()

  init(_ document: JSONDocument, of bytes: [UInt8]) {
    self.document = document
    self.bytes = bytes
  }

  /// The field's value; nil where it is absent or null.
  private mutating func take(_ field: Field) -> JSONField? {
    taken.insert(field)
    let value = document.fields[field.rawValue]
    return value.kind == .absent || value.kind == .null ? nil : value
  }

  private func defect(_ code: RejectCode, _ field: Field, _ expected: String) -> PostbackDefect {
    PostbackDefect(code, field, expected: expected, found: document.fields[field.rawValue])
  }

  /// What an optional field holds, or a defect where it is not there.
  func required<Value>(_ value: Value?, _ field: Field, _ expected: String) throws(PostbackDefect) -> Value {
    guard let value else { throw defect(.missingField, field, expected) }
    return value
  }

  /// A string in which nothing stands that could shift what is signed.
  mutating func string(_ field: Field, mayBeEmpty: Bool = false) throws(PostbackDefect) -> ByteRange? {
    guard let value = take(field) else { return nil }
    guard value.kind == .string else { throw defect(.wrongType, field, "a string") }
    guard mayBeEmpty || value.text.count > 0 else { throw defect(.outOfRange, field, "a string that is not empty") }
    // U+2063 separates signed values; a NUL ends strings in whatever reads the tables.
    guard !bytes.span.extracting(value.text.indices).containsForbidden else {
      throw defect(.forbiddenCharacter, field, "a string without U+2063 and U+0000")
    }
    return value.text
  }

  /// A string that must have a certain form.
  mutating func string(
    _ field: Field,
    _ expected: String,
    where isRight: (ArraySlice<UInt8>) -> Bool
  ) throws(PostbackDefect) -> ByteRange? {
    guard let text = try string(field) else { return nil }
    guard isRight(bytes[text.indices]) else { throw defect(.outOfRange, field, expected) }
    return text
  }

  /// An integer in plain digits, as a number or as a string.
  mutating func integer(_ field: Field, in range: ClosedRange<Int64>) throws(PostbackDefect) -> Int64? {
    guard let value = take(field) else { return nil }
    func expected() -> String { "an integer from \(range.lowerBound) to \(range.upperBound)" }
    guard value.kind == .number || value.kind == .string else { throw defect(.wrongType, field, expected()) }
    if value.kind == .string { coerced.insert(field) }
    if value.kind == .string, value.text.count == 0 { return nil }
    switch Self.integer(bytes[value.text.indices]) {
    case .notAnInteger: throw defect(.wrongType, field, expected())
    case .value(let integer) where range.contains(integer): return integer
    case .value, .beyondInt64: throw defect(.outOfRange, field, expected())
    }
  }

  /// A Boolean, or one of the strings "true" and "false".
  mutating func boolean(_ field: Field) throws(PostbackDefect) -> Bool? {
    guard let value = take(field) else { return nil }
    switch value.kind {
    case .true: return true
    case .false: return false
    case .string:
      let text = bytes[value.text.indices]
      coerced.insert(field)
      if text.elementsEqual("true".utf8) { return true }
      if text.elementsEqual("false".utf8) { return false }
    default: break
    }
    throw defect(.wrongType, field, "true or false")
  }

  /// One of a few words; an empty string is a null that a forwarder wrote.
  mutating func word<Word: CaseIterable & RawRepresentable<String>>(
    _ field: Field,
    as type: Word.Type
  ) throws(PostbackDefect) -> Word? {
    guard let text = try optionalText(field) else { return nil }
    if let word = Word.allCases.first(where: { bytes[text.indices].elementsEqual($0.rawValue.utf8) }) { return word }
    throw defect(.outOfRange, field, "one of " + Word.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))
  }

  /// A two-letter country code (ISO 3166-1 alpha-2); an empty string is a null that a forwarder wrote.
  mutating func countryCode(_ field: Field) throws(PostbackDefect) -> ByteRange? {
    guard let text = try optionalText(field) else { return nil }
    let isCode = text.count == 2 && bytes[text.indices].allSatisfy { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }
    guard isCode else { throw defect(.outOfRange, field, "a country code of two letters") }
    return text
  }

  private mutating func optionalText(_ field: Field) throws(PostbackDefect) -> ByteRange? {
    guard let text = try string(field, mayBeEmpty: true) else { return nil }
    guard text.count > 0 else {
      coerced.insert(field)
      return nil
    }
    return text
  }

  private enum Integer {
    case value(Int64)
    case beyondInt64
    case notAnInteger
  }

  /// Takes `0`, `42`, `-1`; not `042`, `42.0`, `4.2e1`, ` 42`: only the plain form is what Apple signed.
  private static func integer(_ text: ArraySlice<UInt8>) -> Integer {
    let digits = text.first == UInt8(ascii: "-") ? text.dropFirst() : text
    guard let first = digits.first, digits.allSatisfy({ $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }),
      first != UInt8(ascii: "0") || text.count == 1
    else { return .notAnInteger }
    var value: Int64 = 0
    for digit in digits {
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
      if overflow || carry { return .beyondInt64 }
      value = sum
    }
    return .value(digits.count == text.count ? value : -value)
  }
}

extension Span<UInt8> {
  /// Whether U+2063 (in UTF-8 E2 81 A3) or U+0000 is in it.
  fileprivate var containsForbidden: Bool {
    for index in indices {
      let byte = self[index]
      if byte == 0 { return true }
      if byte == 0xE2, index + 2 < count, self[index + 1] == 0x81, self[index + 2] == 0xA3 { return true }
    }
    return false
  }
}
