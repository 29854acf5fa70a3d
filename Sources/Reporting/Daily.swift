internal import CopySettlement
package import DailyReports
package import DerivedTables
internal import DurableFiles
package import LookupTables
internal import NullValueModelling
internal import PostbackCopies
package import PostbackPipeline
internal import PostbackVerification
internal import TableReading
package import Tables

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

  /// Counts all postbacks. What a cache has is not counted again. Temporary files are in the folder `output`.
  package init(
    _ inputs: DailyInputs,
    _ lookups: Lookups,
    _ settings: DailySettings,
    in output: String,
    jobs: Int,
    cache: PartCache? = nil
  ) async throws(PipelineFailure) {
    (self.inputs, self.lookups, self.settings) = (inputs, lookups, settings)
    summary = DailySummary(settings, lookups, inputs)
    try await count(in: try PartCache.given(cache, or: .daily, in: output), jobs: jobs)
    unreadable += try await cells.readEvents(inputs.events, settled: false, jobs: jobs)
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
  private mutating func count(in cache: PartCache, jobs: Int) async throws(PipelineFailure) {
    let copies = try await PartCopies(inputs.accepted, among: inputs.rejects, in: cache, jobs: jobs)
    unreadable += copies.unreadable
    var pass = PartPass(copies, jobs: jobs)
    pass.daily = try PartCalculation(lookups, settings, in: cache)
    pass.settled = try SettledFiles.byPart(inputs.settled?.rows, events: inputs.settled?.events)
    var total = DailyPart()
    let merging = PartMerging(.daily, empty: DailyPart(), cache: cache, jobs: jobs, keepsParts: true)
    try await merging.add(try pass.dailyItems(), to: &total)
    (cells, summary.rows) = (total.cells, total.rows)
    if settings.asOf == nil { summary.rows.leaveOut(receivedAfter: settings.today, of: &cells) }
    unreadable += total.unreadable
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
      asOf: summary.asOf,
      earlier: earlier
    )
    var writer = try DailyWriter(inputs, &outputs, lookups, modelling, summary)
    let currency = inputs.currency?.code
    for type in DateType.allCases {
      try await outputs.appendEarlier(.before, of: type, settings, currency: currency, jobs: jobs)
      try await writer.write(cells, of: type, into: &outputs, jobs: jobs)
      try await outputs.appendEarlier(.after, of: type, settings, currency: currency, jobs: jobs)
      try writer.writeRowsWithoutDay(into: &outputs)
    }
    summary = try writer.finish(&outputs)
  }
}
