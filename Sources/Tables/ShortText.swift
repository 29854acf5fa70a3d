internal import Base

/// A text of up to 16 bytes, which is held in registers.
struct ShortText {
  /// The bytes, the first one lowest. Those behind the last one are of no significance.
  let bytes: UInt128
  let count: Int

  /// The digits of an integer from 0 to 10¹⁶ − 1; nil for others.
  @inline(__always)
  init?(decimal value: Int64) {
    guard 0..<10_000_000_000_000_000 ~= value else { return nil }
    let number = UInt64(value)
    if number < 10 {
      (bytes, count) = (UInt128(0x30 | number), 1)
    } else if number < 100_000_000 {
      let digits = number.eightDigits
      let zeroBits = digits.bitsOfLeadingZeros
      (bytes, count) = (UInt128(digits >> UInt64(zeroBits)), 8 - zeroBits / 8)
    } else {
      let (high, low) = number.quotientAndRemainder(dividingBy: 100_000_000)
      let digits = high.eightDigits
      let zeroBits = digits.bitsOfLeadingZeros
      bytes = (UInt128(low.eightDigits) << 64 | UInt128(digits)) >> UInt128(zeroBits)
      count = 16 - zeroBits / 8
    }
  }

  /// The word for a Boolean.
  @inline(__always)
  init(_ value: Bool) {
    // "true" or "false".
    bytes = value ? 0x6575_7274 : 0x65_736C_6166
    count = value ? 4 : 5
  }
}
