internal import JSON

/// The format of a postback: a version of SKAdNetwork, or AdAttributionKit.
///
/// `rules` has everything in which the formats differ. Parsing, the signed text, the search for changes and the
/// generator of test data follow from it.
public enum PostbackFormat: Hashable, Sendable, CaseIterable {
  /// A version of SKAdNetwork.
  case skAdNetwork(Version)
  /// AdAttributionKit, whose postbacks have no version.
  case adAttributionKit

  /// All formats: SKAdNetwork's versions from the oldest, then AdAttributionKit.
  public static let allCases = Version.allCases.map { PostbackFormat.skAdNetwork($0) } + [.adAttributionKit]

  /// The framework that sends postbacks of the format.
  public var framework: Framework { version == nil ? .adAttributionKit : .skAdNetwork }

  /// The version of SKAdNetwork; nil for AdAttributionKit.
  public var version: Version? { if case .skAdNetwork(let version) = self { version } else { nil } }

  /// The rules of the format.
  public var rules: FormatRules {
    switch self {
    case .skAdNetwork(.v1_0): .version1
    case .skAdNetwork(.v2_0): .version2
    case .skAdNetwork(.v2_1): .version21
    case .skAdNetwork(.v2_2): .version22
    case .skAdNetwork(.v3_0): .version3
    case .skAdNetwork(.v4_0): .version4
    case .adAttributionKit: .adAttributionKit
    }
  }
}

/// The rules of one format: its fields, those that Apple signs, and the curve of Apple's key.
public final class FormatRules: Sendable {
  /// A field of the format.
  public struct Member: Sendable {
    /// The field.
    public let field: Field
    /// The condition under which postbacks have the field.
    public let presence: Presence

    static func required(_ field: Field) -> Member { Member(field: field, presence: .required) }
    static func optional(_ field: Field) -> Member { Member(field: field, presence: .optional) }
    static func optional(_ field: Field, insteadOf other: Field) -> Member {
      Member(field: field, presence: .alternative(to: other))
    }
  }

  /// The condition under which postbacks have a field.
  public enum Presence: Sendable, Equatable {
    /// Every postback has the field.
    case required
    /// Some postbacks have the field.
    case optional
    /// Some postbacks have the field in the place of the other one, and never both.
    case alternative(to: Field)
  }

  /// The members that Apple signs: for SKAdNetwork in the order of the signed text, for AdAttributionKit the payload of
  /// the JWS.
  public let signed: [Member]
  /// The members that Apple does not sign.
  public let unsigned: [Member]
  /// Indicates that Apple signs the format with its P-192 key; it signs all others with the P-256 key.
  public let isSignedWithP192: Bool
  /// The fields of `signed`, in their order.
  public let signedFields: [Field]
  let signedSet: FieldSet
  let unsignedSet: FieldSet
  /// The optional fields of the signed text, for which a forwarder may have filled in a value.
  let fillable: [Field]

  private init(withP192: Bool = false, signed: [Member], unsigned: [Member]) {
    isSignedWithP192 = withP192
    (self.signed, self.unsigned) = (signed, unsigned)
    signedFields = signed.map(\.field)
    signedSet = FieldSet(signedFields)
    unsignedSet = FieldSet(unsigned.map(\.field))
    // A JWS is signed as it is, so that nothing can be filled in.
    let isText = unsigned.contains { $0.field == .attributionSignature }
    fillable = isText ? signed.filter { $0.presence != .required }.map(\.field) : []
  }

  /// Tells if Apple signs the field where a postback has it.
  public func signs(_ field: Field) -> Bool { signedSet.contains(field) }

  /// Tells if postbacks may have the field, signed or not.
  public func has(_ field: Field) -> Bool { signedSet.contains(field) || unsignedSet.contains(field) }

  /// Indicates that Apple signs the app that showed the ad, where a postback names one.
  var signsSourceApp: Bool { signs(.sourceAppID) || signs(.publisherItemIdentifier) }
}

// MARK: - The table

// Source: Apple, "Identifying the parameters in install-validation postbacks", "Verifying an install-validation
// postback", "Combining parameters for previous SKAdNetwork postback versions", and for AdAttributionKit "Identifying
// the parameters in a postback".
extension FormatRules {
  fileprivate static let version1 = FormatRules(
    withP192: true,
    signed: [.required(.adNetworkID), .required(.campaignID), .required(.appID), .required(.transactionID)],
    unsigned: [
      .optional(.version), .optional(.redownload), .optional(.sourceAppID), .optional(.countryCode),
      .required(.attributionSignature),
    ]
  )

