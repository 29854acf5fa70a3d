internal import Base
internal import ConversionModel
package import DerivedTables
package import DurableFiles
internal import NullValueModelling
package import PostbackPipeline
internal import TableReading
internal import Tables

/// The tables that a daily report writes, and those of an earlier report in their place.
package struct DailyOutputs {
  /// A table that is written.
  package struct Output {
    package let table: DerivedTable
    /// The rows of the earlier report; nil if there is none.
    var earlier: TableFiles?
    /// The settings of the earlier report; nil if they are not known.
    var provenance: DailyProvenance?
    /// The number of rows that were written.
    var rows = 0
    /// The numbers of postbacks in the rows of the earlier report that stay; 0 in a table without such a column.
    var earlierPostbacks: [DateType: Int] = [:]
    /// The cost of these rows by currency; empty in a table without one.
    var earlierCosts: [String: Amount] = [:]
    /// The number of these rows.
    var earlierRows = 0
  }

  var daily: Output
  var events: Output
  /// The table of the values; nil if it is not written.
  var values: Output?
  var changes: Output
  package var modelled: Output

  /// Begins the tables in a folder. `skan_daily_values` is written if it is wanted, and if it is there.
  package init(in folder: String, _ settings: DailySettings, wantsValues: Bool) throws(FileFailure) {
    let provenance = try DerivedTable.summary(of: .daily, in: folder).flatMap(DailyProvenance.init)
    func output(_ table: Table) throws(FileFailure) -> Output {
      let derived = try DerivedTable(table, settings.encoding, in: folder)
      let earlier = settings.isPartial ? try TableFiles(derived: table, in: folder) : nil
      return Output(table: derived, earlier: earlier, provenance: provenance)
    }
    daily = try output(.daily)
    events = try output(.dailyEvents)
    changes = Output(table: try DerivedTable(.dailyChanges, settings.encoding, in: folder))
    modelled = Output(table: try DerivedTable(.modelled, settings.encoding, in: folder))
    let hasValues = try DurableFolder("\(folder)/\(Table.dailyValues.name)").byteCount(of: ".") != nil
    values = wantsValues || hasValues ? try output(.dailyValues) : nil
  }

  /// Indicates that `skan_daily_values` is new, and has fewer days than `skan_daily`: only those that are calculated.
  package var beginsValues: Bool { values.map { $0.earlier == nil } ?? false && daily.earlier != nil }

  /// Appends the rows of an encoder.
  mutating func append(
    _ rows: (daily: EncodedRows, events: EncodedRows, values: EncodedRows)
  ) throws(FileFailure) {
    try daily.append(rows.daily)
    try events.append(rows.events)
    try values?.append(rows.values)
  }

  /// Appends the rows that the earlier report has of a part of the days. Throws if their dimensions are not those of the new one,
  /// or their currency or environments.
  package mutating func appendEarlier(
    _ part: DailySettings.DayPart,
    of type: DateType,
    _ settings: DailySettings,
    currency: String?,
    jobs: Int
  ) async throws(PipelineFailure) {
    try await daily.appendEarlier(.daily, part, of: type, settings, currency, jobs: jobs)
    try await events.appendEarlier(.dailyEvents, part, of: type, settings, currency, jobs: jobs)
    try await values?.appendEarlier(.dailyValues, part, of: type, settings, currency, jobs: jobs)
  }

  /// Appends rows of the changes.
  mutating func append(changes rows: EncodedRows) throws(FileFailure) { try changes.append(rows) }

  /// Appends rows of `skan_modelled`.
  mutating func append(modelled rows: EncodedRows) throws(FileFailure) { try modelled.append(rows) }

  /// Puts the tables in the place of those of the earlier report. The changes are in their table before the report is,
  /// and are calculated again if the report does not follow.
  func complete(summary: String, changes text: String) throws(FileFailure) {
    try changes.table.complete(summary: text)
    try modelled.table.complete(summary: summary)
    try events.table.complete(summary: summary)
    try values?.table.complete(summary: summary)
    try daily.table.complete(summary: summary)
  }
}

extension DailyOutputs.Output {
  fileprivate mutating func append(_ new: EncodedRows) throws(FileFailure) {
    try table.append(new)
    rows += new.count
  }

