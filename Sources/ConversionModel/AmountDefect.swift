/// Why a number is not an amount.
public enum AmountDefect: Error, Hashable, Sendable {
  /// The text is no JSON number.
  case notANumber
  /// There is a minus sign.
  case negative
  /// 10¹⁵ or more.
  case tooLarge
  /// More than six fraction digits that count.
  case tooPrecise
}
