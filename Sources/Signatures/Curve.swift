internal import CLibcrypto

/// A curve that Apple signs postbacks with: SKAdNetwork 1.0 and 2.0 on P-192, all later ones on P-256.
public enum Curve: Hashable, Sendable, CaseIterable {
  case p192, p256

  /// The size of a coordinate, and of r and s, in bytes.
  public var fieldByteCount: Int {
    switch self {
    case .p192: 24
    case .p256: 32
    }
  }

  /// The curve's name in FIPS 186-4.
  public var name: String {
    switch self {
    case .p192: "P-192"
    case .p256: "P-256"
    }
  }

  var code: clibcrypto_curve {
    switch self {
    case .p192: clibcrypto_p192
    case .p256: clibcrypto_p256
    }
  }
}
