public import Base

/// The fields of a postback that determine the meaning of its conversion value.
public struct ReceivedConversion: Sendable {
  /// The advertised app's App Store id.
  public var appID: Int64
  /// The framework versions whose timers apply.
  public var family: PostbackFamily
  /// The `postback-sequence-index`, 0 before SKAdNetwork 4.
  public var window: Int
  /// The type of the conversion; nil where it is not known.
  public var conversionType: ConversionType?
  /// The fine conversion value; nil where it is null, which is not 0.
  public var fineValue: Int?
  /// The coarse conversion value; nil where it is null.
  public var coarseValue: CoarseValue?
  /// The time at which the postback was received; nil where it is not known.
  public var receivedAt: Timestamp?
  /// Indicates that the ad won the attribution.
  public var won: Bool
  /// Indicates a test postback, made during development, when timers run differently.
  public var isDevelopment: Bool

  /// A conversion with the fields of a postback.
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
