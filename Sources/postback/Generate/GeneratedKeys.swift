internal import SKAdNetwork
internal import Signatures

/// The generated signing keys, which stand for Apple's keys, and the keys of impostors.
struct GeneratedKeys: Sendable {
  static let p256Name = "generated-p256"
  static let p192Name = "generated-p192"

  private let p256: SigningKey
  private let p192: SigningKey
  private let impostorP256: SigningKey
  private let impostorP192: SigningKey

  /// Makes the keys of a seed.
  init(seed: UInt64) throws(LibcryptoFailure) {
    func key(_ name: String, _ curve: Curve) throws(LibcryptoFailure) -> SigningKey {
      var hash = try SHA256()
      let text = Array("postback generate \(name) \(seed)".utf8)
      return try SigningKey(curve: curve, scalarFrom: try hash.digest(of: text.span))
    }
    p256 = try key(Self.p256Name, .p256)
    p192 = try key(Self.p192Name, .p192)
    impostorP256 = try key("impostor-p256", .p256)
    impostorP192 = try key("impostor-p192", .p192)
  }

  /// Returns the signing key on that curve.
  func key(_ curve: Curve, isImpostor: Bool = false) -> SigningKey {
    switch curve {
    case .p256: isImpostor ? impostorP256 : p256
    case .p192: isImpostor ? impostorP192 : p192
    }
  }

  /// The arguments with which `postback run` trusts the keys.
  var trustArguments: [String] {
    [(Self.p256Name, p256), (Self.p192Name, p192)].map { name, key in
      let base64 = Base64.standard.encode(key.subjectPublicKeyInfo)
      return "--trust-key \(name)=\(String(decoding: base64, as: UTF8.self))"
    }
  }
}
