package import JSON

/// The result of reading a field's JSON value.
package enum FieldReading<Value> {
  /// The value in Apple's spelling.
  case plain(Value)
  /// The value in another spelling with the same meaning.
  case coerced(Value)
  /// A value of another type.
  case wrongType
  /// A value of the right type that Apple never sends.
  case outOfRange

  /// The value in either spelling; nil where it could not be read.
  package var value: Value? {
    switch self {
    case .plain(let value), .coerced(let value): value
    case .wrongType, .outOfRange: nil
    }
  }
}

/// Readers of field values, signed and unsigned alike, from the kind and text of a JSON value.
///
/// The signature decides if a signed value is right: it covers the value in Apple's spelling.
package enum FieldValue {
  /// Reads an integer: `42`, or a number or string with the same value, such as `42.0`, `4.2e1` and `"42"`.
  ///
  /// Refuses `042`, ` 42` and `-0`, which no serializer writes for an integer.
  package static func integer(
    _ kind: JSONKind,
    _ text: Span<UInt8>,
    in range: ClosedRange<Int64>
  ) -> FieldReading<Int64> {
    guard kind == .number || kind == .string else { return .wrongType }
    var isPlain = kind == .number
    var integer = Integer(plain: text)
    if case .notAnInteger = integer {
      isPlain = false
      integer = Integer(respelled: text)
    }
    switch integer {
    case .value(let value) where range.contains(value): return isPlain ? .plain(value) : .coerced(value)
    case .value, .beyondInt64: return .outOfRange
    case .notAnInteger: return .wrongType
    }
  }

  /// Reads a Boolean: `true`, `"true"` in any letter case, or a 1, and the like for `false`.
  package static func boolean(_ kind: JSONKind, _ text: Span<UInt8>) -> FieldReading<Bool> {
    switch kind {
    case .true: return .plain(true)
    case .false: return .plain(false)
    case .absent, .null, .object, .array: return .wrongType
    case .number, .string: break
    }
    if text.match("true") != .none { return .coerced(true) }
    if text.match("false") != .none { return .coerced(false) }
    return integer(kind, text, in: 0...1).value.map { .coerced($0 == 1) } ?? .wrongType
  }

  /// Reads one of a few words, in any letter case.
  package static func word<Word: FieldWord>(_ kind: JSONKind, _ text: Span<UInt8>) -> FieldReading<Word> {
    guard kind == .string else { return .wrongType }
    for word in Word.allCases {
      switch text.match(word.rawValue) {
      case .exact: return .plain(word)
      case .folded: return .coerced(word)
      case .none: continue
      }
    }
    return .outOfRange
  }

  /// Reads a country code, in any letter case, and `UK` as `GB`. Letters that are assigned to no country cannot be read.
  package static func countryCode(_ kind: JSONKind, _ text: Span<UInt8>) -> FieldReading<CountryCode> {
    guard kind == .string else { return .wrongType }
    guard text.count == 2, let code = CountryCode(text[0], text[1]) else { return .outOfRange }
    return UInt16(text[0]) << 8 | UInt16(text[1]) == code.letters ? .plain(code) : .coerced(code)
  }

  /// Reads a source identifier: a string of two to four digits, or their number, which has lost leading zeros.
  ///
  /// A number is read as its shortest identifier: 39 as `39`, not as `0039`, and 5 as `05`.
  package static func sourceIdentifier(_ kind: JSONKind, _ text: Span<UInt8>) -> FieldReading<SourceIdentifier> {
    if kind == .string { return SourceIdentifier(digits: text).map { .plain($0) } ?? .outOfRange }
    switch integer(kind, text, in: 0...9999) {
    case .plain(let number), .coerced(let number): return .coerced(SourceIdentifier(shortest: UInt16(number)))
    case .wrongType: return .wrongType
    case .outOfRange: return .outOfRange
    }
  }
}

extension FieldType {
  /// The value of an unsigned field as text for the tables; nil where it cannot be read, and for types of signed fields
  /// alone.
  package func text(_ kind: JSONKind, _ text: Span<UInt8>) -> String? {
    switch self {
    case .integer(let range): FieldValue.integer(kind, text, in: range).value.map { String($0) }
    case .word(let type): Self.word(type, kind, text)
    case .countryCode: FieldValue.countryCode(kind, text).value?.description
    case .text, .domain, .boolean, .sourceIdentifier, .signature, .json: nil
    }
  }

  private static func word<Word: FieldWord>(_: Word.Type, _ kind: JSONKind, _ text: Span<UInt8>) -> String? {
    let reading: FieldReading<Word> = FieldValue.word(kind, text)
    return reading.value?.rawValue
  }
}

private enum Integer {
  case value(Int64)
  case beyondInt64
  case notAnInteger

  /// Reads `0`, `42` and `-1`, as JSON writes integers.
  init(plain text: Span<UInt8>) {
    let isNegative = text.count > 0 && text[0] == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    self = .notAnInteger
    guard text.count > start, text[start] != UInt8(ascii: "0") || text.count == 1 else { return }
    var value: Int64 = 0
    var isBeyond = false
    for index in start..<text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return }
      let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int64(digit))
      if overflow || carry { isBeyond = true }
      value = isBeyond ? 0 : sum
    }
    self = isBeyond ? .beyondInt64 : .value(isNegative ? -value : value)
  }

  /// Reads an integer that is written with a fraction or an exponent, such as `42.0` or `4.2e1`.
  init(respelled text: Span<UInt8>) {
    var digits = JSONNumberDigits(String(copying: text))
    self = .notAnInteger
    guard digits.read(), digits.count == 0 || digits.exponent >= 0 else { return }
    guard digits.count + digits.exponent <= 19 else {
      self = digits.count == 0 ? .value(0) : .beyondInt64
      return
    }
    var value = digits.significand
    for _ in 0..<max(digits.exponent, 0) { value *= 10 }
    self = Int64(exactly: value).map { .value($0) } ?? .beyondInt64
  }
}

/// The result of comparing a text with a word.
private enum Match {
  case exact
  /// The texts are equal except for letter case.
  case folded
  case none
}

extension Span<UInt8> {
  /// Compares the text with a word in lower-case ASCII letters and underscores.
  fileprivate func match(_ word: String) -> Match {
    let word = word.utf8.span
    guard count == word.count else { return .none }
    var match = Match.exact
    for index in indices where self[index] != word[index] {
      guard self[index] | 0x20 == word[index] else { return .none }
      match = .folded
    }
    return match
  }
}

extension String {
  /// The text of a span of UTF-8.
  package init(copying text: Span<UInt8>) {
    self = unsafe text.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
