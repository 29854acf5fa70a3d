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

  /// The number of bytes of the table of postbacks.
  var acceptedByteCount: Int64 { accepted.inputs.reduce(0) { $0 + ($1.byteCount ?? 0) } }
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
    if try await count(inputs, lookups, SettledRows(aligned: inputs.settled?.rows), in: folder, jobs: jobs) { return }
    guard let settled = inputs.settled else { return }
    // Rows were removed since the settlement, or lines are not rows. That is rare, and finding the rows by their keys takes
    // time: all is counted again.
    self = empty
    let rows = try await SettledRows(byKey: settled.rows, of: inputs.accepted, in: folder, jobs: jobs)
    _ = try await count(inputs, lookups, rows, in: folder, jobs: jobs)
  }

  /// Counts all rows of `skan_postbacks`. Returns false if rows of `skan_settled` are not of the postbacks in their places.
  private mutating func count(
    _ inputs: DailyInputs,
    _ lookups: Lookups,
    _ settled: SettledRows,
    in folder: String,
    jobs: Int
  ) async throws(PipelineFailure) -> Bool {
    let copies = try await CopyCollector.inline(among: inputs.rejects, of: inputs.accepted, in: folder, jobs: jobs)
    unreadable += copies.unreadable
    let counter = DailyCounter(Enricher(lookups, settings.encoding), settings, inputs.suspicions)
    var settled = settled
    var isMisaligned = false
    try await inputs.accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
      let rows = try await settled.next(beside: batch)
      return (try copies.join.next(batch.records.count), rows)
    } _: { batch, beside in
      counter.count(batch, beside.0, settled: beside.1)
    } take: { batch throws(PipelineFailure) in
      isMisaligned = isMisaligned || batch.isMisaligned
      guard !isMisaligned else { return }
      cells.add(batch)
      summary.rows += batch.rows
      unreadable += batch.unreadable
    }
    return !isMisaligned
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
    var earlier = StratumHistory()
    if settings.firstKeptDay != nil {
      do throws(FileFailure) { earlier = try StratumHistory(in: outputs.modelled.table.output) } catch {
        throw .state(error)
      }
    }
    let modelling = DailyModelling(
      cells,
      inputs.models,
      settings,
      currency: inputs.currency?.code,
      earlier: earlier
    )
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
