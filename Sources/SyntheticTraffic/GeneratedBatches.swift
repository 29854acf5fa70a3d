internal import Base
package import Signatures

/// Consecutive lines of a dump, and their rows of the truth file.
package struct GeneratedBatch: Sendable {
  /// The lines of the dump.
  package fileprivate(set) var dump: [UInt8] = []
  /// The rows of the truth file; empty unless they were asked for.
  package fileprivate(set) var truth: [UInt8] = []
}

/// The lines of a dump in order, made by tasks that are at most twice `jobs` batches ahead of the consumer.
package struct GeneratedBatches {
  private var batches: ConcurrentMap<ReadyElements<StrideTo<Int>, LibcryptoFailure>, GeneratedBatch>.Iterator

  private static let linesPerBatch = 1024

  /// Creates the batches of a dump with `count` lines. The same mix, seed and keys give the same bytes on any machine.
  package init(
    _ mix: Mix,
    seed: UInt64,
    keys: GeneratedKeys,
    count: Int,
    hasEnvelopes: Bool = false,
    writesTruth: Bool = false,
    jobs: Int
  ) {
    let planner = LinePlanner(mix: mix, seed: seed)
    let text = LineText(hasEnvelopes: hasEnvelopes)
    let starts = stride(from: 0, to: count, by: Self.linesPerBatch)
    let results = starts.mapConcurrently(jobs) { start throws(LibcryptoFailure) in
      var batch = GeneratedBatch()
      var signer = try PostbackSigner(keys: keys, seed: planner.seed)
      for line in start + 1...min(start + Self.linesPerBatch, count) {
        let plan = planner.plan(line)
        text.append(plan, signature: try signer.signature(of: plan), to: &batch.dump)
        if writesTruth { TruthRow(plan: plan).append(to: &batch.truth) }
      }
      return batch
    }
    batches = results.makeAsyncIterator()
  }

  /// Returns the next batch; nil at the end.
  package mutating func next() async throws(LibcryptoFailure) -> GeneratedBatch? { try await batches.next() }
}
