package import PostbackVerification
internal import Base
internal import JSON
package import Ledger
internal import DurableFiles
package import SKAdNetwork
package import Signatures

/// An accepted postback that a trusted key signed. Its unsigned fields may still have been edited.
///
/// A class, because the later stages hand it on and would otherwise copy it each time.
package final class Verified: Sendable {
  /// The postback, in the form that is signed.
  package let parsed: Parsed
  package let signature: AcceptedSignature
  /// The name of the key that signed it.
  package let keyID: [UInt8]
  /// The environment of the key that signed it, or development if a placeholder stands for a real id.
  package let environment: Environment
  /// The key of the postback.
  package let key: PostbackKey
  /// The unsigned fields, packed to be compared with those of other copies.
  package let unsignedFields: UnsignedFields
  /// The doubts about the unsigned fields.
  package let tierFlags: TierFlags
  /// The position in the log of accepted postbacks before which none on disk has the key.
  let searchedUpTo: Int64

  fileprivate init(
    _ parsed: Parsed,
    _ signature: AcceptedSignature,
    _ keyID: [UInt8],
    _ environment: Environment,
    _ key: PostbackKey,
    _ unsignedFields: UnsignedFields,
    searchedUpTo: Int64
  ) {
    precondition(!signature.isResend, "the signature of an accepted postback was verified")
    self.parsed = parsed
    self.signature = signature
    self.keyID = keyID
    self.environment = environment
    self.key = key
    self.unsignedFields = unsignedFields
    self.searchedUpTo = searchedUpTo
    tierFlags = parsed.postback.tierFlags(signedAs: signature.layout)
  }

  /// The entry of the postback in the index.
  package var seen: RecentIndex.Seen {
    RecentIndex.Seen(key, signature.digest, unsignedFields, resend: signature.resendDigest)
  }
}

extension Batch<Parsed> {
  /// Accepts the postbacks that a trusted key signed (stage `signature`) and whose app and network are allowed (stage
  /// `policy`).
  ///
  /// Those whose key `index` has are rejected as duplicates (stage `dedup`), exact resends without verifying their signature,
  /// and those that were removed on a person's request without a trace of their content.
  /// Signatures that `known` has are not verified again; new findings are stored in it, with an index only forgeries.
  package func verified(
    by trust: TrustPolicy,
    known: VerdictCache = VerdictCache(),
    _ index: SeenIndex? = nil
  ) throws(PipelineFailure) -> Batch<Verified> {
    var gate = try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in
      try SignatureGate(trust, known: known, index?.resendKey)
    }
    let keys = try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in try gate.keys(of: self) }
    let earlier: SeenIndex.Findings?
    do throws(FileFailure) { earlier = try index?.find(keys) } catch { throw .state(error) }
    return try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in
      let forgotten = index?.forgotten ?? ForgottenIDs()
      let verified = try gate.verify(self, keys, earlier, forgotten: forgotten.keys)
      return try forgotten.isEmpty ? verified : verified.withoutPieces(of: forgotten)
    }
  }
}

extension Batch<Verified> {
  /// Takes the content out of records that the parser refused and that may be pieces of forgotten postbacks.
  fileprivate consuming func withoutPieces(of forgotten: ForgottenIDs) throws(LibcryptoFailure) -> Batch<Verified> {
    var batch = self
    var hash = try SHA256()
    for (index, outcome) in batch.outcomes.enumerated() {
      guard case .rejected(let rejection) = outcome, [.parse, .schema].contains(rejection.code.stage) else { continue }
      let id = rejection.claims.transactionID.map { batch.bytes[$0.indices] }
      let key = try forgotten.key(ofClaimed: id, in: batch.bytes[rejection.record.bytes.indices], &hash)
      if let key { batch.outcomes[index] = .rejected(Rejection(forgotten: rejection, key)) }
    }
    return batch
  }
}

