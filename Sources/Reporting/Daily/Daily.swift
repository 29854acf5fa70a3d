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

  /// Writes `skan_daily` and the tables beside it.
  package init(
    _ inputs: DailyInputs,
    _ lookups: Lookups,
    _ settings: DailySettings,
    into outputs: consuming DailyOutputs,
    jobs: Int
  ) async throws(PipelineFailure) {
    self.settings = settings
    summary = DailySummary(settings, lookups)
    try await count(inputs, lookups, in: outputs.daily.table.output, jobs: jobs)
    try await readEvents(inputs, jobs: jobs)
    try await write(&outputs, jobs: jobs)
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

  private mutating func write(_ outputs: inout DailyOutputs, jobs: Int) async throws(PipelineFailure) {
    var encoder = DailyEncoder(
      settings.encoding,
      settings.dimensions,
      asOf: summary.asOf,
      writesValues: outputs.values != nil
    )
    for type in DateType.allCases {
      try await outputs.appendEarlier(.before, of: type, settings, jobs: jobs)
      var undated: [DailyRow] = []
      do throws(FileFailure) {
        undated = try writeGroups(of: type, with: &encoder, into: &outputs)
      } catch {
        throw .state(error)
      }
      try await outputs.appendEarlier(.after, of: type, settings, jobs: jobs)
      for row in undated { encoder.encode(row) }
      do throws(FileFailure) { try outputs.append(encoder.take()) } catch { throw .state(error) }
    }
    summary.note(outputs)
    do throws(FileFailure) { try outputs.complete(summary: summary.json.description) } catch { throw .state(error) }
  }

  /// Writes the rows of the days that are calculated. Returns those without a day, which come after all others.
  private mutating func writeGroups(
    of type: DateType,
    with encoder: inout DailyEncoder,
    into outputs: inout DailyOutputs
  ) throws(FileFailure) -> [DailyRow] {
    var pending = 0
    var undated: [DailyRow] = []
    try cells.forEachGroup(of: type) { row throws(FileFailure) in
      guard settings.part(of: row.group.day) == .calculated else { return }
      summary.add(row)
      guard row.group.day != nil else { return undated.append(row) }
      encoder.encode(row)
      pending += 1
      guard pending == 4096 else { return }
      pending = 0
      try outputs.append(encoder.take())
    }
    try outputs.append(encoder.take())
    return undated
  }
}
