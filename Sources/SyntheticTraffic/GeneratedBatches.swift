internal import Base
package import Signatures

/// Consecutive lines of a dump, and their rows of the truth file.
package struct GeneratedBatch: Sendable {
  /// The lines of the dump.
  package fileprivate(set) var dump: [UInt8] = []
  /// The rows of the truth file; empty unless they were asked for.
  package internal(set) var truth: [UInt8] = []
  /// The rows of the file of frauds; empty for a dump without frauds.
  package internal(set) var fraud: [UInt8] = []
  /// The true totals of the campaigns; empty for a dump without campaigns.
  package fileprivate(set) var totals = TrueTotals()
}

/// The lines of a dump in order, made by tasks that are at most twice `jobs` batches ahead of the consumer.
package struct GeneratedBatches {
  private var batches: ConcurrentMap<ReadyElements<StrideTo<Int>, LibcryptoFailure>, SignedLines>.Iterator
  private var truth: TruthWriter

  /// The header of the file of frauds.
  package static let fraudHeader = Array(TruthWriter.fraudHeader.utf8)
  /// The name of the file of frauds.
  package static let fraudPath = "truth_fraud.csv"

  /// Lines that are signed and written, with their plans if the truth is wanted.
  private struct SignedLines: Sendable {
    var dump: [UInt8] = []
    var lines = FraudulentLines(plans: [])
    var totals = TrueTotals()
  }

  private static let linesPerBatch = 1024
  /// Postbacks of campaigns arrive in order within a batch, so that it is larger.
  private static let campaignLinesPerBatch = 8192

  /// Creates the batches of a dump with `count` lines. The same mix, seed and keys give the same bytes on any machine.
  ///
  /// With `campaigns` the valid lines are their postbacks, and all lines have envelopes. Only these can have `frauds`.
  package init(
    _ mix: Mix,
    seed: UInt64,
    keys: GeneratedKeys,
    count: Int,
    campaigns: CampaignTraffic? = nil,
    frauds: [FraudScenario] = [],
    hasEnvelopes: Bool = false,
    writesTruth: Bool = false,
    jobs: Int
  ) {
    let planner = LinePlanner(mix: mix, seed: seed)
    let text = LineText(hasEnvelopes: hasEnvelopes || campaigns != nil)
    let size = campaigns == nil ? Self.linesPerBatch : Self.campaignLinesPerBatch
    let starts = stride(from: 0, to: count, by: size)
    let fraudulent = frauds.isEmpty ? nil : campaigns
    let planFrauds = fraudulent.map { FraudPlanner(scenarios: frauds, traffic: $0, count: count) }
    let keepsPlans = writesTruth || planFrauds != nil
    truth = TruthWriter(writesRows: writesTruth, fraudulent: fraudulent)
    let results = starts.mapConcurrently(jobs) { start throws(LibcryptoFailure) in
      var batch = SignedLines()
      var signer = try PostbackSigner(keys: keys, seed: planner.seed)
      let lines = start + 1...min(start + size, count)
      var planned = FraudulentLines(plans: [])
      if let campaigns {
        let clean = campaigns.lines(lines, of: count, planner)
        planned = planFrauds?.lines(clean.plans, lines) ?? FraudulentLines(plans: clean.plans)
        batch.totals = clean.totals
      } else {
        planned.plans = lines.map(planner.plan)
      }
      for plan in planned.plans { text.append(plan, signature: try signer.signature(of: plan), to: &batch.dump) }
      if keepsPlans { batch.lines = planned }
      return batch
    }
    batches = results.makeAsyncIterator()
  }

  /// Returns the next batch; nil at the end.
  package mutating func next() async throws(LibcryptoFailure) -> GeneratedBatch? {
    guard let signed = try await batches.next() else { return nil }
    var batch = GeneratedBatch(dump: signed.dump, totals: signed.totals)
    truth.append(signed.lines, to: &batch)
    return batch
  }
}
