@available(iOS 18.0, *)
extension Amount {
  /// The difference; exact.
  public static func - (left: Amount, right: Amount) -> Amount { Amount(units: left.units - right.units) }

  /// The amount with the other sign.
  public static prefix func - (amount: Amount) -> Amount { Amount(units: -amount.units) }

  /// The quotient of `dividend` × `factor` and `divisor` × `scale`, rounded half to even to six fraction digits.
  ///
  /// Nil where the divisor is 0, where its product is 2¹²⁸ units or more, and where the quotient is 10²¹ or more.
  package static func quotient(
    _ dividend: Amount,
    times factor: Int = 1,
    by divisor: Amount,
    per scale: Int = 1
  ) -> Amount? {
    let (product, isTooLarge) = divisor.units.magnitude.multipliedReportingOverflow(by: UInt128(scale.magnitude))
    guard product > 0, !isTooLarge else { return nil }
    let millionths = dividend.units.magnitude.multipliedFullWidth(by: UInt128(factor.magnitude) * 1_000_000)
    guard let rounded = product.quotientToNearestOrEven(of: millionths), rounded < quotientLimit else { return nil }
    let sign = dividend.units.signum() * divisor.units.signum() * Int128(factor.signum() * scale.signum())
    return Amount(units: sign * Int128(rounded) * 10)
  }

  /// The exclusive upper bound of quotients in millionths: 10²⁷.
  private static var quotientLimit: UInt128 { 1_000_000_000_000_000_000_000_000_000 }
}

@available(iOS 18.0, *)
extension Int128 {
  /// Returns the quotient, rounded half to even, for a divisor above 0 and below 2¹²⁶.
  package func dividedToNearestOrEven(by divisor: Int128) -> Int128 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    let doubled = 2 * remainder.magnitude
    let isAway = doubled > divisor || doubled == divisor && quotient % 2 != 0
    return quotient + (isAway ? signum() : 0)
  }
}

@available(iOS 18.0, *)
extension UInt128 {
  /// The quotient of a number and this one, rounded half to even; nil where it is 2¹²⁸ − 1 or more.
  func quotientToNearestOrEven(of dividend: (high: UInt128, low: UInt128)) -> UInt128? {
    guard dividend.high < self else { return nil }
    let (quotient, remainder) = dividingFullWidth(dividend)
    guard quotient < .max else { return nil }
    let isUp = remainder > self - remainder || remainder == self - remainder && quotient % 2 == 1
    return isUp ? quotient + 1 : quotient
  }
}
