internal import Base
internal import JSON
package import SKAdNetwork
package import Signatures

/// Verifies the signatures of postbacks. No other part of the project decides about signatures.
///
/// Verifies a batch several times as fast as single postbacks, with the same verdicts. Belongs to one task.
package struct SignatureVerifier: ~Copyable {
  let trust: TrustPolicy
  private let known: VerdictCache
  private var hash: SHA256
  private var verifier: BatchVerifier
  private var message: [UInt8] = []
  /// The verdicts on the postbacks that were added, as far as there are any.
  private var verifications: [SignatureVerification] = []
  /// The postbacks without a verdict so far.
  private var cases: [Case] = []
  /// The signatures of all.
  private(set) var signatures: [UInt8] = []
  /// The digests of the contents that they may sign.
  private var digests: [SHA256Digest] = []
  /// The key of the digests of resends; nil if there is no index of accepted postbacks.
  private let resendKey: ResendKey?
  /// The numbers that stand for the trusted keys in these digests.
  private let fingerprints: [UInt64]

  /// The lists of keys that may have signed, as indices of `TrustPolicy.keys`: one list for each trusted key alone, then one
  /// for each of SKAdNetwork's two curves.
  private let candidates: [[Int]]
  /// The key set of each list of candidates, for lookups in the cache.
  private let keySets: [VerdictCache.KeySet]

  /// A postback without a verdict so far.
  struct Case {
    /// The index of its verification.
    let index: Int
    /// The layouts that may be signed.
    let layouts: [SignedLayout]
    /// The range of its signature in the decoded signatures.
    let signature: Range<Int>
    let form: SignatureForm
    /// The list of keys that may have signed it.
    let candidates: Int
    /// The range of the digests of the content that it may sign, one for each layout.
    var digests = 0..<0
    /// The hash of its signature; nil if earlier verdicts are found in another way.
    var hash: VerdictCache.SignatureHash?
  }

  /// Makes a verifier with the trusted keys of `trust` and the earlier verdicts in `known`. With a `resendKey` it makes
  /// digests of the signatures that it accepts, by which an index recognises them; `known` then has only forgeries.
  package init(
    _ trust: TrustPolicy,
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

  /// Returns the verdict on one postback. None may be waiting.
  package mutating func verify(
    _ postback: Postback,
    of bytes: [UInt8]
  ) throws(LibcryptoFailure) -> SignatureVerification {
    try add(postback, of: bytes)
    return try verify()[0]
  }

  /// Adds a postback to those that `verify()` decides about.
  ///
  /// A postback is valid if at least one candidate key signed it under at least one of its possible layouts; otherwise
  /// it is invalid. `earlier` is the digest of the accepted postback with the same id, if there is one: a postback that agrees
  /// with it is not verified.
  package mutating func add(
    _ postback: Postback,
    of bytes: [UInt8],
    earlier: UInt64? = nil
  ) throws(LibcryptoFailure) {
    var verification = SignatureVerification(
      state: .invalid,
      key: nil,
      layout: .asSent,
      digest: try digest(postback, .asSent, bytes)
    )
    if var item = open(postback, &verification, bytes) {
      let start = digests.count
      for layout in item.layouts {
        digests.append(layout == .asSent ? verification.digest : try digest(postback, layout, bytes))
      }
      item.digests = start..<digests.count
      let (signatures, digests) = (signatures, digests)
      let signature = signatures.span.extracting(item.signature)
      let contents = digests.span.extracting(item.digests)
      if let earlier, let finding = resend(item, signature, contents, as: earlier) {
        verification.resendDigest = earlier
        verification.isResend = true
        complete(finding, item, signature, contents, &verification)
      } else {
        if resendKey == nil { item.hash = VerdictCache.SignatureHash(signature) }
        if let finding = finding(item, signature, contents) {
          complete(finding, item, signature, contents, &verification)
        } else {
          verifier.add(signature, as: item.form, of: contents, candidates: item.candidates)
          cases.append(item)
        }
      }
    }
    verifications.append(verification)
  }

  /// Returns the verdicts on all added postbacks, in their order. After success or failure, none is left.
  package mutating func verify() throws(LibcryptoFailure) -> [SignatureVerification] {
    let (cases, signatures, digests) = (cases, signatures, digests)
    var verifications = verifications
    (self.cases, self.signatures, self.digests, self.verifications) = ([], [], [], [])
    for (item, finding) in zip(cases, try verifier.find()) {
      let signature = signatures.span.extracting(item.signature)
      let contents = digests.span.extracting(item.digests)
      keep(finding, item, signature, contents)
      complete(finding, item, signature, contents, &verifications[item.index])
    }
    return verifications
  }

  /// Decodes the signature and selects the candidate keys. Returns nil, with the verification complete, if the signature
  /// cannot be verified.
  mutating func open(
    _ postback: Postback,
    _ verification: inout SignatureVerification,
    _ bytes: [UInt8]
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
    return Case(
      index: verifications.count,
      layouts: postback.layouts,
      signature: start..<signatures.count,
      form: form,
      candidates: list
    )
  }

  /// Returns the key and the content for which the signature has this digest; nil if it has it for none.
  private mutating func resend(
    _ item: Case,
    _ signature: Span<UInt8>,
    _ contents: Span<SHA256Digest>,
    as digest: UInt64
  ) -> SignatureFinding? {
    guard let resendKey else { return nil }
    for index in contents.indices {
      for key in candidates[item.candidates]
      where resendKey.digest(signature, of: contents[index], by: fingerprints[key]) == digest {
        return .signed(key: key, digest: index)
      }
    }
    return nil
  }

  /// Returns the earlier finding on the same signature of the same content; nil if the cache has none.
  private func finding(
    _ item: Case,
    _ signature: Span<UInt8>,
    _ contents: Span<SHA256Digest>
  ) -> SignatureFinding? {
    var forgeries = 0
    for index in contents.indices {
      let content = contents[index]
      if let hash = item.hash, let key = known.trustedKey(of: VerdictCache.Key(content, hash)),
        candidates[item.candidates].contains(key)
      {
        return .signed(key: key, digest: index)
      }
      if known.isForgery(signature, of: content, by: keySets[item.candidates]) { forgeries += 1 }
    }
    return forgeries == contents.count ? .invalid : nil
  }

  /// Stores the finding in the cache, so that a resend is not verified again.
  private func keep(
    _ finding: SignatureFinding,
    _ item: Case,
    _ signature: Span<UInt8>,
    _ contents: Span<SHA256Digest>
  ) {
    switch finding {
    case .signed(let key, let digest):
      if let hash = item.hash { known.insert(VerdictCache.Key(contents[digest], hash), key) }
    case .invalid:
      for index in contents.indices {
        known.insertForgery(signature, of: contents[index], by: keySets[item.candidates])
      }
    case .malformed: break
    }
  }

  /// Completes a verification with its finding.
  private mutating func complete(
    _ finding: SignatureFinding,
    _ item: Case,
    _ signature: Span<UInt8>,
    _ contents: Span<SHA256Digest>,
    _ verification: inout SignatureVerification
  ) {
    switch finding {
    case .signed(let key, let digest):
      verification.digest = contents[digest]
      if !verification.isResend {
        verification.resendDigest = resendKey?.digest(signature, of: verification.digest, by: fingerprints[key])
        verification.r = SignatureR(signature, as: item.form)
      }
      accept(key, item.layouts[digest], &verification)
    case .invalid:
      // Of a signature that fits no form, the postback is shown as it came.
      guard let last = item.layouts.lastIndex(where: { $0.sourceDigits == nil }) else { return }
      (verification.layout, verification.digest) = (item.layouts[last], contents[last])
    case .malformed: verification.state = .malformed
    }
  }

  func accept(_ key: Int, _ layout: SignedLayout, _ verification: inout SignatureVerification) {
    verification.key = key
    verification.layout = layout
    verification.state =
      if trust.keys[key].environment == .development {
        .development
      } else {
        layout.omitsFilled ? .validZeroFilled : .valid
      }
  }

  mutating func digest(
    _ postback: Postback,
    _ layout: SignedLayout,
    _ bytes: [UInt8]
  ) throws(LibcryptoFailure) -> SHA256Digest {
    var message: [UInt8] = []
    swap(&message, &self.message)
    defer { swap(&message, &self.message) }
    message.removeAll(keepingCapacity: true)
    postback.appendSignedMessage(layout, of: bytes, to: &message)
    return try hash.digest(of: message.span)
  }

  /// Returns the key of the postback: the first 128 bits of the SHA-256 of its identity.
  package mutating func key(of postback: Postback, in bytes: [UInt8]) throws(LibcryptoFailure) -> PostbackKey {
    try PostbackKey(of: postback, in: bytes, &hash, &message)
  }
}
