/// An amount of money, or a count that may be x.5, as a decimal.
///
/// A whole number of units of 10⁻⁷: an amount that was read has at most six fraction digits, so the midpoint of two such
/// is exact. No binary floating point comes near it.
public struct Amount: Hashable, Comparable, Sendable {
  private static let unitsPerWhole: Int128 = 10_000_000

  private var units: Int128

  /// Nothing.
  public static let zero = Amount(0)

  /// A whole amount.
  public init(_ whole: Int) { units = Int128(whole) * Self.unitsPerWhole }

  private init(units: Int128) { self.units = units }

  /// The sum; exact.
  public static func + (left: Amount, right: Amount) -> Amount { Amount(units: left.units + right.units) }

  /// Adds `right`; exact.
  public static func += (left: inout Amount, right: Amount) { left.units += right.units }

  /// The middle of two amounts: exact for amounts as they are read, else rounded down to a unit of 10⁻⁷.
  public static func midpoint(_ one: Amount, _ other: Amount) -> Amount {
    Amount(units: (one.units + other.units) >> 1)
  }

  /// Whether `left` is less than `right`.
  public static func < (left: Amount, right: Amount) -> Bool { left.units < right.units }
}

extension Amount {
  /// The amount that a JSON number's text says, exactly.
  ///
  /// Digits, a fraction and an exponent as RFC 8259 has them; below 10¹⁵, and with at most six fraction digits when
  /// trailing zeros are dropped and the exponent is applied.
  public init(parsing text: String) throws(AmountDefect) {
    var digits = JSONNumberDigits(text)
    if digits.isNegative { throw .negative }
    guard digits.read() else { throw .notANumber }
    guard digits.count > 0 else {
      self = .zero
      return
    }
    guard digits.count + digits.exponent <= 15 else { throw .tooLarge }
    guard digits.exponent >= -6 else { throw .tooPrecise }
    units = digits.significand
    for _ in 0..<(digits.exponent + 7) { units *= 10 }
  }
}

extension Amount: CustomStringConvertible {
  /// Appends the amount as a JSON number without trailing zeros: `9.99`, `5`, `0.005`.
  public func append(to text: inout [UInt8]) {
    if units < 0 { text.append(UInt8(ascii: "-")) }
    let (whole, fraction) = units.magnitude.quotientAndRemainder(dividingBy: Self.unitsPerWhole.magnitude)
    Self.append(whole, to: &text)
    guard fraction > 0 else { return }
    text.append(UInt8(ascii: "."))
    var rest = UInt32(fraction)
    var place: UInt32 = 1_000_000
    while rest > 0 {
      text.append(UInt8(ascii: "0") + UInt8(rest / place))
      rest %= place
      place /= 10
    }
  }

  /// As `append(to:)` writes it.
  public var description: String {
    var text: [UInt8] = []
    append(to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  private static func append(_ whole: UInt128, to text: inout [UInt8]) {
    guard let small = UInt64(exactly: whole) else {
      let (high, low) = whole.quotientAndRemainder(dividingBy: 10)
      append(high, to: &text)
      text.append(UInt8(ascii: "0") + UInt8(low))
      return
    }
    var place: UInt64 = 1
    while small / place >= 10 { place *= 10 }
    while place > 0 {
      text.append(UInt8(ascii: "0") + UInt8(small / place % 10))
      place /= 10
    }
  }
}
