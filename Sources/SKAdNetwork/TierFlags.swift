/// Doubts about the unsigned fields of a postback whose signature is valid: combinations that Apple's data tiers rule
/// out, so that a field must have been edited, and fields that could not be read.
///
/// Source: Apple, "Receiving postbacks in multiple conversion windows", of StoreKit and of AdAttributionKit.
public struct TierFlags: OptionSet, Sendable {
  /// The set as bits, one for each flag.
  public let rawValue: UInt32

  /// A set of flags.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

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

  /// A country in the second or third window: Apple sends it only in the first postback of Tier 3.
  public static let countryInLaterWindow = TierFlags(rawValue: 1 << 10)
  /// A country with a coarse value in the first window: Tier 3 has fine values.
  public static let countryWithCoarse = TierFlags(rawValue: 1 << 11)
  /// A lost attribution with a country.
  public static let lostWithCountry = TierFlags(rawValue: 1 << 12)
  /// A signed marketplace in a postback that otherwise has the form of Tier 0, from which Apple omits it: the app set no coarse value
  /// (Apple, "Receiving postbacks in multiple conversion windows": "if the app provides one"), or somebody removed it.
  public static let marketplaceInTier0 = TierFlags(rawValue: 1 << 13)
  /// A source domain beside a signed source app: Apple sends one of the two.
  public static let unsignedSourceDomain = TierFlags(rawValue: 1 << 14)
  /// A conversion value that could not be read.
  public static let unreadableConversionValue = TierFlags(rawValue: 1 << 15)
  /// A coarse conversion value that could not be read.
  public static let unreadableCoarseConversionValue = TierFlags(rawValue: 1 << 16)
  /// An interaction type that could not be read.
  public static let unreadableAdInteractionType = TierFlags(rawValue: 1 << 17)
  /// A country that could not be read.
  public static let unreadableCountryCode = TierFlags(rawValue: 1 << 18)
  /// A `redownload` of version 1.0 that could not be read.
  public static let unreadableRedownload = TierFlags(rawValue: 1 << 19)
  /// A `source-app-id` of version 1.0 that could not be read.
  public static let unreadableSourceAppID = TierFlags(rawValue: 1 << 20)

  /// The flags that say that somebody edited an unsigned field.
  ///
  /// Others concern signed fields alone: with a valid signature nobody edited these, so that they say nothing about a sender.
  /// `zeroMayBeNull` doubts a value that the forwarder filled in, and `marketplaceInTier0` may come from an app without coarse values.
  /// A value that could not be read is often a missing one in the forwarder's own spelling, such as -1, which no tier rules out.
  package static let edits: TierFlags = {
    let others: TierFlags = [
      .lostWithSourceApp, .lostInLaterWindow, .sourceDigitsInLaterWindow, .sourceAppInLaterWindow, .zeroMayBeNull,
      .marketplaceInTier0,
    ]
    return TierFlags(names.map(\.flag)).subtracting(others).subtracting(TierFlags(unreadable.map(\.flag)))
  }()

  private static let ofFineValues: TierFlags = [.fineAndCoarse, .fineInLaterWindow, .lostWithConversionValue]

  /// The flags whose names a text has as JSON.
  package init(namedIn text: String) {
    self = TierFlags(Self.names.filter { text.contains("\"\($0.name)\"") }.map(\.flag))
  }

  /// Tells if the flags of a postback say that somebody edited it. A fine value of 0 where there can be none says nothing: many
  /// forwarders write a missing value so.
  package func tellEdits(fineValue: Int64?) -> Bool {
    !isDisjoint(with: fineValue == 0 ? Self.edits.subtracting(Self.ofFineValues) : Self.edits)
  }

  /// The flag for each field that may be unsigned and unreadable.
  private static let unreadable: [(field: Field, flag: TierFlags)] = [
    (.conversionValue, .unreadableConversionValue),
    (.coarseConversionValue, .unreadableCoarseConversionValue),
    (.adInteractionType, .unreadableAdInteractionType),
    (.countryCode, .unreadableCountryCode),
    (.redownload, .unreadableRedownload),
    (.sourceAppID, .unreadableSourceAppID),
  ]

