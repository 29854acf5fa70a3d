internal import JSON

/// The parameters of a query that the API reads, percent-decoded (`application/x-www-form-urlencoded`).
struct QueryParameters {
  private enum Value {
    case absent
    case text(Range<Int>)
    /// The parameter occurs twice, or has a `%` without two hexadecimal digits after it.
    case broken
  }

  private let version: ConversionValueVersion
  /// The decoded values, one after the other; `values` holds their ranges.
  private var bytes: [UInt8] = []
  private var values = [Value](repeating: .absent, count: Parameter.allCases.count)

  /// Reads the text after the `?` of a request to `version`.
  init(_ query: String, version: ConversionValueVersion) {
    self.version = version
    bytes.reserveCapacity(query.utf8.count)
    let text = query.utf8.span
    var start = 0
    for index in text.indices where text[index] == UInt8(ascii: "&") {
      read(text.extracting(start..<index))
      start = index + 1
    }
    read(text.extracting(start..<text.count))
  }

  /// The decoded value of a parameter; nil if it is absent. Throws if it is broken.
  subscript(parameter: Parameter) -> ArraySlice<UInt8>? {
    get throws(ConversionValueRefusal) {
      switch values[parameter.rawValue] {
      case .absent: nil
      case .text(let range): bytes[range]
      case .broken: throw invalid(parameter)
      }
    }
  }

  /// Returns the value of a required parameter; throws if it is absent or broken.
  func required(_ parameter: Parameter) throws(ConversionValueRefusal) -> ArraySlice<UInt8> {
    guard let value = try self[parameter] else { throw invalid(parameter) }
    return value
  }

  /// Returns the decimal integer in a parameter, which must be in `range`; nil if it is absent.
  func integer(_ parameter: Parameter, in range: ClosedRange<Int>) throws(ConversionValueRefusal) -> Int? {
    guard let digits = try self[parameter] else { return nil }
    guard (1...18).contains(digits.count) else { throw invalid(parameter) }
    var value = 0
    for byte in digits {
      guard let digit = byte.decimalDigit else { throw invalid(parameter) }
      value = value * 10 + digit
    }
    guard range.contains(value) else { throw invalid(parameter) }
    return value
  }

  /// Returns the refusal of a request whose parameter is missing or malformed.
  func invalid(_ parameter: Parameter) -> ConversionValueRefusal { .invalidParameter(parameter.name(in: version)) }

  /// Reads `name=value`; a name without `=` has the empty value.
  private mutating func read(_ pair: Span<UInt8>) {
    let nameEnd = pair.indices.first { pair[$0] == UInt8(ascii: "=") } ?? pair.count
    let start = bytes.count
    let isNameWhole = decode(pair.extracting(0..<nameEnd))
    let parameter = isNameWhole ? Parameter(named: bytes.span.extracting(start..<bytes.count)) : nil
    bytes.removeSubrange(start...)
    guard let parameter else { return }
    guard case .absent = values[parameter.rawValue],
      decode(pair.extracting(min(nameEnd + 1, pair.count)..<pair.count))
    else {
      values[parameter.rawValue] = .broken
      return
    }
    values[parameter.rawValue] = .text(start..<bytes.count)
  }

  /// Appends the decoded `text` to the bytes. Returns false if a `%` is not followed by two hexadecimal digits.
  private mutating func decode(_ text: Span<UInt8>) -> Bool {
    var index = 0
    while index < text.count {
      switch text[index] {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard index + 2 < text.count, let high = text[index + 1].hexadecimalValue,
          let low = text[index + 2].hexadecimalValue
        else { return false }
        bytes.append(high << 4 | low)
        index += 2
      case let byte: bytes.append(byte)
      }
      index += 1
    }
    return true
  }
}

extension UInt8 {
  fileprivate var decimalDigit: Int? {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) ? Int(self - UInt8(ascii: "0")) : nil
  }
}
