/// The conversion values to report to Apple for a user, under a conversion model.
public struct Encoding: Hashable, Sendable {
  /// The fine value; nil in windows 1 and 2, and where no value fits.
  public let fine: Int?
  /// The coarse value; nil where the model has none that fits.
  public let coarse: CoarseValue?
  /// Indicates that the app locks the window now, so that its postback is sent early.
  public let locksWindow: Bool
  /// Indicates that the reported values decode to ranges that contain the activity's counts and revenue.
  ///
  /// False where the activity is beyond all values or between two, and where no value is reported.
  public let isExact: Bool
}
