package import Analysis
internal import Base
internal import DurableFiles
internal import JSON
package import PostbackPipeline
internal import PostbackVerification
package import Tables

/// The files that a daily report reads.
package struct DailyInputs: Sendable {
  /// The accepted postbacks.
  package let accepted: TableFiles
  let events: TableFiles
  /// The rejects.
  package let rejects: TableFiles
  /// The costs; nil if there are none.
  package var costs: Costs?
  /// The currency of all amounts that can be converted to it; nil if they stay in their own.
  package var currency: ReportCurrency?
  /// The attributions of Apple Search Ads; nil if there are none.
  package var searchAds: SearchAdsDaily?
  /// The parties whose values a suspicion is about.
  package var suspicions = ValueSuspicions()
  /// The models that decoded the rows.
  package var models = ModelMeanings([])
  /// The values that count where copies were compared; nil if they were not.
  let settled: DailySettledInputs?

  /// The complete parts of the tables of a run, and the values that count where copies were compared.
  package init(
    accepted: TableFiles,
    events: TableFiles,
    rejects: TableFiles,
    settled: DailySettledInputs? = nil
  ) {
    (self.accepted, self.events, self.rejects, self.settled) = (accepted, events, rejects, settled)
  }
}

extension DailyInputs {
  /// The number of bytes of the tables of postbacks and of rejects.
  var byteCount: Int64 { (accepted.inputs + rejects.inputs).reduce(0) { $0 + ($1.byteCount ?? 0) } }
}

/// A daily report of all accepted postbacks of an output.
package struct Daily: Sendable {
  /// The counts.
  package private(set) var summary: DailySummary
  /// The lines that are not rows, of which the first is named.
  package private(set) var unreadable = UnreadableRows()

  private var cells = DailyCells()
  private let settings: DailySettings
  private let inputs: DailyInputs
  private let lookups: Lookups

  /// Counts all postbacks. Temporary files are in the folder `output`.
  package init(
    _ inputs: DailyInputs,
    _ lookups: Lookups,
    _ settings: DailySettings,
    in output: String,
    jobs: Int
  ) async throws(PipelineFailure) {
    (self.inputs, self.lookups, self.settings) = (inputs, lookups, settings)
    summary = DailySummary(settings, lookups, inputs)
    try await count(inputs, lookups, in: output, jobs: jobs)
    try await readEvents(inputs, jobs: jobs)
    summary.costWarnings = inputs.costs?.warnings(asOf: summary.asOf).map(\.description) ?? []
  }

  /// The revenue and the costs that cannot be converted to the currency of the report, as problems of the file of rates.
  package var missingRates: LookupErrors? {
    guard let currency = inputs.currency else { return nil }
    let postbacks = cells.problems(convertingTo: currency)
    let costs = inputs.costs?.problems(convertingTo: currency) ?? [:]
    var findings = LookupFindings()
    for reason in Set(postbacks.keys).union(costs.keys).sorted() {
      let counts = [
        postbacks[reason].map { "\($0) \($0 == 1 ? "postback" : "postbacks")" },
        costs[reason].map { "\($0) \($0 == 1 ? "row" : "rows") of costs" },
      ]
      let text = "\(reason) This is about \(counts.compactMap(\.self).joined(separator: " and "))."
      findings.add(LookupProblem(file: currency.path, line: nil, column: nil, reason: text))
    }
    do throws(LookupErrors) { try findings.throwIfAny() } catch { return error }
    return nil
  }

  /// Counts all rows of `skan_postbacks`.
  private mutating func count(
    _ inputs: DailyInputs,
    _ lookups: Lookups,
    in folder: String,
    jobs: Int
  ) async throws(PipelineFailure) {
    let empty = self
    if try await count(inputs, lookups, in: folder, jobs: jobs, settledRowsOf: nil) { return }
    // A line that is not a row has none in skan_settled either. Such lines are rare, and finding them takes time: all is
    // counted again.
    self = empty
    guard try await count(inputs, lookups, in: folder, jobs: jobs, settledRowsOf: .postbacks) else {
      if let settled = inputs.settled { throw .state(settled.misaligned) }
      return
    }
  }

  /// Counts all rows of `skan_postbacks`. Returns false if rows of `skan_settled` are not of the postbacks in their places.
  /// These are the lines, or the rows of a table.
  private mutating func count(
    _ inputs: DailyInputs,
    _ lookups: Lookups,
    in folder: String,
    jobs: Int,
    settledRowsOf table: Table?
  ) async throws(PipelineFailure) -> Bool {
    let copies = try await CopyCollector.inline(among: inputs.rejects, of: inputs.accepted, in: folder, jobs: jobs)
    unreadable += copies.unreadable
    let counter = DailyCounter(Enricher(lookups, settings.encoding), settings, inputs.suspicions)
    var settledRows = inputs.settled.map { AlignedRows($0.rows, besideRowsOf: table) }
    var isAligned = true
    do throws(PipelineFailure) {
      try await inputs.accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
        let settled = try await settledRows?.next(beside: batch)
        return (try copies.join.next(batch.records.count), settled ?? RawBatch(bytesToAdd: 0))
      } _: { batch, beside in
        counter.count(batch, beside.0, settled: beside.1)
      } take: { batch throws(PipelineFailure) in
        if batch.isMisaligned, let settled = inputs.settled {
          isAligned = false
          throw .state(settled.misaligned)
        }
        cells.add(batch)
        summary.rows += batch.rows
        unreadable += batch.unreadable
      }
    } catch {
      if isAligned { throw error }
    }
    return isAligned
  }

  /// Reads the events of each outcome.
  private mutating func readEvents(_ inputs: DailyInputs, jobs: Int) async throws(PipelineFailure) {
    try await readEvents(inputs.events, of: cells.examples(settled: false), jobs: jobs)
    guard let settled = inputs.settled else { return }
    try await readEvents(settled.events, of: cells.examples(settled: true), jobs: jobs)
  }

  private mutating func readEvents(
    _ files: TableFiles,
    of examples: [PostbackKey: Int],
    jobs: Int
  ) async throws(PipelineFailure) {
    guard !examples.isEmpty else { return }
    let reader = DailyEventReader(Set(examples.keys))
    try await files.scan(jobs: jobs) {
      reader.read($0)
    } take: { batch in
      for (postback, event) in batch.events {
        if let outcome = examples[postback] { cells.add(event, toOutcome: outcome) }
      }
      unreadable += batch.unreadable
    }
  }

  /// Writes `skan_daily` and the tables beside it.
  package mutating func write(into outputs: consuming DailyOutputs, jobs: Int) async throws(PipelineFailure) {
    let modelling = DailyModelling(cells, inputs.models, settings, currency: inputs.currency?.code)
    var writer = try DailyWriter(inputs, &outputs, lookups, modelling, summary)
    for type in DateType.allCases {
      try await outputs.appendEarlier(.before, of: type, settings, jobs: jobs)
      try writer.write(cells, of: type, into: &outputs)
      try await outputs.appendEarlier(.after, of: type, settings, jobs: jobs)
      try writer.writeRowsWithoutDay(into: &outputs)
    }
    summary = try writer.finish(&outputs)
  }
}
