internal import Base
internal import JSON

/// An amount of money, or a count that may end in .5, as a decimal.
///
/// The amount is stored as a whole number of units of 10⁻⁷. An amount that was read has at most six fraction digits,
/// so the midpoint of two such amounts is exact. No binary floating point is used.
@available(iOS 18.0, *)
public struct Amount: Hashable, Comparable, Sendable {
  static let unitsPerWhole: Int128 = 10_000_000

  /// The number of units of 10⁻⁷.
  package private(set) var units: Int128

  /// The amount 0.
  public static let zero = Amount(0)

  /// A whole amount.
  public init(_ whole: Int) { units = Int128(whole) * Self.unitsPerWhole }

  package init(units: Int128) { self.units = units }

  /// The sum; exact.
  public static func + (left: Amount, right: Amount) -> Amount { Amount(units: left.units + right.units) }

  /// Adds `right`; exact.
  public static func += (left: inout Amount, right: Amount) { left.units += right.units }

  /// The product with a count; exact.
  package static func * (left: Amount, right: Int) -> Amount { Amount(units: left.units * Int128(right)) }

  /// The middle of two amounts: exact for amounts as they are read, else rounded down to a unit of 10⁻⁷.
  public static func midpoint(_ one: Amount, _ other: Amount) -> Amount {
    Amount(units: (one.units + other.units) >> 1)
  }

  /// Tells if `left` is less than `right`.
  public static func < (left: Amount, right: Amount) -> Bool { left.units < right.units }
}

@available(iOS 18.0, *)
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

@available(iOS 18.0, *)
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
  public var description: String { String(capacity: Self.maximumLength) { write(to: &$0) } }

  private static func write(_ whole: UInt128, to text: inout OutputSpan<UInt8>) {
    if whole >= 10 { write(whole / 10, to: &text) }
    text.append(UInt8(ascii: "0") + UInt8(whole % 10))
  }
}

@available(iOS 18.0, *)
extension Amount {
  /// The amount nearest to a JSON number's text, with six fraction digits; a tie goes to the even one.
  ///
  /// Meant for sums that were computed in binary floating point. Other limits are those of `init(parsing:)`. A number
  /// that has to be rounded is too precise where it has more than 21 significant digits.
  public init(rounding text: String) throws(AmountDefect) {
    var digits = JSONNumberDigits(text)
    if digits.isNegative { throw .negative }
    guard digits.read() else { throw .notANumber }
    guard digits.count > 0, digits.exponent < -6 else {
      try self.init(parsing: text)
      return
    }
    guard digits.count + digits.exponent <= 15 else { throw .tooLarge }
    guard digits.count <= 21 else { throw .tooPrecise }
    let dropped = -6 - digits.exponent
    guard dropped <= digits.count else {
      self = .zero
      return
    }
    var divisor: Int128 = 1
    for _ in 0..<dropped { divisor *= 10 }
    self.init(units: digits.significand.dividedToNearestOrEven(by: divisor) * 10)
  }

  /// Parses the amount that `write(to:)` wrote; nil for other texts, and above 10²⁸.
  package init?(written text: Span<UInt8>) {
    var (units, fractionDigits): (Int128, Int?) = (0, nil)
    let isNegative = !text.isEmpty && text[0] == UInt8(ascii: "-")
    guard text.count > (isNegative ? 1 : 0), text.count <= 38 else { return nil }
    for index in text.indices.dropFirst(isNegative ? 1 : 0) {
      switch text[index] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        guard fractionDigits != 7, units < 1 << 120 else { return nil }
        units = units * 10 + Int128(text[index] - UInt8(ascii: "0"))
        fractionDigits? += 1
      case UInt8(ascii: ".") where fractionDigits == nil: fractionDigits = 0
      default: return nil
      }
    }
    for _ in (fractionDigits ?? 0)..<7 {
      guard units < 1 << 120 else { return nil }
      units *= 10
    }
    self.init(units: isNegative ? -units : units)
  }

  /// The amount in hundredths, rounded half to even: cents, for people to read.
  package var roundedHundredths: Int128 { units.dividedToNearestOrEven(by: 100_000) }
}

/// The reason for which a number is not a valid amount.
public enum AmountDefect: Error, Hashable, Sendable {
  /// The text is no JSON number.
  case notANumber
  /// The number has a minus sign.
  case negative
  /// The number is 10¹⁵ or more.
  case tooLarge
  /// The number has too many digits: more than six significant fraction digits where it is parsed exactly, more than
  /// 21 significant digits where it is rounded.
  case tooPrecise
}

@available(iOS 18.0, *)
extension Amount {
  /// The exclusive upper bound of amounts in models and of converted amounts: 10¹⁵.
  static let limit = Amount(1_000_000_000_000_000)

  /// The next amount that can be read: 0.000001 more than this one.
  var successor: Amount { Amount(units: units + 10) }

  /// The mean, rounded down to six fraction digits; zero for an empty array.
  static func mean(_ amounts: [Amount]) -> Amount {
    guard !amounts.isEmpty else { return .zero }
    let mean = amounts.reduce(.zero, +).units / Int128(amounts.count)
    return Amount(units: mean / 10 * 10)
  }
}
