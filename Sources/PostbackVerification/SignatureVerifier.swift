internal import Base
internal import JSON
package import SKAdNetwork
package import Signatures

/// Verifies the signatures of postbacks. No other part of the project decides about signatures.
///
/// Verifies a batch several times as fast as single postbacks, with the same verdicts. Belongs to one task.
package struct SignatureVerifier: ~Copyable {
  private let trust: Trust
  private let known: VerdictCache
  private var hash: SHA256
  private var verifier: BatchVerifier
  private var message: [UInt8] = []
  /// The key of the digests of resends; nil if there is no index of accepted postbacks.
  private let resendKey: ResendKey?
  /// The numbers that stand for the trusted keys in these digests.
  private let fingerprints: [UInt64]

  /// The lists of keys that may have signed, as indices of `Trust.keys`: one list for each trusted key alone, then one
  /// for each of SKAdNetwork's two curves.
  private let candidates: [[Int]]
  /// The key set of each list of candidates, for lookups in the cache.
  private let keySets: [VerdictCache.KeySet]

  /// A postback without a verdict so far.
  private struct Case {
    /// The index of its postback, and of its verification.
    let index: Int
    /// The range of its signature in the decoded signatures.
    let signature: Range<Int>
    let form: SignatureForm
    /// The list of keys that may have signed it.
    let candidates: Int
    /// The range of the digests of the content that it may sign, one for each layout.
    var digests = 0..<0
    /// The hash of its signature; nil until it is looked for among the verdicts.
    var hash: VerdictCache.SignatureHash?
  }

  /// Makes a verifier with the trusted keys of `trust` and the earlier verdicts in `known`. With a `resendKey` it makes
  /// digests of the signatures that it accepts, and recognises them.
  package init(
    _ trust: Trust,
    known: VerdictCache = VerdictCache(),
    resendKey: ResendKey? = nil
  ) throws(LibcryptoFailure) {
    let candidates =
      trust.keys.indices.map { [$0] } + [trust.keys(for: .v2_0), trust.keys(for: .v4_0)]
    let hash = try SHA256()
    let verifier = try BatchVerifier(trust.keys.map(\.key), candidates: candidates, method: trust.verification)
    self.hash = hash
    self.verifier = verifier
    self.trust = trust
    self.known = known
    self.resendKey = resendKey
    fingerprints = resendKey.map { key in trust.keys.map { key.fingerprint(of: $0) } } ?? []
    self.candidates = candidates
    keySets = candidates.map { list in VerdictCache.KeySet(list.map { trust.keys[$0].key }) }
  }

  /// Returns the verdict on one postback.
  package mutating func verify(
    _ postback: Postback,
    of bytes: [UInt8]
  ) throws(LibcryptoFailure) -> SignatureVerification {
    try verify([postback], of: bytes)[0]
  }

  /// Returns the verdicts on postbacks of one buffer, in their order.
  ///
  /// A postback is valid if at least one candidate key signed it under at least one of its possible layouts; otherwise
  /// it is invalid. `earlier` has, for each postback, the digest of the accepted postback with the same id, nil where there
  /// is none: a postback that agrees with it is not verified.
  package mutating func verify(
    _ postbacks: [Postback],
    of bytes: [UInt8],
    earlier: [UInt64?] = []
  ) throws(LibcryptoFailure) -> [SignatureVerification] {
    var verifications: [SignatureVerification] = []
    verifications.reserveCapacity(postbacks.count)
    var signatures: [UInt8] = []
    var digests: [SHA256Digest] = []
    digests.reserveCapacity(postbacks.count)
    var cases: [Case] = []
    cases.reserveCapacity(postbacks.count)
    for (index, postback) in postbacks.enumerated() {
      verifications.append(
        SignatureVerification(state: .invalid, key: nil, layout: .asSent, digest: try digest(postback, .asSent, bytes))
      )
      guard var item = open(postback, index, &verifications[index], bytes, &signatures) else { continue }
      let start = digests.count
      for layout in postback.layouts {
        digests.append(layout == .asSent ? verifications[index].digest : try digest(postback, layout, bytes))
      }
      item.digests = start..<digests.count
      let signature = signatures.span.extracting(item.signature)
      if index < earlier.count, let digest = earlier[index],
        let verdict = resend(item, signature, digests[item.digests], as: digest)
      {
        verifications[index].resendDigest = digest
        verifications[index].isResend = true
        settle(verdict, item, postback, signature, digests, &verifications[index])
        continue
      }
      item.hash = VerdictCache.SignatureHash(signature)
      if let verdict = verdict(item, signature, digests[item.digests]) {
        settle(verdict, item, postback, signature, digests, &verifications[index])
      } else {
        verifier.add(signature, as: item.form, of: digests[item.digests], candidates: item.candidates)
        cases.append(item)
      }
    }
    for (item, finding) in zip(cases, try verifier.find()) {
      let signature = signatures.span.extracting(item.signature)
      keep(finding, item, signature, digests[item.digests])
      settle(finding, item, postbacks[item.index], signature, digests, &verifications[item.index])
    }
    return verifications
  }

  /// Decodes the signature and selects the candidate keys. Returns nil, with the verification complete, if the signature
  /// cannot be verified.
  private func open(
    _ postback: Postback,
    _ index: Int,
    _ verification: inout SignatureVerification,
    _ bytes: [UInt8],
    _ signatures: inout [UInt8]
  ) -> Case? {
    let start = signatures.count
    let isDecoded: Bool
    let form: SignatureForm
    switch postback.signature {
    case .attribution(let text):
      form = .der
      isDecoded = Base64.standard.decode(bytes.span.extracting(text.indices), appendingTo: &signatures)
    case .jws(let jws):
      form = .raw
      isDecoded = Base64.url.decode(bytes.span.extracting(jws.signature.indices), appendingTo: &signatures)
      verification.key = trust.key(named: bytes[jws.keyID.indices])
      if verification.key == nil {
        verification.state = .unknownKey
        return nil
      }
    }
    guard isDecoded else {
      verification.state = .malformed
      return nil
    }
    let list: Int
    if let namedKey = verification.key {
      list = namedKey
    } else {
      guard let version = postback.version else { return nil }
      list = trust.keys.count + (version.isSignedWithP192 ? 0 : 1)
    }
    return Case(index: index, signature: start..<signatures.count, form: form, candidates: list)
  }

  /// Returns the key and the content for which the signature has this digest; nil if it has it for none.
  private mutating func resend(
    _ item: Case,
    _ signature: Span<UInt8>,
    _ contents: ArraySlice<SHA256Digest>,
    as digest: UInt64
  ) -> SignatureFinding? {
    guard let resendKey else { return nil }
    for (index, content) in contents.enumerated() {
      for key in candidates[item.candidates]
      where resendKey.digest(signature, of: content, by: fingerprints[key], &message) == digest {
        return .signed(key: key, digest: index)
      }
    }
    return nil
  }

  /// Returns the earlier finding on the same signature of the same content; nil if the cache has none.
  private func verdict(
    _ item: Case,
    _ signature: Span<UInt8>,
    _ digests: ArraySlice<SHA256Digest>
  ) -> SignatureFinding? {
    for (index, digest) in digests.enumerated() {
      guard let hash = item.hash, let key = known.trustedKey(of: VerdictCache.Key(digest, hash)) else { continue }
      if candidates[item.candidates].contains(key) { return .signed(key: key, digest: index) }
    }
    let isForgery = digests.allSatisfy { known.isForgery(signature, of: $0, by: keySets[item.candidates]) }
    return isForgery ? .invalid : nil
  }

  /// Stores the finding in the cache, so that a resend is not verified again.
  private func keep(
    _ finding: SignatureFinding,
    _ item: Case,
    _ signature: Span<UInt8>,
    _ digests: ArraySlice<SHA256Digest>
  ) {
    switch finding {
    case .signed(let key, let digest):
      guard let hash = item.hash else { return }
      known.insert(VerdictCache.Key(digests[digests.startIndex + digest], hash), key)
    case .invalid:
      for digest in digests { known.insertForgery(signature, of: digest, by: keySets[item.candidates]) }
    case .malformed: break
    }
  }

  private mutating func settle(
    _ finding: SignatureFinding,
    _ item: Case,
    _ postback: Postback,
    _ signature: Span<UInt8>,
    _ digests: [SHA256Digest],
    _ verification: inout SignatureVerification
  ) {
    switch finding {
    case .signed(let key, let digest):
      verification.digest = digests[item.digests.lowerBound + digest]
      if !verification.isResend {
        verification.resendDigest = resendKey?.digest(
          signature,
          of: verification.digest,
          by: fingerprints[key],
          &message
        )
        verification.r = SignatureR(signature, as: item.form)
      }
      accept(key, postback.layouts[digest], &verification)
    case .invalid:
      guard let last = postback.layouts.last else { return }
      (verification.layout, verification.digest) = (last, digests[item.digests.upperBound - 1])
    case .malformed: verification.state = .malformed
    }
  }

  private func accept(_ key: Int, _ layout: SignedLayout, _ verification: inout SignatureVerification) {
    verification.key = key
    verification.layout = layout
    verification.state =
      if trust.keys[key].environment == .development {
        .development
      } else {
        switch layout {
        case .asSent: .valid
        case .withoutZeroFilled: .validZeroFilled
        }
      }
  }

  private mutating func digest(
    _ postback: Postback,
    _ layout: SignedLayout,
    _ bytes: [UInt8]
  ) throws(LibcryptoFailure) -> SHA256Digest {
    try digest { message in postback.appendSignedMessage(layout, of: bytes, to: &message) }
  }

  /// Returns the signature that another process found valid with the same trusted keys: that of a key, under a layout.
  /// Returns nil if it cannot have found it, because no such key is trusted or the postback has no such layout.
  ///
  /// The signature is not verified again: the caller answers for the other process.
  package mutating func restored(
    _ postback: Postback,
    of bytes: [UInt8],
    keyID: ArraySlice<UInt8>,
    _ layout: SignedLayout
  ) throws(LibcryptoFailure) -> AcceptedSignature? {
    guard let key = trust.keys.firstIndex(where: { keyID.elementsEqual($0.id.utf8) }),
      postback.layouts.contains(layout)
    else { return nil }
    var verification = SignatureVerification(
      state: .invalid,
      key: key,
      layout: layout,
      digest: try digest(postback, layout, bytes)
    )
    var signature: [UInt8] = []
    guard let item = open(postback, 0, &verification, bytes, &signature) else { return nil }
    verification.r = SignatureR(signature.span, as: item.form)
    accept(key, layout, &verification)
    return verification.accepted
  }

  /// Returns the key of the postback: the first 128 bits of the SHA-256 of its identity.
  package mutating func key(of postback: Postback, in bytes: [UInt8]) throws(LibcryptoFailure) -> PostbackKey {
    PostbackKey(try digest { message in postback.appendIdentity(of: bytes, to: &message) })
  }

  private mutating func digest(of write: (inout [UInt8]) -> Void) throws(LibcryptoFailure) -> SHA256Digest {
    var message: [UInt8] = []
    swap(&message, &self.message)
    defer { swap(&message, &self.message) }
    message.removeAll(keepingCapacity: true)
    write(&message)
    return try hash.digest(of: message.span)
  }
}
