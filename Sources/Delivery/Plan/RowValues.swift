internal import CopySettlement
internal import Tables

/// A reader of the cells of a row that are values of macros.
struct RowValues: Sendable {
  private enum Form {
    case text, number, boolean
  }

  private let cells: [(macro: TemplatePlaceholder, place: Int, form: Form)]
  private let receivedAt: Int?

  private init(_ table: Table, _ columns: [(TemplatePlaceholder, ColumnName)]) {
    cells = columns.map { macro, name in
      let place = table.place(name)
      let form: Form =
        switch table.columns[place].type {
        case .integer, .decimal, .signedDecimal: .number
        case .boolean: .boolean
        case .text, .word, .date, .time, .words, .object, .objects: .text
        }
      return (macro, place, form)
    }
    receivedAt = table.columns.firstIndex { $0.name == .receivedAt }
  }

  /// The values of the current row. Numbers are as they stand in the table.
  func read(_ row: borrowing RowCursor) -> [TemplatePlaceholder: PlaceholderValue] {
    var values: [TemplatePlaceholder: PlaceholderValue] = [:]
    for (macro, place, form) in cells {
      guard let text = row.text(place) else { continue }
      switch form {
      case .text: values[macro] = .text(text)
      case .number: values[macro] = .number(text)
      case .boolean: values[macro] = row.boolean(place).map { .boolean($0) }
      }
    }
    if let receivedAt, let time = row.time(receivedAt) {
      values[.receivedAtUnix] = .number("\(time / 1000)")
    }
    return values
  }

  /// The values of `skan_postbacks`.
  static let postbacks = RowValues(
    .postbacks,
    [
      (.postbackKey, .postbackKey), (.framework, .framework), (.version, .version), (.networkID, .adNetworkID),
      (.campaignID, .campaignID), (.sourceIdentifier, .sourceIdentifier), (.appID, .appID),
      (.sourceAppID, .sourceAppID), (.sourceDomain, .sourceDomain), (.transactionID, .transactionID),
      (.redownload, .redownload), (.conversionType, .conversionType), (.fidelityType, .fidelityType),
      (.adInteractionType, .adInteractionType), (.didWin, .didWin), (.postbackSequenceIndex, .postbackSequenceIndex),
      (.conversionValue, .conversionValue), (.coarseConversionValue, .coarseConversionValue), (.country, .countryCode),
      (.receivedAt, .receivedAt), (.estimatedInstallDate, .estimatedInstallDate), (.modelID, .modelID),
      (.modelVersion, .modelVersion), (.decodeStatus, .decodeStatus), (.revenue, .skanRevenue),
      (.revenueMin, .minRevenue), (.revenueMax, .maxRevenue), (.currency, .currency), (.raw, .rawBody),
    ]
  )

  /// The values of `skan_events` and of `skan_settled_events`.
  static let events = RowValues(
    .events,
    [
      (.eventName, .eventName), (.eventCount, .eventCount), (.eventCountMin, .minEventCount),
      (.eventCountMax, .maxEventCount), (.revenue, .skanRevenue), (.revenueMin, .minRevenue),
      (.revenueMax, .maxRevenue), (.currency, .currency),
    ]
  )

  /// The values of `skan_settled`.
  static let settled = RowValues(
    .settled,
    [
      (.conversionValue, .effectiveConversionValue), (.coarseConversionValue, .effectiveCoarseConversionValue),
      (.country, .effectiveCountryCode), (.decodeStatus, .effectiveDecodeStatus), (.modelID, .effectiveModelID),
      (.modelVersion, .effectiveModelVersion), (.revenue, .effectiveRevenue), (.revenueMin, .effectiveMinRevenue),
      (.revenueMax, .effectiveMaxRevenue), (.currency, .effectiveCurrency),
      (.estimatedInstallDate, .effectiveEstimatedInstallDate), (.trustLevel, .trustLevel),
    ]
  )

  /// The macros that a settlement replaces in the delivery of a postback.
  static let settledMacros = settled.cells.map(\.macro)
  /// The macros that belong to an event.
  static let eventMacros = events.cells.map(\.macro)
}

extension EventRow {
  /// Reads the rows of a batch.
  static func read(_ batch: RowBatch, of table: Table) -> [EventRow] {
    var found: [EventRow] = []
    found.reserveCapacity(batch.rows.count)
    var row = RowCursor(batch, of: table)
    let (keyPlace, namePlace) = (table.place(.postbackKey), table.place(.eventName))
    while row.next() {
      guard let key = row.key(keyPlace), let name = row.text(namePlace) else { continue }
      found.append(EventRow(key: key, name: name, values: RowValues.events.read(row)))
    }
    return found
  }
}
