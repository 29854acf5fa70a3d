internal import Base
internal import Signatures

/// The secret of the digests by which exact resends of accepted postbacks are recognised, however long ago they came. Each
/// state has its own.
///
/// A digest has 64 bits, and is of the signed content, the signature and the public key that verified it. The state keeps
/// it with the id of the accepted postback, and compares it only with postbacks of the same id. One that agrees is not
/// verified again, because it is rejected whatever its signature is worth: it can only be a duplicate. So a match never
/// accepts anything, and without one the signature is verified as ever.
///
/// A wrong match would call a forgery a duplicate of the postback whose id it has, instead of an invalid signature; its
/// unsigned fields would then be believed as those of a copy are. By chance that happens to one forgery in 2⁶⁴ that has a
/// known id. Nobody can look for one, because the digests and their key never leave the state: the hash is SipHash-2-4, which
/// is made for that. Hashes that are only fast, such as XXH3, give their key away to those who can try.
package struct ResendKey: Sendable {
  private let hash: SipHash

  /// Makes a key of its halves.
  package init(low: UInt64, high: UInt64) { hash = SipHash(key: low, high) }

  /// Makes a random key, for an index that no state keeps.
  package init() { self.init(low: .random(in: 0 ... .max), high: .random(in: 0 ... .max)) }

  /// Returns the number that stands for a public key in digests.
  func fingerprint(of key: TrustedKey) -> UInt64 { hash.hash(of: key.subjectPublicKeyInfo.span) }

  /// Returns the digest of a signature that a public key made of some content.
  func digest(_ signature: Span<UInt8>, of content: SHA256Digest, by fingerprint: UInt64) -> UInt64 {
    let (first, second, third, fourth) = content.words
    return hash.hash(of: (first, second, third, fourth, fingerprint), signature)
  }
}
