/// The parts of a JSON number: `significand` × 10^`exponent`. The significand has no leading and no trailing zeros.
@available(iOS 18.0, *)
package struct JSONNumberDigits {
  /// Indicates a minus sign before the number.
  package private(set) var isNegative = false
  /// The significand; valid only while `count` is at most 21, the limit for amounts, which is more than an `Int64` can
  /// hold.
  package private(set) var significand: Int128 = 0
  /// The number of digits of the significand; 0 for a zero.
  package private(set) var count = 0
  /// The power of ten.
  package private(set) var exponent = 0
  private var trailingZeros = 0
  private var rest: Substring.UTF8View

  /// A number whose digits `read()` has yet to read.
  package init(_ text: String) {
    rest = text[...].utf8
    isNegative = rest.first == UInt8(ascii: "-")
  }

  /// Reads the digits; false where the text is not a JSON number, or has a minus sign.
  package mutating func read() -> Bool {
    let hasLeadingZero = rest.first == UInt8(ascii: "0")
    let whole = readDigits()
    guard whole > 0, !hasLeadingZero || whole == 1 else { return false }
    if take(UInt8(ascii: ".")) {
      let fraction = readDigits()
      guard fraction > 0 else { return false }
      exponent -= fraction
    }
    exponent += trailingZeros
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      let isMinus = take(UInt8(ascii: "-"))
      if !isMinus { _ = take(UInt8(ascii: "+")) }
      guard let written = readExponent() else { return false }
      exponent += isMinus ? -written : written
    }
    return rest.isEmpty
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard rest.first == byte else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func takeDigit() -> UInt8? {
    guard let byte = rest.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
    rest.removeFirst()
    return byte - UInt8(ascii: "0")
  }

  private mutating func readDigits() -> Int {
    var read = 0
    while let digit = takeDigit() {
      read += 1
      if digit == 0 {
        if count > 0 { trailingZeros += 1 }
        continue
      }
      count += trailingZeros + 1
      if count <= 21 {
        for _ in 0...trailingZeros { significand *= 10 }
        significand += Int128(digit)
      }
      trailingZeros = 0
    }
    return read
  }

  /// Reads the digits of the exponent; nil where there are none. Stops at 2⁴⁰, beyond which every number but 0 is out
  /// of range.
  private mutating func readExponent() -> Int? {
    var value: Int?
    while let digit = takeDigit() { value = min((value ?? 0) * 10 + Int(digit), 1 << 40) }
    return value
  }
}
