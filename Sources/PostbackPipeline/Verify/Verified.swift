internal import JSON
internal import SKAdNetwork
package import Signatures

/// A postback that a trusted key signed, and that is wanted. What is not signed may still have been edited.
package struct Verified: Sendable {
  /// The postback, less the zeros that a forwarder filled in.
  package let parsed: Parsed
  /// The verdict on its signature.
  package let judgement: Judgement
  /// Its name.
  package let key: PostbackKey

  fileprivate init(parsed: Parsed, judgement: Judgement, key: PostbackKey) {
    self.parsed = parsed
    self.judgement = judgement
    self.key = key
  }
}

extension AsyncSequence where Element == Batch<Parsed>, Failure == PipelineFailure {
  /// Lets pass what a trusted key signed (`signature`) and what is wanted here (`policy`).
  ///
  /// Judges up to `jobs` batches at once and keeps their order; no more than those are held in memory.
  func verified(by trust: Trust, jobs: Int) -> VerifiedBatches<Self> {
    VerifiedBatches(base: self, trust: trust, jobs: jobs)
  }
}

/// Batches whose signatures have been judged.
struct VerifiedBatches<Base: AsyncSequence>: AsyncSequence
where Base.Element == Batch<Parsed>, Base.Failure == PipelineFailure {
  typealias Element = Batch<Verified>
  typealias Failure = PipelineFailure

  let base: Base
  let trust: Trust
  let jobs: Int

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), trust: trust, jobs: jobs) }

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let trust: Trust
    let jobs: Int
    let known = VerdictCache()
    /// The batches that are being judged, in order.
    var pending: [Task<Result<Batch<Verified>, LibcryptoFailure>, Never>] = []
    var isAtEnd = false

    mutating func next() async throws(PipelineFailure) -> Batch<Verified>? { try await next(isolation: nil) }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(PipelineFailure) -> Batch<Verified>? {
      while !isAtEnd, pending.count < jobs {
        guard let batch = try await base.next(isolation: actor) else {
          isAtEnd = true
          break
        }
        let (trust, known) = (trust, known)
        pending.append(Task.detached { judge(batch, trust, known) })
      }
      guard !pending.isEmpty else { return nil }
      do { return try await pending.removeFirst().value.get() } catch { throw .libcrypto(error) }
    }
  }
}

private func judge(
  _ batch: Batch<Parsed>,
  _ trust: Trust,
  _ known: VerdictCache
) -> Result<Batch<Verified>, LibcryptoFailure> {
  do throws(LibcryptoFailure) {
    var gate = try SignatureGate(trust, known: known)
    return .success(try gate.verify(batch))
  } catch {
    return .failure(error)
  }
}

/// Turns verdicts into outcomes, one batch at a time.
package struct SignatureGate: ~Copyable {
  private let trust: Trust
  private var judge: SignatureJudge

  /// A gate that opens for whom `trust` says.
  package init(_ trust: Trust, known: VerdictCache = VerdictCache()) throws(LibcryptoFailure) {
    self.trust = trust
    judge = try SignatureJudge(trust, known: known)
  }

  package mutating func verify(_ batch: Batch<Parsed>) throws(LibcryptoFailure) -> Batch<Verified> {
    let postbacks = batch.outcomes.compactMap { outcome in
      if case .accepted(let parsed) = outcome { parsed.postback } else { nil }
    }
    var judgements = try judge.judge(postbacks, of: batch.bytes)[...]
    var outcomes: [Outcome<Verified>] = []
    outcomes.reserveCapacity(batch.outcomes.count)
    for outcome in batch.outcomes {
      switch outcome {
      case .accepted(let parsed):
        outcomes.append(try verify(parsed, judgements.removeFirst(), of: batch.bytes))
      case .rejected(let rejection): outcomes.append(.rejected(rejection))
      }
    }
    return Batch(input: batch.input, bytes: batch.bytes, outcomes: outcomes, consumed: batch.consumed)
  }

  private mutating func verify(
    _ parsed: Parsed,
    _ judgement: Judgement,
    of bytes: [UInt8]
  ) throws(LibcryptoFailure) -> Outcome<Verified> {
    if let rejection = rejection(of: parsed, judgement, bytes) { return .rejected(rejection) }
    var parsed = parsed
    if judgement.state == .validZeroFilled { parsed.removeZeroFilled() }
    let key = try judge.key(of: parsed.postback, in: bytes)
    return .accepted(Verified(parsed: parsed, judgement: judgement, key: key))
  }

  /// Why a postback with that verdict does not pass; nil where it does.
  package func rejection(of parsed: Parsed, _ judgement: Judgement, _ bytes: [UInt8]) -> Rejection? {
    switch judgement.state {
    case .malformed: return Rejection(.malformedSignature, parsed)
    case .invalid: return Rejection(.signatureInvalid, parsed)
    case .unknownKey:
      var rejection = Rejection(.unknownKey, parsed)
      if case .jws(let jws) = parsed.postback.signature {
        rejection.field = Field.keyID.name
        rejection.found = String(decoding: bytes[jws.keyID.indices], as: UTF8.self)
        rejection.expected = "the name of a trusted key"
      }
      return rejection
    case .development where !trust.allowsDevelopment:
      return Rejection(.developmentKey, parsed)
    case .valid, .validZeroFilled, .development: break
    }
    let postback = parsed.postback
    if let apps = trust.allowedApps, !apps.contains(postback.appID) { return Rejection(.appNotAllowed, parsed) }
    if let networks = trust.allowedNetworks {
      let network = String(decoding: bytes[postback.adNetworkID.indices], as: UTF8.self)
      if !networks.contains(network) { return Rejection(.networkNotAllowed, parsed) }
    }
    return nil
  }
}
