extension [UInt8] {
  /// The bytes that hexadecimal digits in either case stand for; nil for other bytes, and for an odd number of digits.
  package init?(hexadecimal digits: some Collection<UInt8>) {
    guard digits.count % 2 == 0 else { return nil }
    self.init()
    reserveCapacity(digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let value = digit.hexadecimalValue else { return nil }
      if let first = high {
        append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
  }

  /// Appends bytes as two hexadecimal digits each, in lower case.
  package mutating func appendHexadecimal(_ bytes: Span<UInt8>) {
    append(addingCapacity: 2 * bytes.count) { $0.append(hexadecimal: bytes) }
  }
}

extension OutputSpan<UInt8> {
  /// Appends bytes as two hexadecimal digits each, in lower case.
  package mutating func append(hexadecimal bytes: Span<UInt8>) {
    for index in bytes.indices {
      append(.hexadecimalDigit(bytes[index] >> 4))
      append(.hexadecimalDigit(bytes[index] & 15))
    }
  }

  /// Appends a word as sixteen hexadecimal digits, in lower case.
  package mutating func append(hexadecimal word: UInt64) {
    for shift in stride(from: UInt64(60), through: 0, by: -4) {
      append(.hexadecimalDigit(UInt8(truncatingIfNeeded: word >> shift) & 15))
    }
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit; nil where it is none.
  package var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// The digit for a value below 16, in lower case.
  package static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}
