public import Base

/// The fields of a postback that determine the meaning of its conversion value.
public struct ReceivedConversion: Sendable {
  /// The advertised app's App Store id.
  public var appID: Int64
  /// The framework versions whose timers apply.
  public var family: PostbackFamily
  /// The `postback-sequence-index`, 0 before SKAdNetwork 4.
  public var window: Int
  /// The type of the conversion; nil where it is not known. SKAdNetwork has installs only.
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
    (self.appID, self.family, self.window) = (appID, family, window)
    self.conversionType = conversionType ?? (family == .adAttributionKit ? nil : .install)
    (self.fineValue, self.coarseValue) = (fineValue, coarseValue)
    (self.receivedAt, self.won, self.isDevelopment) = (receivedAt, won, isDevelopment)
  }
}

/// The versions of Apple's frameworks, grouped by the timers that trigger their postbacks.
public enum PostbackFamily: CaseIterable, Sendable {
  /// SKAdNetwork 1.0 to 3.0: one postback, after a timer that each update of the value restarts.
  case skadnetwork3OrEarlier
  /// SKAdNetwork 4.0: up to three postbacks, one for each conversion window, counted from the first launch.
  case skadnetwork4
  /// AdAttributionKit: the same windows, which the system ends early when a re-engagement begins.
  case adAttributionKit
}

/// The type of a conversion in AdAttributionKit. The raw values are those of model files.
///
/// SKAdNetwork has installs only.
public enum ConversionType: String, CaseIterable, Sendable {
  /// The app was installed for the first time or again; the postback has `download` or `redownload`.
  case install
  /// A user came back to the installed app; the postback has `re-engagement`.
  case reEngagement = "re-engagement"

  /// The type that stands for a postback's `conversion-type`; nil for a value that Apple does not document.
  public init?(postbackValue: Span<UInt8>) {
    if postbackValue.isText("download") || postbackValue.isText("redownload") {
      self = .install
    } else if postbackValue.isText("re-engagement") {
      self = .reEngagement
    } else {
      return nil
    }
  }
}
