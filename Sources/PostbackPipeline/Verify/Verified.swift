package import PostbackVerification
internal import JSON
package import SKAdNetwork
package import Signatures

/// An accepted postback that a trusted key signed. Its unsigned fields may still have been edited.
package struct Verified: Sendable {
  /// The postback, less the zeros that a forwarder filled in.
  package let parsed: Parsed
  /// Its signature.
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

  fileprivate init(
    _ parsed: Parsed,
    _ signature: AcceptedSignature,
    _ keyID: [UInt8],
    _ environment: Environment,
    _ key: PostbackKey,
    of bytes: [UInt8]
  ) {
    self.parsed = parsed
    self.signature = signature
    self.keyID = keyID
    self.environment = environment
    self.key = key
    unsignedFields = UnsignedFields(parsed.postback, of: bytes)
    tierFlags = parsed.postback.tierFlags(signedAs: signature.layout)
  }
}

extension Batch<Parsed> {
  /// Accepts the postbacks that a trusted key signed (stage `signature`) and whose app and network are allowed (stage
  /// `policy`).
  ///
  /// Signatures that `known` holds are not verified again; new findings are stored in it.
  package func verified(
    by trust: Trust,
    known: VerdictCache = VerdictCache()
  ) throws(LibcryptoFailure) -> Batch<Verified> {
    var gate = try SignatureGate(trust, known: known)
    return try gate.verify(self)
  }
}

/// Turns the verdicts on a batch into outcomes.
package struct SignatureGate: ~Copyable {
  private let trust: Trust
  /// The names of the trusted keys, by their index in `Trust.keys`.
  private let keyIDs: [[UInt8]]
  private var verifier: SignatureVerifier

  /// Makes a gate for the keys, apps and networks of `trust`.
  package init(_ trust: Trust, known: VerdictCache = VerdictCache()) throws(LibcryptoFailure) {
    self.trust = trust
    keyIDs = trust.keys.map { Array($0.id.utf8) }
    verifier = try SignatureVerifier(trust, known: known)
  }

  /// Verifies the postbacks of a batch; those that fail become rejections.
  package mutating func verify(_ batch: Batch<Parsed>) throws(LibcryptoFailure) -> Batch<Verified> {
    let postbacks = batch.outcomes.compactMap { outcome in
      if case .accepted(let parsed) = outcome { parsed.postback } else { nil }
    }
    var verifications = try verifier.verify(postbacks, of: batch.bytes)[...]
    var outcomes: [Outcome<Verified>] = []
    outcomes.reserveCapacity(batch.outcomes.count)
    for outcome in batch.outcomes {
      switch outcome {
      case .accepted(let parsed):
        outcomes.append(try verify(parsed, verifications.removeFirst(), of: batch.bytes))
      case .rejected(let rejection): outcomes.append(.rejected(rejection))
      }
    }
    return Batch(bytes: batch.bytes, outcomes: outcomes, origins: batch.origins)
  }

  private mutating func verify(
    _ parsed: Parsed,
    _ verification: SignatureVerification,
    of bytes: [UInt8]
  ) throws(LibcryptoFailure) -> Outcome<Verified> {
    switch outcome(of: parsed, verification, bytes) {
    case .rejected(let rejection): return .rejected(rejection)
    case .accepted(let signature): return .accepted(try verified(parsed, signature, of: bytes))
    }
  }

  private mutating func verified(
    _ parsed: Parsed,
    _ signature: AcceptedSignature,
    of bytes: [UInt8]
  ) throws(LibcryptoFailure) -> Verified {
    let environment = trust.environment(of: parsed.postback, signedBy: signature.key, signature.layout, in: bytes)
    var parsed = parsed
    parsed.removeUnsigned(signature.layout)
    let key = try verifier.key(of: parsed.postback, in: bytes)
    return Verified(parsed, signature, keyIDs[signature.key], environment, key, of: bytes)
  }

  /// Returns a postback that another process accepted with the same settings; nil if it cannot have accepted it.
  mutating func restore(
    _ parsed: Parsed,
    of bytes: [UInt8],
    _ verdict: RecordVerdict
  ) throws(LibcryptoFailure) -> Verified? {
    let keyID = bytes[verdict.keyID.indices]
    guard let signature = try verifier.restored(parsed.postback, of: bytes, keyID: keyID, verdict.layout),
      trust.accepts(signature)
    else { return nil }
    let verified = try verified(parsed, signature, of: bytes)
    return verified.key == verdict.key ? verified : nil
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
    if !trust.accepts(signature) { return .rejected(Rejection(.developmentKey, parsed)) }
    let postback = parsed.postback
    if let apps = trust.allowedApps, !apps.contains(postback.appID) {
      return .rejected(Rejection(.appNotAllowed, parsed))
    }
    if let networks = trust.allowedNetworks {
      let network = String(decoding: bytes[postback.adNetworkID.indices], as: UTF8.self)
      if !networks.contains(network) { return .rejected(Rejection(.networkNotAllowed, parsed)) }
    }
    return .accepted(signature)
  }

  /// Returns the rejection of a postback that no trusted key signed.
  private func unverified(_ parsed: Parsed, _ state: SignatureState, _ bytes: [UInt8]) -> Rejection {
    var rejection = Rejection(state.rejectCode ?? .signatureInvalid, parsed)
    if state == .unknownKey, case .jws(let jws) = parsed.postback.signature {
      let name = String(decoding: bytes[jws.keyID.indices], as: UTF8.self)
      rejection.name(Field.keyID.name, expected: "the name of a trusted key", found: name)
    }
    return rejection
  }
}
