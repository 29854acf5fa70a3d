/// What of a postback decides what it means.
public struct ReceivedConversion: Sendable {
  /// The advertised app's App Store id.
  public var appID: Int64
  /// Whose timers count.
  public var family: PostbackFamily
  /// The `postback-sequence-index`, 0 before SKAdNetwork 4.
  public var window: Int
  /// What kind of conversion it is; nil where that is not known.
  public var conversionType: ConversionType?
  /// The fine conversion value; nil where it is null, which is not 0.
  public var fineValue: Int?
  /// The coarse conversion value; nil where it is null.
  public var coarseValue: CoarseValue?
  /// When the postback came, if that is known.
  public var receivedAt: Timestamp?
  /// Whether the ad won the attribution.
  public var won: Bool
  /// The mark of a test, made during development, when timers do not run as they do elsewhere.
  public var isDevelopment: Bool

  /// A conversion as a postback says it.
  public init(
    appID: Int64,
    family: PostbackFamily,
    window: Int = 0,
    conversionType: ConversionType? = nil,
    fineValue: Int? = nil,
    coarseValue: CoarseValue? = nil,
    receivedAt: Timestamp?,
    won: Bool = true,
    isDevelopment: Bool = false
  ) {
    self.appID = appID
    self.family = family
    self.window = window
    self.conversionType = conversionType
    self.fineValue = fineValue
    self.coarseValue = coarseValue
    self.receivedAt = receivedAt
    self.won = won
    self.isDevelopment = isDevelopment
  }
}
