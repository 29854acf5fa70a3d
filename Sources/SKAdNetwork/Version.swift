internal import JSON

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

  /// Indicates that Apple signs the version with its P-192 key; it signs later versions with the P-256 key.
  public var isSignedWithP192: Bool { PostbackFormat.skAdNetwork(self).rules.isSignedWithP192 }

  /// The fields that Apple signs, in the order of the signed text. Of an alternative at most one is signed.
  public var signedFields: [Field] { PostbackFormat.skAdNetwork(self).rules.signedFields }

  /// Tells if `left` is the older version.
  public static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  /// The version of a SKAdNetwork postback, which is 1.0 where it has none; throws for one that does not exist.
  init(_ reader: inout FieldReader) throws(PostbackDefect) {
    let number = reader.versionNumber()
    let string = number == nil ? try reader.string(.version) : nil
    guard let text = number?[...] ?? string.map({ reader.bytes[$0.indices] }) else {
      self = .v1_0
      return
    }
    guard let version = Self(text.span) else {
      throw Self.defect(reader.fields[Field.version.rawValue], isLater: Self.isLater(text))
    }
    self = version
  }

  /// The version with that number as text; nil for other texts.
  private init?(_ text: Span<UInt8>) {
    guard text.count == 3, text[1] == UInt8(ascii: ".") else { return nil }
    let (major, minor) = (text[0] &- UInt8(ascii: "0"), text[2] &- UInt8(ascii: "0"))
    guard major <= 9, minor <= 9 else { return nil }
    guard let version = Self.all.first(where: { $0.number == 10 * Int(major) + Int(minor) }) else { return nil }
    self = version
  }

  // `allCases` makes an array at each call.
  private static let all = allCases

  private static func defect(_ found: JSONField, isLater: Bool) -> PostbackDefect {
    PostbackDefect(
      isLater ? .unsupportedVersion : .unknownVersion,
      .version,
      expected: "one of " + allCases.map(\.rawValue).joined(separator: ", "),
      found: found,
      detail: isLater ? RejectCode.unsupportedVersion.explanation : nil
    )
  }

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
