import Signatures

/// Valid and bad signatures of one key.
struct Signed {
  let key: PublicKey
  let good: [(digest: SHA256Digest, signature: [UInt8])]

  init(_ curve: Curve, count: Int) throws {
    let signer = try SigningKey(curve: curve, scalarFrom: digest(of: "signed"))
    key = try signer.publicKey
    good = try (0..<count).map { index in
      let digest = try digest(of: "postback \(index)")
      return (digest, try signer.sign(digest, as: .raw))
    }
  }

  /// Spoils the signature at an index in one of several ways: s or r out of range, another digest, or malformed.
  func bad(_ index: Int) -> (digest: SHA256Digest, signature: [UInt8], verdict: SignatureVerdict) {
    let size = key.curve.fieldByteCount
    let (digest, signature) = good[index]
    let zero = [UInt8](repeating: 0, count: size)
    return switch index % 6 {
    case 0: (digest, signature.prefix(size) + zero, .invalid)
    case 1: (digest, signature.prefix(size) + key.curve.order, .invalid)
    case 2: (digest, zero + signature.suffix(size), .invalid)
    case 3: (good[(index + 1) % good.count].digest, signature, .invalid)
    case 4: (digest, signature.dropLast(), .malformed)
    default: (digest, [UInt8](repeating: 0xFF, count: 2 * size), .invalid)
    }
  }
}
