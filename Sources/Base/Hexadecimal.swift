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

extension String {
  /// The bytes as two hexadecimal digits each, in lower case.
  package init(hexadecimal bytes: Span<UInt8>) {
    var digits: [UInt8] = []
    digits.appendHexadecimal(bytes)
    self.init(decoding: digits, as: UTF8.self)
  }
}

extension BinaryInteger {
  /// Returns the digits of the number, which is not negative, with zeros before them up to `count`.
  package func digits(_ count: Int, radix: Int = 10) -> String {
    let digits = String(self, radix: radix)
    return String(repeating: "0", count: max(count - digits.count, 0)) + digits
  }
}

extension UInt64 {
  /// The number that sixteen hexadecimal digits in lower case stand for; nil for other bytes.
  package init?(hexadecimal digits: Span<UInt8>) {
    guard digits.count == 16, let high = UInt32(hexadecimal: digits, at: 0),
      let low = UInt32(hexadecimal: digits, at: 8)
    else { return nil }
    self = UInt64(high) << 32 | UInt64(low)
  }
}

extension UInt32 {
  /// The number that the eight hexadecimal digits in lower case at a place of a text stand for; nil for other bytes.
  fileprivate init?(hexadecimal text: Span<UInt8>, at place: Int) {
    let digits = unsafe UInt64(bigEndian: text.bytes.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self))
    // All digits at once: bit 6 tells letters. Other bytes give a number too, which has other digits.
    var values = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ (digits >> 6 & 0x0101_0101_0101_0101) * 9
    values &= 0x0F0F_0F0F_0F0F_0F0F
    // Each step moves the values beside each other, until no bits are between them.
    values = (values >> 4 | values) & 0x00FF_00FF_00FF_00FF
    values = (values >> 8 | values) & 0x0000_FFFF_0000_FFFF
    self.init(truncatingIfNeeded: values >> 16 | values)
    guard hexadecimalDigits == digits else { return nil }
  }

  /// The eight digits, all computed at once, the first one in the highest byte.
  fileprivate var hexadecimalDigits: UInt64 {
    // Each step moves the upper half of each group of digits away from the lower one, until each digit has its byte.
    var digits = UInt64(self)
    digits = (digits << 16 | digits) & 0x0000_FFFF_0000_FFFF
    digits = (digits << 8 | digits) & 0x00FF_00FF_00FF_00FF
    digits = (digits << 4 | digits) & 0x0F0F_0F0F_0F0F_0F0F
    // 1 for each digit from a to f, whose letters come 39 later than digits would.
    let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return digits &+ 0x3030_3030_3030_3030 &+ letters * 39
  }
}

extension OutputSpan<UInt8> {
  /// Appends bytes as two hexadecimal digits each, in lower case.
  package mutating func append(hexadecimal bytes: Span<UInt8>) {
    var index = 0
    while index < bytes.count {
      // Four bytes at once; the places behind the last byte are not appended.
      let count = Swift.min(bytes.count - index, 4)
      var word: UInt32 = 0
      for place in 0..<count { word |= UInt32(bytes[index + place]) << UInt32(24 - 8 * place) }
      append(lowest: 2 * count, of: word.hexadecimalDigits.byteSwapped)
      index += count
    }
  }

  /// Appends a word as sixteen hexadecimal digits, in lower case.
  package mutating func append(hexadecimal word: UInt64) {
    append(lowest: 8, of: UInt32(truncatingIfNeeded: word >> 32).hexadecimalDigits.byteSwapped)
    append(lowest: 8, of: UInt32(truncatingIfNeeded: word).hexadecimalDigits.byteSwapped)
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