  /// The flags for fields that could not be read.
  init(unreadable fields: FieldSet) {
    self.init()
    if fields.isEmpty { return }
    for (field, flag) in Self.unreadable where fields.contains(field) { insert(flag) }
  }

  /// All flags with their names in the tables.
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
    (.countryInLaterWindow, "country_in_later_window"),
    (.countryWithCoarse, "country_with_coarse"),
    (.lostWithCountry, "lost_with_country"),
    (.marketplaceInTier0, "marketplace_in_tier_0"),
    (.unsignedSourceDomain, "unsigned_source_domain"),
    (.unreadableConversionValue, "unreadable_conversion_value"),
    (.unreadableCoarseConversionValue, "unreadable_coarse_conversion_value"),
    (.unreadableAdInteractionType, "unreadable_ad_interaction_type"),
    (.unreadableCountryCode, "unreadable_country_code"),
    (.unreadableRedownload, "unreadable_redownload"),
    (.unreadableSourceAppID, "unreadable_source_app_id"),
  ]
}

extension Postback {
  /// The flags that follow from the postback itself: combinations that Apple's data tiers rule out, and unreadable
  /// fields. `zeroMayBeNull` depends on the forwarder and is not among them.
  public var tierFlags: TierFlags {
    var flags = TierFlags(unreadable: unreadableFields)
    let hasFine = conversionValue != nil
    let hasCoarse = coarseConversionValue != nil
    let hasCountry = countryCode != nil
    let hasSourceApp = (sourceAppID ?? 0) != 0
    let hasManyDigits = (sourceIdentifier?.digitCount ?? 0) > 2
    if hasFine && hasCoarse { flags.insert(.fineAndCoarse) }
    if conversionWindow > 0 {
      if hasFine { flags.insert(.fineInLaterWindow) }
      if hasManyDigits { flags.insert(.sourceDigitsInLaterWindow) }
      if hasSourceApp { flags.insert(.sourceAppInLaterWindow) }
      if hasCountry { flags.insert(.countryInLaterWindow) }
    } else if hasCoarse {
      if hasManyDigits { flags.insert(.sourceDigitsWithCoarse) }
      if hasSourceApp { flags.insert(.sourceAppWithCoarse) }
      if hasCountry { flags.insert(.countryWithCoarse) }
    }
    if !isWin {
      if conversionWindow > 0 { flags.insert(.lostInLaterWindow) }
      if hasSourceApp { flags.insert(.lostWithSourceApp) }
      if hasFine || hasCoarse { flags.insert(.lostWithConversionValue) }
      if hasCountry { flags.insert(.lostWithCountry) }
    }
    if marketplaceIdentifier != nil, hasFormOfTier0 { flags.insert(.marketplaceInTier0) }
    if unsignedSourceDomain != nil { flags.insert(.unsignedSourceDomain) }
    return flags
  }

  /// Returns the flags of a postback that is signed under the layout. Adds the flag for a conversion value of 0 that a
  /// zero-filling forwarder may have written for a null.
  public func tierFlags(signedAs layout: SignedLayout) -> TierFlags {
    var flags = tierFlags
    if layout.omitsFilled, conversionValue == 0 { flags.insert(.zeroMayBeNull) }
    return flags
  }

  /// Indicates that the postback has the form of Tier 0, apart from a marketplace: the first one of a win, with two
  /// digits of the source identifier and none of the fields that higher tiers add.
  private var hasFormOfTier0: Bool {
    isWin && conversionWindow == 0 && sourceIdentifier?.digitCount == 2 && (sourceAppID ?? 0) == 0
      && conversionValue == nil && coarseConversionValue == nil && countryCode == nil
      && !unreadableFields.contains(.conversionValue) && !unreadableFields.contains(.coarseConversionValue)
  }
}