  fileprivate static let version2 = FormatRules(
    withP192: true,
    signed: [
      .required(.version), .required(.adNetworkID), .required(.campaignID), .required(.appID),
      .required(.transactionID), .required(.redownload), .optional(.sourceAppID),
    ],
    unsigned: [.optional(.conversionValue), .optional(.countryCode), .required(.attributionSignature)]
  )

  fileprivate static let version21 = FormatRules(signed: version2.signed, unsigned: version2.unsigned)

  fileprivate static let version22 = FormatRules(
    signed: version2.signed + [.required(.fidelityType)],
    unsigned: version2.unsigned
  )

  fileprivate static let version3 = FormatRules(
    signed: version22.signed + [.required(.didWin)],
    unsigned: version2.unsigned
  )

  fileprivate static let version4 = FormatRules(
    signed: [
      .required(.version), .required(.adNetworkID), .required(.sourceIdentifier), .required(.appID),
      .required(.transactionID), .required(.redownload), .optional(.sourceAppID),
      .optional(.sourceDomain, insteadOf: .sourceAppID), .required(.fidelityType), .required(.didWin),
      .required(.postbackSequenceIndex),
    ],
    unsigned: [
      .optional(.conversionValue), .optional(.coarseConversionValue), .optional(.countryCode),
      .required(.attributionSignature),
    ]
  )

  fileprivate static let adAttributionKit = FormatRules(
    signed: [
      .required(.advertisedItemIdentifier), .required(.adNetworkIdentifier), .optional(.conversionType),
      .required(.didWin), .optional(.impressionType), .optional(.marketplaceIdentifier),
      .required(.postbackIdentifier), .required(.postbackSequenceIndex), .optional(.publisherItemIdentifier),
      .optional(.sourceIdentifier),
    ],
    unsigned: [
      .required(.jwsString), .optional(.conversionValue), .optional(.coarseConversionValue),
      .optional(.adInteractionType), .optional(.countryCode),
    ]
  )
}

// MARK: - Sets of formats

extension Framework {
  /// The fields that at least one format of the framework signs.
  package var signedFields: [Field] { self == .skAdNetwork ? Self.signedBySKAdNetwork : Self.signedByAdAttributionKit }

  private static let signedBySKAdNetwork = Field.allCases.filter { field in
    Version.allCases.contains { PostbackFormat.skAdNetwork($0).rules.signs(field) }
  }
  private static let signedByAdAttributionKit = PostbackFormat.adAttributionKit.rules.signedFields
}

extension FormatRules {
  /// The optional fields of all signed texts, for which a forwarder may have filled in a value.
  package static let fillable = Field.allCases.filter { field in
    PostbackFormat.allCases.contains { $0.rules.fillable.contains(field) }
  }
}

extension Field {
  /// The fields of a postback that no format signs, apart from the signatures themselves.
  package static let neverSigned: [Field] = allCases.filter { field in
    field != .attributionSignature && field != .jwsString
      && PostbackFormat.allCases.contains { $0.rules.unsigned.contains { $0.field == field } }
      && !PostbackFormat.allCases.contains { $0.rules.signs(field) }
  }
}

// MARK: - The signed text of SKAdNetwork

extension FormatRules {
  /// U+2063, invisible separator, in UTF-8: it stands between the values of the signed text.
  static let separator: [3 of UInt8] = [0xE2, 0x81, 0xA3]

  /// Appends the text that Apple signs: the values of the signed fields that a postback has, joined by U+2063.
  ///
  /// `appendValue` appends the value of a field as text; it returns false, and appends nothing, where the postback has
  /// none. It is not called for an alternative to a field that was appended.
  @inline(__always)
  package func appendSignedText(
    to message: inout [UInt8],
    _ appendValue: (Field, inout [UInt8]) -> Bool
  ) {
    let start = message.count
    var appended = FieldSet()
    for member in signed {
      if case .alternative(let other) = member.presence, appended.contains(other) { continue }
      let end = message.count
      if end > start { message.append(copying: Self.separator.span) }
      if appendValue(member.field, &message) {
        appended.insert(member.field)
      } else {
        message.removeLast(message.count - end)
      }
    }
  }
}
