package import SKAdNetwork
internal import Signatures

/// The form of a postback: one of SKAdNetwork's versions, or AdAttributionKit.
package enum PostbackForm: Hashable, Sendable {
  case skAdNetwork(Version)
  case adAttributionKit

  /// Every form, from the oldest version to AdAttributionKit.
  package static let all = Version.allCases.map { Self.skAdNetwork($0) } + [.adAttributionKit]

  /// Finds the form with a name; nil if no form has it.
  package init?(name: String) {
    guard let form = Self.all.first(where: { $0.name == name }) else { return nil }
    self = form
  }

  /// The name in options and in the truth file: the version, or `aak`.
  package var name: String {
    switch self {
    case .skAdNetwork(let version): version.rawValue
    case .adAttributionKit: "aak"
    }
  }

  /// The curve of the signature.
  var curve: Curve {
    switch self {
    case .skAdNetwork(let version): version.isSignedWithP192 ? .p192 : .p256
    case .adAttributionKit: .p256
    }
  }

  /// The version of SKAdNetwork; nil for AdAttributionKit.
  var version: Version? {
    switch self {
    case .skAdNetwork(let version): version
    case .adAttributionKit: nil
    }
  }

  /// Indicates that the form has three conversion windows, with coarse values.
  var hasWindows: Bool { self == .adAttributionKit || self == .skAdNetwork(.v4_0) }

  /// Indicates that the form has a conversion value.
  var hasConversionValue: Bool { self != .skAdNetwork(.v1_0) }

  /// Indicates that networks which lost an attribution receive postbacks too.
  var tellsLosers: Bool { version.map { $0 >= .v3_0 } ?? true }

  /// The fields that are signed if they are present, in Apple's order.
  var signedFields: [Field] {
    switch self {
    case .skAdNetwork(let version): version.signedFields
    case .adAttributionKit: Self.payload
    }
  }

  /// The signed fields that can be changed with the postback still well formed.
  ///
  /// The version 4.0 cannot be changed, because the other versions do not have its fields.
  package var editableFields: [Field] { signedFields.filter { $0 != .version || self != .skAdNetwork(.v4_0) } }

  /// The signed fields that are present in every postback of the form.
  var requiredFields: [Field] {
    switch self {
    case .skAdNetwork(let version):
      version.signedFields.filter { ![.version, .sourceAppID, .sourceDomain].contains($0) }
    case .adAttributionKit:
      [.adNetworkIdentifier, .postbackIdentifier, .advertisedItemIdentifier, .didWin, .postbackSequenceIndex]
    }
  }

  /// The fields in the payload of the JWS, in the order of their names, as Apple writes them.
  private static let payload: [Field] = [
    .advertisedItemIdentifier, .adNetworkIdentifier, .conversionType, .didWin, .impressionType, .marketplaceIdentifier,
    .postbackIdentifier, .postbackSequenceIndex, .publisherItemIdentifier, .sourceIdentifier,
  ]

  // MARK: - Fields with different names in the two frameworks

  var adNetwork: Field { version == nil ? .adNetworkIdentifier : .adNetworkID }
  var transaction: Field { version == nil ? .postbackIdentifier : .transactionID }
  var app: Field { version == nil ? .advertisedItemIdentifier : .appID }
  var sourceApp: Field { version == nil ? .publisherItemIdentifier : .sourceAppID }
}
