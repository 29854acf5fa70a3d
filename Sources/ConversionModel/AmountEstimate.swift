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
    return Amount(units: sum.dividedToNearestOrEven(by: 10_000_000) * 10)
  }

  /// The estimate, rounded half to even to six digits after the point; nil if it is not a number, or its magnitude is
  /// 10²⁴ or more.
  package init?(estimate: Double) {
    guard let amount = Amount.zero.adding(estimate: estimate) else { return nil }
    self = amount
  }
}
