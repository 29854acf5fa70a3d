/// What is known of an amount of revenue: the range that a conversion value stands for, and the best guess in it.
public struct Revenue: Hashable, Sendable {
  /// The model's `value` where it has one, else the middle of the range.
  public let estimate: Amount
  /// The least that it can be.
  public let minimum: Amount
  /// What it stays below, or what it is where that equals `minimum`; nil where there is no upper limit.
  public let maximum: Amount?

  /// Known to be nothing.
  public static let zero = Revenue(estimate: .zero, minimum: .zero, maximum: .zero)

  /// The sums of the estimates and of the limits; open where either is.
  public static func + (left: Revenue, right: Revenue) -> Revenue {
    var maximum: Amount?
    if let one = left.maximum, let other = right.maximum { maximum = one + other }
    return Revenue(estimate: left.estimate + right.estimate, minimum: left.minimum + right.minimum, maximum: maximum)
  }
}
