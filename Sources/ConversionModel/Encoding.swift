/// What to tell Apple of a user, by a conversion model.
public struct Encoding: Hashable, Sendable {
  /// The fine value; nil in windows 1 and 2, and where no value is fit to be said.
  public let fine: Int?
  /// The coarse value; nil where the model has none that is fit to be said.
  public let coarse: CoarseValue?
  /// Whether the window is to be locked now, so that its postback comes early.
  public let locksWindow: Bool
  /// Whether the values are true of the user: what they decode to contains the activity's counts and revenue.
  ///
  /// Not so where the activity is beyond all values, or between two.
  public let isExact: Bool
}
