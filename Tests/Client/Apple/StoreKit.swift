// swift-format-ignore-file
// The declarations of SKAdNetwork that the client uses, as Apple documents them for Swift:
// https://developer.apple.com/documentation/storekit/skadnetwork

open class SKAdNetwork {
  @available(iOS 16.1, *)
  public struct CoarseConversionValue: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let low = CoarseConversionValue(rawValue: "low")
    public static let medium = CoarseConversionValue(rawValue: "medium")
    public static let high = CoarseConversionValue(rawValue: "high")
  }

  // iOS 14.0 to 15.4
  open class func updateConversionValue(_ conversionValue: Int) {}

  @available(iOS 15.4, *)
  open class func updatePostbackConversionValue(_ conversionValue: Int) async throws {}

  @available(iOS 16.1, *)
  open class func updatePostbackConversionValue(
    _ fineValue: Int,
    coarseValue: SKAdNetwork.CoarseConversionValue,
    lockWindow: Bool
  ) async throws {}
}
