internal import DerivedTables
internal import CopySettlement
internal import DurableFiles
internal import FraudSignals
internal import PostbackCopies
internal import PostbackPipeline
internal import TableReading

extension SignalCounts {
  /// The counts of all postbacks, whose derived rows are given, and of all rejects. What a cache has is not counted again.
  init(
    _ counter: PartCalculation<SignalCounter>,
    of inputs: SignalInputs,
    in cache: PartCache,
    jobs: Int
  ) async throws(PipelineFailure) {
    self.init()
    let copies = try await PartCopies(inputs.accepted, among: inputs.rejects, in: cache, jobs: jobs)
    var pass = PartPass(copies, jobs: jobs)
    pass.signals = counter
    pass.settled = try SettledFiles.byPart(inputs.settled, events: nil)
    pass.enriched = try PipelineFailure.state { () throws(FileFailure) in try SettledFiles.byNumber(inputs.enriched) }
    func merging(keepsParts: Bool) -> PartMerging<SignalCounts> {
      PartMerging(
        .signals,
        settings: [counter.digest],
        empty: SignalCounts(),
        cache: cache,
        jobs: jobs,
        keepsParts: keepsParts
      )
    }
    // The parts of postbacks are counted together with their other results.
    try await merging(keepsParts: true).add(try pass.signalItems(), to: &self)
    let calculation = counter.calculation
    try await merging(keepsParts: false).add(copies.rejects, to: &self) { calculation.count(rejects: $0) }
  }
}

extension PartCalculation<SignalCounter> {
  init(lateAfterDays days: Int, since: Int64?, in cache: PartCache) throws(PipelineFailure) {
    self.init(
      SignalCounter(lateAfterDays: days, since: since),
      digest: try cache.digest(["signals", "\(days)", since.map { "\($0)" } ?? ""])
    )
  }
}
