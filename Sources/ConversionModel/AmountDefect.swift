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