/// Turns the verdicts on a batch into outcomes.
package struct SignatureGate: ~Copyable {
  private let trust: TrustPolicy
  /// The names of the trusted keys, by their index in `TrustPolicy.keys`.
  private let keyIDs: [[UInt8]]
  private var verifier: SignatureVerifier

  /// Makes a gate for the keys, apps and networks of `trust`.
  package init(
    _ trust: TrustPolicy,
    known: VerdictCache = VerdictCache(),
    _ resendKey: ResendKey? = nil
  ) throws(LibcryptoFailure) {
    self.trust = trust
    keyIDs = trust.keys.map { Array($0.id.utf8) }
    verifier = try SignatureVerifier(trust, known: known, resendKey: resendKey)
  }

  /// Returns the keys of the postbacks of a batch that are well formed.
  fileprivate mutating func keys(of batch: Batch<Parsed>) throws(LibcryptoFailure) -> [PostbackKey] {
    var keys: [PostbackKey] = []
    keys.reserveCapacity(batch.outcomes.count)
    for case .accepted(let parsed) in batch.outcomes {
      keys.append(try verifier.key(of: parsed.postback, in: batch.bytes))
    }
    return keys
  }

  /// Verifies the postbacks of a batch; those that fail, and those that were accepted earlier, become rejections.
  fileprivate mutating func verify(
    _ batch: Batch<Parsed>,
    _ keys: [PostbackKey],
    _ earlier: SeenIndex.Findings?,
    forgotten: Set<PostbackKey>
  ) throws(LibcryptoFailure) -> Batch<Verified> {
    var index = 0
    for case .accepted(let parsed) in batch.outcomes {
      try verifier.add(parsed.postback, of: batch.bytes, earlier: earlier?.entries[index]?.resend)
      index += 1
    }
    let verifications = try verifier.verify()
    index = 0
    return batch.map { parsed in
      defer { index += 1 }
      if forgotten.contains(keys[index]) { return .rejected(Rejection(forgotten: parsed, keys[index])) }
      switch outcome(of: parsed, verifications[index], batch.bytes) {
      case .rejected(let rejection): return .rejected(rejection)
      case .accepted(let signature):
        let key = keys[index]
        guard let first = earlier?.entries[index] else {
          return .accepted(verified(parsed, signature, key, of: batch.bytes, searchedUpTo: earlier?.end ?? 0))
        }
        let parsed = parsed.restoringSigned(signature.layout)
        let unsigned = UnsignedFields(parsed.postback, of: batch.bytes)
        let seen = RecentIndex.Seen(key, signature.digest, unsigned, resend: signature.resendDigest)
        return .rejected(Rejection(seen.admission(after: first), parsed, key, of: batch.bytes))
      }
    }
  }

  private func verified(
    _ parsed: Parsed,
    _ signature: AcceptedSignature,
    _ key: PostbackKey,
    of bytes: [UInt8],
    searchedUpTo: Int64 = 0
  ) -> Verified {
    let environment = trust.environment(of: parsed.postback, signedBy: signature.key, signature.layout, in: bytes)
    let parsed = parsed.restoringSigned(signature.layout)
    let unsigned = UnsignedFields(parsed.postback, of: bytes)
    let keyID = keyIDs[signature.key]
    return Verified(parsed, signature, keyID, environment, key, unsigned, searchedUpTo: searchedUpTo)
  }

  /// Returns the signature of a postback that is accepted after that verification, or the rejection.
  package func outcome(
    of parsed: Parsed,
    _ verification: SignatureVerification,
    _ bytes: [UInt8]
  ) -> Outcome<AcceptedSignature> {
    guard let signature = verification.accepted else {
      return .rejected(unverified(parsed, verification.state, bytes))
    }
    return refusal(of: parsed, signature, bytes).map { .rejected($0) } ?? .accepted(signature)
  }

  /// Returns the rejection of a postback whose signature is valid and whose key, app or network is not allowed.
  private func refusal(of parsed: Parsed, _ signature: AcceptedSignature, _ bytes: [UInt8]) -> Rejection? {
    if trust.isBeforeItsKey(signature, receivedAt: parsed.arrival.receivedAt) {
      return beforeItsKey(parsed, trust.keys[signature.key])
    }
    if !trust.accepts(signature) { return Rejection(.developmentKey, parsed) }
    let postback = parsed.postback
    if let apps = trust.allowedApps, !apps.contains(postback.appID) { return Rejection(.appNotAllowed, parsed) }
    if let networks = trust.allowedNetworks {
      let network = String(decoding: bytes[postback.adNetworkID.indices], as: UTF8.self)
      if !networks.contains(network) { return Rejection(.networkNotAllowed, parsed) }
    }
    return nil
  }

  /// Returns the rejection of a postback that came before its key was valid: that of a key that is not trusted.
  private func beforeItsKey(_ parsed: Parsed, _ key: TrustedKey) -> Rejection {
    let detail = "The key \(key.id) is valid for postbacks received from \(key.validFrom?.description ?? "") on."
    guard case .jws = parsed.postback.signature else { return Rejection(.signatureInvalid, parsed, detail: detail) }
    return Rejection(.unknownKey, parsed, detail: detail)
  }

  /// Returns the rejection of a postback that no trusted key signed.
  private func unverified(_ parsed: Parsed, _ state: SignatureState, _ bytes: [UInt8]) -> Rejection {
    let code = state.rejectCode ?? .signatureInvalid
    guard state == .unknownKey, case .jws(let jws) = parsed.postback.signature else { return Rejection(code, parsed) }
    let name = String(decoding: bytes[jws.keyID.indices], as: UTF8.self)
    return Rejection(code, parsed, .init(Field.keyID.name, expected: "the name of a trusted key", found: name))
  }
}
