internal import Base
internal import DerivedTables
internal import DurableFiles
internal import JSON
internal import Ledger
package import LookupTables
internal import NullValueModelling
package import PostbackPipeline
internal import Signatures
internal import Tables

/// Writes the tables of a daily report, day by day.
package struct DailyWriter: ~Copyable {
  private let inputs: DailyInputs
  private let lookups: Lookups
  private let settings: DailySettings
  private let format: TableFormat
  private let costs: DailyCosts?
  private let modelling: DailyModelling
  /// The days with costs that were not written yet, in order.
  private var costDays: ArraySlice<Int64>
  /// The rows whose day is not known, which come last.
  private var rowsWithoutDay: [DailyRow] = []

  private var encoder: DailyEncoder
  private var changesEncoder: RowEncoder
  private var changes: DailyChanges
  private var hash: SHA256
  private var summary: DailySummary

  /// Begins the tables with the changes of earlier reports.
  package init(
    _ inputs: DailyInputs,
    _ outputs: inout DailyOutputs,
    _ lookups: Lookups,
    _ modelling: DailyModelling,
    _ summary: DailySummary
  ) throws(PipelineFailure) {
    self.modelling = modelling
    let settings = summary.settings
    let changes: DailyChanges
    var changesEncoder = RowEncoder(.dailyChanges, settings.encoding)
    do throws(FileFailure) {
      changes = try DailyChanges(in: outputs.daily.table.output, settings, summary.provenance, asOf: summary.asOf)
      try changes.copyHistory(&changesEncoder) { encoder throws(FileFailure) in
        try outputs.append(changes: encoder.take())
      }
    } catch {
      throw .state(error)
    }
    // The rows of other days are those of the earlier report.
    hash = try Self.hash(after: settings.isPartial ? changes.before : nil)
    (self.inputs, self.lookups, self.settings, self.changes) = (inputs, lookups, settings, changes)
    format = settings.encoding.formats.contains(.jsonLines) ? .jsonLines : .csv
    costs = inputs.costs.map { DailyCosts($0, settings.dimensions, inputs.currency) }
    costDays = (costs?.days ?? []).filter { settings.part(of: $0) == .calculated }[...]
    encoder = DailyEncoder(
      settings.encoding,
      settings.dimensions,
      modelling,
      asOf: summary.asOf,
      writesValues: outputs.values != nil
    )
    self.changesEncoder = changesEncoder
    self.summary = summary
  }

  private static func hash(after text: String?) throws(PipelineFailure) -> SHA256 {
    try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in
      var hash = try SHA256()
      if let text { try hash.update(text.utf8.span) }
      return hash
    }
  }

  /// Writes the rows of the days that are calculated, and keeps those without a day for later.
  package mutating func write(
    _ cells: DailyCells,
    of type: DateType,
    into outputs: inout DailyOutputs,
    jobs: Int
  ) async throws(PipelineFailure) {
    var days = cells.days(of: type, inputs, settings, modelling, jobs: jobs).makeAsyncIterator()
    while let rows = try await days.next() {
      if rows.first?.group.day == nil { rowsWithoutDay = rows } else { try write(rows, into: &outputs) }
    }
    if type == .install { try writeCosts(before: nil, into: &outputs) }
  }

  /// Writes the rows of a date type whose day is not known, behind all others.
  package mutating func writeRowsWithoutDay(into outputs: inout DailyOutputs) throws(PipelineFailure) {
    guard let first = rowsWithoutDay.first else { return }
    try append(DailyPosition(type: first.group.dateType, day: nil), rowsWithoutDay, to: &outputs)
    rowsWithoutDay = []
  }

  /// Writes what is left, and completes the tables.
  package consuming func finish(_ outputs: inout DailyOutputs) throws(PipelineFailure) -> DailySummary {
    do throws(LibcryptoFailure) {
      summary.provenance.rows = try hash.finish().hexadecimal
    } catch {
      throw .libcrypto(error)
    }
    do throws(FileFailure) {
      changes.compare(upTo: nil, &changesEncoder)
      try outputs.append(changes: changesEncoder.take())
      try outputs.append(modelled: modelling.modelling.encoded(settings.encoding))
      try outputs.modelled.table.add(StratumHistory.name, modelling.history.lines)
      let costs = costs?.sum { settings.part(of: $0) != .calculated }
      summary.note(outputs, modelling.modelling, costsOfOtherDays: costs)
      (summary.changes, summary.changesObstacle) = (changes.counts, changes.obstacle)
      summary.changeWarnings = changes.warnings
      try summary.verifyReplacement(in: outputs.daily.table.output, emptied: changes.emptied)
      try outputs.complete(summary: summary.json.description, changes: changes.json.description)
    } catch {
      throw .state(error)
    }
    return summary
  }

  /// Writes the rows of a day, behind the costs of days without postbacks before it.
  private mutating func write(_ rows: [DailyRow], into outputs: inout DailyOutputs) throws(PipelineFailure) {
    guard let first = rows.first?.group, let day = first.day else { return }
    let position = DailyPosition(type: first.dateType, day: day)
    guard first.dateType == .install else { return try append(position, rows, to: &outputs) }
    try writeCosts(before: day, into: &outputs)
    if costDays.first == day { costDays.removeFirst() }
    try append(position, DailyRow.installDay(rows, costs?.entries(of: day) ?? [], lookups), to: &outputs)
  }

  /// Writes the costs of the days before a day; nil for all that are left.
  private mutating func writeCosts(before day: Int64?, into outputs: inout DailyOutputs) throws(PipelineFailure) {
    while let next = costDays.first, day.map({ next < $0 }) ?? true {
      costDays.removeFirst()
      let rows = DailyRow.installDay([], costs?.entries(of: next) ?? [], lookups)
      try append(DailyPosition(type: .install, day: next), rows, to: &outputs)
    }
  }

  private mutating func append(
    _ position: DailyPosition,
    _ rows: [DailyRow],
    to outputs: inout DailyOutputs
  ) throws(PipelineFailure) {
    for row in rows {
      encoder.encode(row)
      summary.add(row)
    }
    let encoded = encoder.take()
    do throws(LibcryptoFailure) { try hash.update(encoded.daily[format].span) } catch { throw .libcrypto(error) }
    try PipelineFailure.state { () throws(FileFailure) in
      changes.compare(position, with: RowBatch(encoded.daily, in: format, of: .daily), &changesEncoder)
      try outputs.append(changes: changesEncoder.take())
      try outputs.append(encoded)
    }
  }
}

extension DailyProvenance {
  /// The files and settings of a report.
  init(_ inputs: DailyInputs, _ settings: DailySettings, _ lookups: Lookups) {
    self.init()
    digests[.lookup] = lookups.hexadecimalDigest
    digests[.model] = inputs.settled?.modelsDigest
    settlement = inputs.settled?.digest
    graceHours = inputs.settled?.graceHours
    inputBytes = inputs.byteCount
    acceptedBytes = inputs.acceptedByteCount
    requests = settings.requests
    digests[.rates] = inputs.currency?.digest.hexadecimal
    digests[.cost] = inputs.costs?.digest.hexadecimal
    self.settings = [
      "dimensions=\(DailyDimension.text(settings.dimensions))",
      "environments=\(settings.environmentNames)",
      "currency=\(inputs.currency?.code ?? "")",
      // Texts that are written in another way cannot be compared.
      "texts=\(settings.encoding.isCSVSafe && !settings.encoding.formats.contains(.jsonLines) ? "csv-safe" : "plain")",
    ]
  }
}
