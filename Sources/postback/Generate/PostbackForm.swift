internal import SKAdNetwork
internal import Signatures

/// What kind of postback a line holds: one of SKAdNetwork's versions, or AdAttributionKit's.
enum PostbackForm: Hashable, Sendable {
  case skAdNetwork(Version)
  case adAttributionKit

  static let all = Version.allCases.map { Self.skAdNetwork($0) } + [.adAttributionKit]

  /// The form with that name; nil where there is none.
  init?(name: String) {
    guard let form = Self.all.first(where: { $0.name == name }) else { return nil }
    self = form
  }

  /// The name in options and in the truth file: the version, or `aak`.
  var name: String {
    switch self {
    case .skAdNetwork(let version): version.rawValue
    case .adAttributionKit: "aak"
    }
  }

  /// The curve that it is signed on.
  var curve: Curve {
    switch self {
    case .skAdNetwork(let version): version.isSignedWithP192 ? .p192 : .p256
    case .adAttributionKit: .p256
    }
  }

  /// SKAdNetwork's version; nil for AdAttributionKit.
  var version: Version? {
    switch self {
    case .skAdNetwork(let version): version
    case .adAttributionKit: nil
    }
  }

  /// Whether postbacks come in three conversion windows, with coarse values.
  var hasWindows: Bool { self == .adAttributionKit || self == .skAdNetwork(.v4_0) }

  /// Whether postbacks have a conversion value.
  var hasConversionValue: Bool { self != .skAdNetwork(.v1_0) }

  /// Whether losers of an attribution are told.
  var tellsLosers: Bool { version.map { $0 >= .v3_0 } ?? true }

  /// The fields that are signed where they are there, in the order in which Apple writes them.
  var signedFields: [Field] {
    switch self {
    case .skAdNetwork(let version): version.signedFields
    case .adAttributionKit: Self.payload
    }
  }

  /// The signed fields that can be changed so that the postback stays well formed.
  ///
  /// The other versions do not have 4.0's fields: there is nothing its version could become.
  var editableFields: [Field] { signedFields.filter { $0 != .version || self != .skAdNetwork(.v4_0) } }

  /// The signed fields that every postback has.
  var requiredFields: [Field] {
    switch self {
    case .skAdNetwork(let version):
      version.signedFields.filter { ![.version, .sourceAppID, .sourceDomain].contains($0) }
    case .adAttributionKit:
      [.adNetworkIdentifier, .postbackIdentifier, .advertisedItemIdentifier, .didWin, .postbackSequenceIndex]
    }
  }

  /// The payload of the JWS, whose keys Apple sorts.
  private static let payload: [Field] = [
    .advertisedItemIdentifier, .adNetworkIdentifier, .conversionType, .didWin, .impressionType, .marketplaceIdentifier,
    .postbackIdentifier, .postbackSequenceIndex, .publisherItemIdentifier, .sourceIdentifier,
  ]

  // What the forms call differently.
  var adNetwork: Field { version == nil ? .adNetworkIdentifier : .adNetworkID }
  var transaction: Field { version == nil ? .postbackIdentifier : .transactionID }
  var app: Field { version == nil ? .advertisedItemIdentifier : .appID }
  var sourceApp: Field { version == nil ? .publisherItemIdentifier : .sourceAppID }
}
