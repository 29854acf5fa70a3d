/// An amount of revenue that is known as a range, with an estimate in that range.
public struct Revenue: Hashable, Sendable {
  /// The model's `value` where it has one, else the middle of the range.
  public let estimate: Amount
  /// The least possible amount.
  public let minimum: Amount
  /// The exclusive upper limit, or the exact amount where it equals `minimum`; nil where there is no upper limit.
  public let maximum: Amount?

  /// No revenue, as an exact amount.
  public static let zero = Revenue(estimate: .zero, minimum: .zero, maximum: .zero)

  /// The sums of the estimates and of the limits; the sum has no upper limit where either amount has none.
  public static func + (left: Revenue, right: Revenue) -> Revenue {
    var maximum: Amount?
    if let one = left.maximum, let other = right.maximum { maximum = one + other }
    return Revenue(estimate: left.estimate + right.estimate, minimum: left.minimum + right.minimum, maximum: maximum)
  }
}