  fileprivate mutating func appendEarlier(
    _ declaration: Table,
    _ part: DailySettings.DayPart,
    of type: DateType,
    _ settings: DailySettings,
    _ currency: String?,
    jobs: Int
  ) async throws(PipelineFailure) {
    guard let earlier else { return }
    let other = provenance?.other(than: settings, currency)
    let reader = DailyEarlierRows(table: declaration, part: part, type: type, settings: settings)
    try await earlier.scan(jobs: jobs) {
      reader.read($0)
    } take: { batch throws(PipelineFailure) in
      try PipelineFailure.state { () throws(FileFailure) in
        if let other = batch.otherDimensions {
          let option = "--dimensions \(other.isEmpty ? "''" : other.replacing(";", with: ","))"
          throw refusal("the dimensions \(other.isEmpty ? "of none" : other)", option, declaration, settings)
        }
        if let other, batch.rows.count > 0 { throw refusal(other.setting, other.option, declaration, settings) }
        try append(batch.rows)
        earlierPostbacks[type, default: 0] += batch.postbacks
        earlierCosts.merge(batch.costs, uniquingKeysWith: +)
        earlierRows += batch.rows.count
      }
    }
  }
}

extension DailyOutputs.Output {
  /// The failure that rows of other days stay, and were made with another setting.
  private func refusal(
    _ setting: String,
    _ option: String,
    _ declaration: Table,
    _ settings: DailySettings
  ) -> FileFailure {
    let path = "\(settings.replacement.place ?? table.output)/\(declaration.name)"
    guard settings.keepsRemovedDays else {
      let advice = "Give \(option), or leave out --since and --until"
      return FileFailure(.incompatible, path, "The rows of the other days have \(setting)", advice: advice)
    }
    return FileFailure(
      .incompatible,
      path,
      "The rows of the days whose postbacks were removed have \(setting), and cannot be made again",
      advice: "Give \(option), or another folder with --out for a report without these days"
    )
  }
}

extension DailyProvenance {
  /// Returns a setting of the report that a new one does not have, in words, with the option that gives it; nil if there is none.
  fileprivate func other(than new: DailySettings, _ newCurrency: String?) -> (setting: String, option: String)? {
    if let environments, environments != new.environmentNames {
      let list = environments.replacing(";", with: ",")
      return ("postbacks of the environments \(list)", "--environment \(list)")
    }
    guard currency != newCurrency else { return nil }
    guard let currency else { return ("amounts in their own currencies", "no --currency and --rates, with --reset") }
    return ("the currency \(currency)", "--currency \(currency) and --rates")
  }
}

/// Reads the rows of a daily table that stay as they are.
private struct DailyEarlierRows: Sendable {
  let table: Table
  let part: DailySettings.DayPart
  let type: DateType
  let settings: DailySettings

  struct Batch: Sendable {
    let rows: EncodedRows
    /// The number of postbacks in the rows.
    let postbacks: Int
    /// The cost of the rows by currency.
    let costs: [String: Amount]
    /// The dimensions of the first row that has others than the report.
    let otherDimensions: String?
  }

  func read(_ batch: RawBatch) -> Batch {
    var cursor = RowCursor(batch, of: table)
    var encoder = RowEncoder(table, settings.encoding, inputBytes: batch.bytes.count)
    let (typePlace, dayPlace) = (table.place(.dateType), table.place(.date))
    func place(_ column: ColumnName) -> Int? { table.columnNames.firstIndex(of: column.rawValue) }
    let (postbacksPlace, costPlace, currencyPlace) = (place(.postbacks), place(.cost), place(.costCurrency))
    let dimensions = DailyDimension.text(settings.dimensions)
    var postbacks: Int64 = 0
    var costs: [String: Amount] = [:]
    var otherDimensions: String?
    while cursor.next() {
      guard cursor.has(type.rawValue, in: typePlace), let day = cursor.day(dayPlace), settings.part(of: day) == part
      else { continue }
      let own = cursor.text(table.place(.dimensions)) ?? ""
      if own != dimensions { otherDimensions = otherDimensions ?? own }
      encoder.copy(cursor, of: table)
      postbacks += postbacksPlace.flatMap { cursor.integer($0) } ?? 0
      if let costPlace, let currencyPlace, let cost = cursor.amount(costPlace) {
        costs[cursor.text(currencyPlace) ?? "", default: .zero] += cost
      }
    }
    return Batch(rows: encoder.take(), postbacks: Int(postbacks), costs: costs, otherDimensions: otherDimensions)
  }
}

extension RowEncoder {
  /// Writes a row as a cursor of the same table has it.
  fileprivate mutating func copy(_ row: borrowing RowCursor, of table: Table) {
    for (place, column) in table.columns.enumerated() { copy(column.name, row.text(place)) }
    endRow()
  }
}

extension RowCursor {
  /// The day in a cell, in days since 1970-01-01; nil if the cell is not a day.
  fileprivate func day(_ column: Int) -> Int64? {
    text(column).flatMap { Timestamp(dateOrTime: $0)?.daysSince1970 }
  }
}
