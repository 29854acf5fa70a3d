package import Analysis
package import Base
internal import DurableFiles
internal import JSON
package import PostbackPipeline
package import Tables

/// The settings of a daily report.
package struct DailySettings: Sendable {
  /// The dimensions to group by.
  package var dimensions = DailyDimension.usual
  /// The environments whose postbacks are counted.
  package var environments: Set<String> = ["production"]
  /// The time that the report is of; nil for the latest time of receipt.
  package var asOf: Timestamp?
  /// Indicates that `skan_daily_values` is written.
  package var wantsValues = false

  /// The usual settings.
  package init() {}
}

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

/// The tables that a daily report writes.
package struct DailyOutputs {
  let daily: DerivedTable
  let events: DerivedTable
  let values: DerivedTable?

  /// Begins the tables; `values` is nil if it is not written.
  package init(daily: DerivedTable, events: DerivedTable, values: DerivedTable?) {
    (self.daily, self.events, self.values) = (daily, events, values)
  }
}

/// A daily report of all accepted postbacks of an output.
package struct Daily: Sendable {
  /// The counts.
  package let summary: DailySummary
  /// The lines that are not rows, of which the first is named.
  package let unreadable: UnreadableRows

  /// Writes `skan_daily` and the tables beside it.
  package init(
    _ inputs: DailyInputs,
    _ lookups: Lookups,
    _ settings: DailySettings,
    as encoding: TableEncoding,
    into outputs: DailyOutputs,
    jobs: Int
  ) async throws(PipelineFailure) {
    let copies = try await CopyCollector.inline(
      among: inputs.rejects,
      of: inputs.accepted,
      in: outputs.daily.output,
      jobs: jobs
    )
    var unreadable = copies.unreadable
    let counter = DailyCounter(
      Enricher(lookups, encoding),
      settings.dimensions,
      settings.environments
    )
    var cells = DailyCells()
    var rows = DailyRowCounts()
    try await inputs.accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
      try copies.join.next(batch.records.count)
    } _: {
      counter.count($0, $1)
    } take: { batch in
      cells.add(batch)
      rows += batch.rows
      unreadable += batch.unreadable
    }
    var summary = DailySummary(rows, settings, lookups)
    let asOf = settings.asOf ?? rows.newest.map { Timestamp(milliseconds: $0) }
    do throws(FileFailure) {
      var encoder = DailyEncoder(encoding, settings.dimensions, asOf: asOf)
      var pending = 0
      try cells.forEachGroup { row throws(FileFailure) in
        encoder.encode(row)
        summary.add(row)
        pending += 1
        guard pending == 4096 else { return }
        pending = 0
        try outputs.append(encoder.take(), &summary)
      }
      try outputs.append(encoder.take(), &summary)
      let text = summary.json.description
      try outputs.events.complete(summary: text)
      try outputs.values?.complete(summary: text)
      try outputs.daily.complete(summary: text)
    } catch {
      throw .state(error)
    }
    self.summary = summary
    self.unreadable = unreadable
  }
}

extension DailyOutputs {
  fileprivate func append(
    _ rows: (daily: EncodedRows, events: EncodedRows, values: EncodedRows),
    _ summary: inout DailySummary
  ) throws(FileFailure) {
    try daily.append(rows.daily)
    try events.append(rows.events)
    try values?.append(rows.values)
    summary.written[0] += rows.daily.count
    summary.written[1] += rows.events.count
    summary.written[2] += values == nil ? 0 : rows.values.count
  }
}
