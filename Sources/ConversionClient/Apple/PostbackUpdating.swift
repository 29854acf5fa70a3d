internal import Foundation

/// The frameworks of Apple that are told of conversion values.
public protocol PostbackUpdating: Sendable {
  /// Sets the values of the pending postbacks; returns when Apple has accepted them.
  ///
  /// - Throws: The error of Apple's framework, which the client reports as `apple`. The same values may come again
  ///   after it.
  func update(_ values: PostbackValues) async throws
}

/// The conversion values of the pending postbacks, as `SKAdNetwork.updatePostbackConversionValue` and
/// `AdAttributionKit.Postback.updateConversionValue` take them.
public struct PostbackValues: Hashable, Sendable {
  /// The fine value, 0 to 63. Apple uses it in the first window only.
  public let fineValue: Int
  /// The coarse value; nil under the rules of SKAdNetwork 3, which has none.
  public let coarseValue: CoarseConversionValue?
  /// Indicates that the current window ends now, so that its postback is sent earlier.
  public internal(set) var locksWindow = false
  /// The conversion that the values belong to.
  public let conversionType: AdConversionType
  /// The tag of the re-engagement, from the URL that opened the app; nil without one.
  public let conversionTag: String?
}

/// The update of an install through both of Apple's frameworks.
enum InstallUpdate {
  /// Tells SKAdNetwork, and then AdAttributionKit whatever SKAdNetwork answered. Succeeds if one of both accepts the values.
  ///
  /// SKAdNetwork refuses all values in builds that are not from the App Store or TestFlight, where AdAttributionKit takes them:
  /// those of Xcode, ad hoc builds, and those of alternative marketplaces. Where SKAdNetwork accepts them, it passes them on to
  /// AdAttributionKit itself, so that an error of the second call loses nothing.
  ///
  /// Source: Apple, "Creating postbacks in developer settings" and "Understanding AdAttributionKit and SKAdNetwork
  /// interoperability".
  ///
  /// - Parameters:
  ///   - skAdNetwork: Tells SKAdNetwork.
  ///   - adAttributionKit: Tells AdAttributionKit; returns false where the device does not have it.
  /// - Throws: The error of SKAdNetwork, if both refuse the values.
  static func tell(
    skAdNetwork: () async throws -> Void,
    adAttributionKit: () async throws -> Bool
  ) async throws {
    var refusal: (any Error)?
    do { try await skAdNetwork() } catch { refusal = error }
    let isAccepted = (try? await adAttributionKit()) ?? false
    if let refusal, !isAccepted { throw refusal }
  }
}

/// A URL with which AdAttributionKit opened the app, because the user came back through an ad.
struct ReengagementOpening {
  /// The parameter that AdAttributionKit adds: `Postback.reengagementOpenURLParameter`.
  static let parameter = "AdAttributionKitReengagementOpen"

  /// The conversion tag; nil where the parameter is empty, as before iOS 18.4.
  let tag: String?

  /// Finds the parameter in a URL; nil if it has none.
  init?(_ url: URL) {
    let items = URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
    guard let item = items.first(where: { $0.name == Self.parameter }) else { return nil }
    tag = item.value.flatMap { $0.isEmpty ? nil : $0 }
  }
}
