/// A JSON number taken apart: `significand` × 10^`exponent`, neither leading nor trailing zeros in the significand.
package struct JSONNumberDigits {
  /// Whether a minus sign stands before it.
  package private(set) var isNegative = false
  /// Holds only as long as `count` is at most 21, what an amount can have, and more than an `Int64` can.
  package private(set) var significand: Int128 = 0
  /// Digits of the significand; 0 for a zero.
  package private(set) var count = 0
  /// The power of ten.
  package private(set) var exponent = 0
  private var trailingZeros = 0
  private var rest: Substring.UTF8View

  /// A number that is yet to be read.
  package init(_ text: String) {
    rest = text[...].utf8
    isNegative = rest.first == UInt8(ascii: "-")
  }

  /// False where the text is not a JSON number.
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

  /// Stops counting where every amount but 0 is out of range.
  private mutating func readExponent() -> Int? {
    var value: Int?
    while let digit = takeDigit() { value = min((value ?? 0) * 10 + Int(digit), 1 << 40) }
    return value
  }
}
