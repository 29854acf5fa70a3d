internal import JSON

/// Units of a currency for one of the base: more than 0, below 10¹², with at most twelve fraction digits and 21
/// digits in all.
struct Rate: Hashable {
  /// The rate as a whole number of units of 10⁻¹².
  let units: UInt128

  static let fractionDigits = 12

  /// The rate of a JSON number's text; nil where the text is no JSON number within these limits.
  init?(_ text: String) {
    var digits = JSONNumberDigits(text)
    guard !digits.isNegative, digits.read(), digits.count > 0, digits.count <= 21,
      digits.count + digits.exponent <= 12, digits.exponent >= -Self.fractionDigits
    else { return nil }
    var units = UInt128(digits.significand)
    for _ in 0..<(digits.exponent + Self.fractionDigits) { units *= 10 }
    self.units = units
  }

  /// Indicates that the rate is 1, the rate of the base.
  var isOne: Bool { units == 1_000_000_000_000 }
}

extension Amount {
  /// The amount × `target` / `source`, rounded half to even to six fraction digits; nil where that is 10¹⁵ or more.
  func converted(from source: Rate, to target: Rate) -> Amount? {
    // The limits of rates keep the divisor below 2¹²⁸: an amount counts units of 10⁻⁷, the result units of 10⁻⁶.
    let divisor = source.units * 10
    let product = units.magnitude.multipliedFullWidth(by: target.units)
    guard product.high < divisor else { return nil }
    var (quotient, remainder) = divisor.dividingFullWidth(product)
    if remainder * 2 > divisor || remainder * 2 == divisor && quotient % 2 == 1 { quotient += 1 }
    guard quotient < Self.limit.units.magnitude / 10 else { return nil }
    let magnitude = Int128(quotient) * 10
    return Amount(units: units < 0 ? -magnitude : magnitude)
  }
}
