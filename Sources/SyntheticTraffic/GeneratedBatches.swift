internal import Base
package import Signatures

/// Consecutive lines of a dump, and their rows of the truth file.
package struct GeneratedBatch: Sendable {
  /// The lines of the dump.
  package fileprivate(set) var dump: [UInt8] = []
  /// The rows of the truth file; empty unless they were asked for.
  package fileprivate(set) var truth: [UInt8] = []
  /// The true totals of the campaigns; empty for a dump without campaigns.
  package fileprivate(set) var totals = TrueTotals()
}

/// The lines of a dump in order, made by tasks that are at most twice `jobs` batches ahead of the consumer.
package struct GeneratedBatches {
  private var batches: ConcurrentMap<ReadyElements<StrideTo<Int>, LibcryptoFailure>, GeneratedBatch>.Iterator

  private static let linesPerBatch = 1024
  /// Postbacks of campaigns arrive in order within a batch, so that it is larger.
  private static let campaignLinesPerBatch = 8192

  /// Creates the batches of a dump with `count` lines. The same mix, seed and keys give the same bytes on any machine.
  ///
  /// With `campaigns` the valid lines are their postbacks, and all lines have envelopes.
  package init(
    _ mix: Mix,
    seed: UInt64,
    keys: GeneratedKeys,
    count: Int,
    campaigns: CampaignTraffic? = nil,
    hasEnvelopes: Bool = false,
    writesTruth: Bool = false,
    jobs: Int
  ) {
    let planner = LinePlanner(mix: mix, seed: seed)
    let text = LineText(hasEnvelopes: hasEnvelopes || campaigns != nil)
    let size = campaigns == nil ? Self.linesPerBatch : Self.campaignLinesPerBatch
    let starts = stride(from: 0, to: count, by: size)
    let results = starts.mapConcurrently(jobs) { start throws(LibcryptoFailure) in
      var batch = GeneratedBatch()
      var signer = try PostbackSigner(keys: keys, seed: planner.seed)
      let lines = start + 1...min(start + size, count)
      func append(_ plan: LinePlan) throws(LibcryptoFailure) {
        text.append(plan, signature: try signer.signature(of: plan), to: &batch.dump)
        if writesTruth { TruthRow(plan: plan).append(to: &batch.truth) }
      }
      if let campaigns {
        let planned = campaigns.lines(lines, of: count, planner)
        for plan in planned.plans { try append(plan) }
        batch.totals = planned.totals
      } else {
        for line in lines { try append(planner.plan(line)) }
      }
      return batch
    }
    batches = results.makeAsyncIterator()
  }

  /// Returns the next batch; nil at the end.
  package mutating func next() async throws(LibcryptoFailure) -> GeneratedBatch? { try await batches.next() }
}
