/// A version of SKAdNetwork's postback.
public enum Version: String, CaseIterable, Sendable, Comparable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case v1_0 = "1.0"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case v2_0 = "2.0"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case v2_1 = "2.1"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case v2_2 = "2.2"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case v3_0 = "3.0"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  case v4_0 = "4.0"

  /// Indicates that Apple signs the version with its P-192 key (1.0 and 2.0); later versions use the P-256 key.
  public var isSignedWithP192: Bool { self < .v2_1 }

  /// The fields that are signed, in order. Of `source-app-id` and `source-domain` at most one is signed.
  ///
  /// Source: Apple, "Verifying an install-validation postback" and "Combining parameters for previous SKAdNetwork
  /// postback versions".
  public var signedFields: [Field] {
    switch self {
    case .v1_0: Self.signed1
    case .v2_0, .v2_1: Self.signed2
    case .v2_2: Self.signed22
    case .v3_0: Self.signed3
    case .v4_0: Self.signed4
    }
  }

  /// The fields whose values must be valid: those that the signature covers, the version and the signature.
  var covered: FieldSet {
    switch self {
    case .v1_0: Self.covered1
    case .v2_0, .v2_1: Self.covered2
    case .v2_2: Self.covered22
    case .v3_0: Self.covered3
    case .v4_0: Self.covered4
    }
  }

  // The version determines the other fields, so it must be valid even where it is not signed.
  private static func covered(_ signed: [Field]) -> FieldSet { FieldSet(signed + [.version, .attributionSignature]) }
  private static let covered1 = covered(signed1)
  private static let covered2 = covered(signed2)
  private static let covered22 = covered(signed22)
  private static let covered3 = covered(signed3)
  private static let covered4 = covered(signed4)

  private static let signed1: [Field] = [.adNetworkID, .campaignID, .appID, .transactionID]
  private static let signed2: [Field] = [
    .version, .adNetworkID, .campaignID, .appID, .transactionID, .redownload, .sourceAppID,
  ]
  private static let signed22: [Field] = signed2 + [.fidelityType]
  private static let signed3: [Field] = signed22 + [.didWin]
  private static let signed4: [Field] = [
    .version, .adNetworkID, .sourceIdentifier, .appID, .transactionID, .redownload, .sourceAppID, .sourceDomain,
    .fidelityType, .didWin, .postbackSequenceIndex,
  ]

  /// Tells if `left` is the older version.
  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  /// Tells if a text is the number of a version later than all known ones: two numbers with a period between them, as
  /// Apple writes versions.
  static func isLater(_ text: ArraySlice<UInt8>) -> Bool {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, let major = number(parts[0]), let minor = number(parts[1]) else { return false }
    guard let last = allCases.last?.number else { return true }
    return (major, minor) > (last / 10, last % 10)
  }

  /// Reads a number of one or two digits without a leading zero.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.count == 1 || digits.count == 2 && digits.first != UInt8(ascii: "0") else { return nil }
    let values = digits.map { Int($0) - Int(UInt8(ascii: "0")) }
    return values.allSatisfy((0...9).contains) ? values.reduce(0) { 10 * $0 + $1 } : nil
  }

  /// Ten times the major number plus the minor one.
  private var number: Int {
    switch self {
    case .v1_0: 10
    case .v2_0: 20
    case .v2_1: 21
    case .v2_2: 22
    case .v3_0: 30
    case .v4_0: 40
    }
  }
}
