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
    let index: SeenIndex

    package mutating func next(isolation actor: isolated (any Actor)?) async throws(PipelineFailure) -> Step<
      Batch<Unique>
    >? {
      guard let step = try await base.next(isolation: actor) else { return nil }
      return try step.map { batch throws(PipelineFailure) in try batch.deduplicated(in: index) }
    }
  }
}

extension Batch<Verified> {
  /// Rejects postbacks whose key `index` has, and adds the keys of the others to it.
  func deduplicated(in index: SeenIndex) throws(PipelineFailure) -> Batch<Unique> {
    let candidates = outcomes.compactMap { outcome in
      if case .accepted(let verified) = outcome {
        SeenIndex.Candidate(verified.seen, searchedUpTo: verified.searchedUpTo)
      } else {
        nil
      }
    }
    let admissions: [RecentIndex.Admission]
    do throws(FileFailure) { admissions = try index.admit(candidates) } catch { throw .state(error) }
    var place = 0
    return map { verified in
      defer { place += 1 }
      // Of a first postback, nothing is read here that another core has written.
      if case .first = admissions[place] { return .accepted(Unique(verified: verified)) }
      return .rejected(Rejection(admissions[place], verified.parsed, verified.key, of: bytes))
    }
  }
}

extension Rejection {
  /// Makes the rejection of a copy of an accepted postback with a key.
  convenience init(_ admission: RecentIndex.Admission, _ parsed: Parsed, _ key: PostbackKey, of bytes: [UInt8]) {
    let code: RejectCode
    var found: [UnsignedFields.Conflict] = []
    switch admission {
    case .first: preconditionFailure("the first postback with a key is no copy")
    case .identical: code = .duplicateIdentical
    case .transaction: code = .duplicateTransaction
    case .conflict(let conflicts):
      code = .duplicateConflict
      found = conflicts
      // The index stores only a hash of the domain.
      if let domain = parsed.postback.unsignedSourceDomain {
        for index in found.indices where found[index].field == .sourceDomain {
          found[index].later = PostbackDefect.excerpt(bytes[domain.indices])
        }
      }
    }
    let edit = found.first.map { conflict in
      let (first, later) = (conflict.first ?? "absent", conflict.later ?? "absent")
      return "\(conflict.field.name) is \(later), and \(first) in the copy that came first: one was edited"
    }
    self.init(
      code,
      parsed.record,
      parsed.claims,
      parsed.arrival,
      found.first.map { Mismatch($0.field.name, expected: $0.first, found: $0.later) } ?? Mismatch(),
      detail: edit,
      firstSeen: key,
      conflicts: found
    )
  }
}
