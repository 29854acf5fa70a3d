internal import JSON

/// What Apple's data tiers make impossible in a postback, though its signature is right: the unsigned fields were edited.
///
/// Source: Apple, "Receiving postbacks in multiple conversion windows".
public struct TierFlags: OptionSet, Sendable {
  /// A bit for each flag.
  public let rawValue: UInt16

  /// A set of flags.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A coarse and a fine value together.
  public static let fineAndCoarse = TierFlags(rawValue: 1 << 0)
  /// A fine value in the second or third window.
  public static let fineInLaterWindow = TierFlags(rawValue: 1 << 1)
  /// More than two digits of the source identifier in the second or third window.
  public static let sourceDigitsInLaterWindow = TierFlags(rawValue: 1 << 2)
  /// A source app in the second or third window.
  public static let sourceAppInLaterWindow = TierFlags(rawValue: 1 << 3)
  /// More than two digits of the source identifier with a coarse value in the first window.
  public static let sourceDigitsWithCoarse = TierFlags(rawValue: 1 << 4)
  /// A source app with a coarse value in the first window.
  public static let sourceAppWithCoarse = TierFlags(rawValue: 1 << 5)
  /// A lost attribution in a window after the first.
  public static let lostInLaterWindow = TierFlags(rawValue: 1 << 6)
  /// A lost attribution with a source app.
  public static let lostWithSourceApp = TierFlags(rawValue: 1 << 7)
  /// A lost attribution with a conversion value.
  public static let lostWithConversionValue = TierFlags(rawValue: 1 << 8)
  /// The forwarder fills absent fields with zeros, and the conversion value is 0: it may have been null.
  public static let zeroMayBeNull = TierFlags(rawValue: 1 << 9)

  /// Every flag with its name in the tables.
  public static let names: [(flag: TierFlags, name: String)] = [
    (.fineAndCoarse, "fine_and_coarse"),
    (.fineInLaterWindow, "fine_in_later_window"),
    (.sourceDigitsInLaterWindow, "source_digits_in_later_window"),
    (.sourceAppInLaterWindow, "source_app_in_later_window"),
    (.sourceDigitsWithCoarse, "source_digits_with_coarse"),
    (.sourceAppWithCoarse, "source_app_with_coarse"),
    (.lostInLaterWindow, "lost_in_later_window"),
    (.lostWithSourceApp, "lost_with_source_app"),
    (.lostWithConversionValue, "lost_with_conversion_value"),
    (.zeroMayBeNull, "zero_may_be_null"),
  ]
}

extension Postback {
  /// What in the postback Apple's data tiers rule out.
  public var tierFlags: TierFlags {
    var flags: TierFlags = []
    let hasFine = conversionValue != nil
    let hasCoarse = coarseConversionValue != nil
    let hasSourceApp = (sourceAppID ?? 0) != 0
    let hasManyDigits = (sourceIdentifier?.count ?? 0) > 2
    if hasFine && hasCoarse { flags.insert(.fineAndCoarse) }
    if conversionWindow > 0 {
      if hasFine { flags.insert(.fineInLaterWindow) }
      if hasManyDigits { flags.insert(.sourceDigitsInLaterWindow) }
      if hasSourceApp { flags.insert(.sourceAppInLaterWindow) }
    } else if hasCoarse {
      if hasManyDigits { flags.insert(.sourceDigitsWithCoarse) }
      if hasSourceApp { flags.insert(.sourceAppWithCoarse) }
    }
    if !isWin {
      if conversionWindow > 0 { flags.insert(.lostInLaterWindow) }
      if hasSourceApp { flags.insert(.lostWithSourceApp) }
      if hasFine || hasCoarse { flags.insert(.lostWithConversionValue) }
    }
    return flags
  }
}
