// Amounts and statistical estimates, which are computed in binary floating point.
@available(iOS 18.0, *)
extension Amount {
  /// The nearest binary floating point number. Meant for statistics alone.
  package var approximation: Double { Double(units) / Double(Self.unitsPerWhole) }

  /// Returns the sum of this amount and an estimate, rounded half to even to six digits after the point; nil if the
  /// estimate is not a number, or its magnitude is 10²⁴ or more.
  package func adding(estimate: Double) -> Amount? {
    guard estimate.magnitude < 1e24 else { return nil }
    // In units of 10⁻¹³, so that the estimate is rounded once only. Its whole part is exact as it is.
    let whole = estimate.rounded(.towardZero)
    let fraction = Int128(((estimate - whole) * 1e13).rounded(.toNearestOrEven))
    let sum = units * 1_000_000 + Int128(whole) * 10_000_000_000_000 + fraction
    let (quotient, remainder) = sum.magnitude.quotientAndRemainder(dividingBy: 10_000_000)
    let isUp = remainder > 5_000_000 || remainder == 5_000_000 && quotient % 2 == 1
    let rounded = Int128(isUp ? quotient + 1 : quotient) * 10
    return Amount(units: sum < 0 ? -rounded : rounded)
  }

  /// The estimate, rounded half to even to six digits after the point; nil if it is not a number, or its magnitude is
  /// 10²⁴ or more.
  package init?(estimate: Double) {
    guard let amount = Amount.zero.adding(estimate: estimate) else { return nil }
    self = amount
  }
}
