// swift-format-ignore-file
// The declarations of AdAttributionKit that the client uses, as Apple documents them:
// https://developer.apple.com/documentation/adattributionkit/postback

@available(iOS 17.4, *)
public enum CoarseConversionValue: String, Hashable, Codable, Sendable {
  case low, medium, high
}

@available(iOS 17.4, *)
public struct Postback {
  @available(iOS 18.0, *)
  public static var isSupported: Bool { true }

  @available(iOS 18.0, *)
  public static var reengagementOpenURLParameter: String { "AdAttributionKitReengagementOpen" }

  @available(iOS 17.4, *)
  public static func updateConversionValue(_ fineConversionValue: Int, lockPostback: Bool) async throws {}

  @available(iOS 17.4, *)
  public static func updateConversionValue(
    _ fineConversionValue: Int,
    coarseConversionValue: CoarseConversionValue,
    lockPostback: Bool
  ) async throws {}

  @available(iOS 18.0, *)
  public static func updateConversionValue(_ postbackUpdate: PostbackUpdate) async throws {}
}

@available(iOS 18.0, *)
public struct PostbackUpdate: Sendable {
  public enum ConversionType: String, Hashable, Sendable {
    case install, reengagement
  }

  @available(iOS 18.0, *)
  public init(
    fineConversionValue: Int,
    lockPostback: Bool,
    coarseConversionValue: CoarseConversionValue? = nil,
    conversionTypes: [PostbackUpdate.ConversionType]? = nil
  ) {}

  @available(iOS 18.4, *)
  public init(
    fineConversionValue: Int,
    lockPostback: Bool,
    conversionTag: String,
    coarseConversionValue: CoarseConversionValue? = nil,
    conversionTypes: [PostbackUpdate.ConversionType]? = nil
  ) {}
}
