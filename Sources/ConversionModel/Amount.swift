internal import JSON

/// An amount of money, or a count that may end in .5, as a decimal.
///
/// The amount is stored as a whole number of units of 10⁻⁷. An amount that was read has at most six fraction digits,
/// so the midpoint of two such amounts is exact. No binary floating point is used.
public struct Amount: Hashable, Comparable, Sendable {
  static let unitsPerWhole: Int128 = 10_000_000

  private(set) var units: Int128

  /// The amount 0.
  public static let zero = Amount(0)

  /// A whole amount.
  public init(_ whole: Int) { units = Int128(whole) * Self.unitsPerWhole }

  init(units: Int128) { self.units = units }

  /// The sum; exact.
  public static func + (left: Amount, right: Amount) -> Amount { Amount(units: left.units + right.units) }

  /// Adds `right`; exact.
  public static func += (left: inout Amount, right: Amount) { left.units += right.units }

  /// The middle of two amounts: exact for amounts as they are read, else rounded down to a unit of 10⁻⁷.
  public static func midpoint(_ one: Amount, _ other: Amount) -> Amount {
    Amount(units: (one.units + other.units) >> 1)
  }

  /// Tells if `left` is less than `right`.
  public static func < (left: Amount, right: Amount) -> Bool { left.units < right.units }
}

extension Amount {
  /// The exact amount of the text of a JSON number.
  ///
  /// The text is digits, a fraction and an exponent as in RFC 8259. The amount is below 10¹⁵ and has at most six
  /// fraction digits after trailing zeros are dropped and the exponent is applied. A minus sign is an error, also
  /// before 0.
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
  /// The most bytes that `write(to:)` writes.
  public static let maximumLength = 48

  /// Writes the amount as a JSON number without trailing zeros: `9.99`, `5`, `0.005`.
  public func write(to text: inout OutputSpan<UInt8>) {
    if units < 0 { text.append(UInt8(ascii: "-")) }
    var fraction: UInt32
    if let small = UInt64(exactly: units.magnitude) {
      let (whole, rest) = small.quotientAndRemainder(dividingBy: UInt64(Self.unitsPerWhole))
      text.append(decimal: Int64(whole))
      fraction = UInt32(rest)
    } else {
      let (whole, rest) = units.magnitude.quotientAndRemainder(dividingBy: Self.unitsPerWhole.magnitude)
      Self.write(whole, to: &text)
      fraction = UInt32(rest)
    }
    guard fraction > 0 else { return }
    text.append(UInt8(ascii: "."))
    var place: UInt32 = 1_000_000
    while fraction > 0 {
      text.append(UInt8(ascii: "0") + UInt8(fraction / place))
      fraction %= place
      place /= 10
    }
  }

  /// The text that `write(to:)` writes.
  public var description: String {
    var text: [UInt8] = []
    text.append(addingCapacity: Self.maximumLength) { write(to: &$0) }
    return String(decoding: text, as: UTF8.self)
  }

  private static func write(_ whole: UInt128, to text: inout OutputSpan<UInt8>) {
    if whole >= 10 { write(whole / 10, to: &text) }
    text.append(UInt8(ascii: "0") + UInt8(whole % 10))
  }
}
