internal import JSON

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
    let (quotient, remainder) = digits.significand.quotientAndRemainder(dividingBy: divisor)
    let isUp = 2 * remainder > divisor || 2 * remainder == divisor && quotient % 2 == 1
    self.init(units: (quotient + (isUp ? 1 : 0)) * 10)
  }
}
