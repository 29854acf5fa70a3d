package import Analysis
internal import Base
internal import DurableFiles
internal import JSON
package import PostbackPipeline
internal import PostbackVerification
package import Tables

/// The files that a daily report reads.
package struct DailyInputs: Sendable {
  let accepted: TableFiles
  let events: TableFiles
  let rejects: TableFiles
  /// The costs; nil if there are none.
  package var costs: Costs?
  /// The currency of all amounts that can be converted to it; nil if they stay in their own.
  package var currency: ReportCurrency?

  /// The complete parts of the tables of a run.
  package init(accepted: TableFiles, events: TableFiles, rejects: TableFiles) {
    (self.accepted, self.events, self.rejects) = (accepted, events, rejects)
  }
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
    let copies = try await CopyCollector.inline(among: inputs.rejects, of: inputs.accepted, in: folder, jobs: jobs)
    unreadable += copies.unreadable
    let counter = DailyCounter(Enricher(lookups, settings.encoding), settings.dimensions, settings.environments)
    try await inputs.accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
      try copies.join.next(batch.records.count)
    } _: {
      counter.count($0, $1)
    } take: { batch in
      cells.add(batch)
      summary.rows += batch.rows
      unreadable += batch.unreadable
    }
  }

  /// Reads the events of each outcome.
  private mutating func readEvents(_ inputs: DailyInputs, jobs: Int) async throws(PipelineFailure) {
    let examples = cells.examples
    guard !examples.isEmpty else { return }
    let reader = DailyEventReader(Set(examples.keys))
    try await inputs.events.scan(jobs: jobs) {
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
    var writer = try DailyWriter(inputs, &outputs, lookups, summary)
    for type in DateType.allCases {
      try await outputs.appendEarlier(.before, of: type, settings, jobs: jobs)
      try writer.write(cells, of: type, into: &outputs)
      try await outputs.appendEarlier(.after, of: type, settings, jobs: jobs)
      try writer.writeRowsWithoutDay(into: &outputs)
    }
    summary = try writer.finish(&outputs)
  }
}
