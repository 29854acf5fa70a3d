internal import DurableFiles
internal import PostbackVerification
package import Ledger
internal import JSON
internal import SKAdNetwork

/// A verified postback that is the first with its key.
package struct Unique: Sendable {
  /// The postback.
  package let verified: Verified

  fileprivate init(verified: Verified) { self.verified = verified }
}

extension AsyncSequence where Element == Step<Batch<Verified>>, Failure == PipelineFailure {
  /// Rejects postbacks whose transaction was seen before (stage `dedup`). The first copy in the order of the input is
  /// kept.
  ///
  /// Deduplication comes after verification; otherwise a forgery could make a genuine postback a duplicate.
  package func deduplicated(in index: SeenIndex) -> UniqueBatches<Self> {
    UniqueBatches(base: self, index: index)
  }
}

/// The batches with all duplicates rejected.
package struct UniqueBatches<Base: AsyncSequence>: AsyncSequence
where Base.Element == Step<Batch<Verified>>, Base.Failure == PipelineFailure {
  package typealias Element = Step<Batch<Unique>>
  package typealias Failure = PipelineFailure

  let base: Base
  let index: SeenIndex

  package func makeAsyncIterator() -> Iterator { Iterator(base: base.makeAsyncIterator(), index: index) }

  package struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    var index: SeenIndex

    package mutating func next() async throws(PipelineFailure) -> Step<Batch<Unique>>? {
      try await next(isolation: nil)
    }

    package mutating func next(isolation actor: isolated (any Actor)?) async throws(PipelineFailure) -> Step<
      Batch<Unique>
    >? {
      guard let step = try await base.next(isolation: actor) else { return nil }
      return try step.map { batch throws(PipelineFailure) in try batch.deduplicated(in: &index) }
    }
  }
}

extension Batch<Verified> {
  /// Rejects postbacks whose key `index` has, and adds the keys of the others to it.
  func deduplicated(in index: inout SeenIndex) throws(PipelineFailure) -> Batch<Unique> {
    index.prepare(for: outcomes.compactMap { if case .accepted(let verified) = $0 { verified.key } else { nil } })
    do throws(FileFailure) {
      return try map { verified throws(FileFailure) in try index.admit(verified, of: bytes) }
    } catch {
      throw .state(error)
    }
  }
}

extension SeenIndex {
  fileprivate mutating func admit(_ verified: Verified, of bytes: [UInt8]) throws(FileFailure) -> Outcome<Unique> {
    let code: RejectCode
    var conflicts: [UnsignedFields.Conflict] = []
    switch try admit(verified.key, verified.signature.digest, verified.unsignedFields) {
    case .first: return .accepted(Unique(verified: verified))
    case .identical: code = .duplicateIdentical
    case .transaction: code = .duplicateTransaction
    case .conflict(let found):
      code = .duplicateConflict
      conflicts = found
      // The index stores only a hash of the domain.
      if let domain = verified.parsed.postback.unsignedSourceDomain {
        for index in conflicts.indices where conflicts[index].field == .sourceDomain {
          conflicts[index].later = PostbackDefect.excerpt(bytes[domain.indices])
        }
      }
    }
    var rejection = Rejection(code, verified.parsed)
    rejection.firstSeen = verified.key
    rejection.conflicts = conflicts
    if let conflict = conflicts.first {
      rejection.name(conflict.field.name, expected: conflict.first, found: conflict.later)
      let (first, later) = (conflict.first ?? "absent", conflict.later ?? "absent")
      rejection.detail = "\(conflict.field.name) is \(later), and \(first) in the copy that came first: one was edited"
    }
    return .rejected(rejection)
  }
}
