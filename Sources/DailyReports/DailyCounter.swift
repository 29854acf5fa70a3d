internal import Base
package import CampaignEnrichment
package import CopySettlement
internal import JSON
internal import LookupTables
internal import PostbackCopies
internal import SKAdNetwork
package import TableReading
package import Tables

/// The postbacks that have the same days, the same place and the same outcome.
struct DailyCell: Hashable, Sendable {
  /// The number of the place: the values of the dimensions, and the names.
  var place: UInt32
  /// The number of the outcome.
  var outcome: UInt32
  /// The number of the stratum in which null postbacks are modelled.
  var stratum: UInt32
  /// The number of the sender, who may be suspected to change values.
  var sender: UInt32
  /// The day of receipt since 1970-01-01, or `unknownDay`.
  var received: Int32
  /// The day of the estimated install date since 1970-01-01, or `unknownDay`.
  var install: Int32

  /// A day that is not known. It comes after all others.
  static let unknownDay = Int32.max

  /// The day of the install; nil if it is not known.
  var installDay: Int64? { install == Self.unknownDay ? nil : Int64(install) }
}

/// The keys of a postback that decide with which others it is counted.
package struct DailyPostbackKey {
  var place = DailyKeyBytes()
  var outcome = DailyKeyBytes()
  var stratum = DailyKeyBytes()
  var sender = DailyKeyBytes()

  /// Empty keys.
  package init() {}
}

/// The counts of a batch of rows of `skan_postbacks`.
package struct DailyBatch: Sendable {
  var cells = DailyCells()
  var rows = DailyRowCounts()
  package var unreadable = UnreadableRows()

  /// Nothing was counted yet.
  package init() {}
}

/// Counts rows of `skan_postbacks` by days, places and outcomes.
package struct DailyCounter: Sendable {
  let enricher: Enricher
  let dimensions: Set<DailyDimension>
  let environments: Set<String>
  /// The time of the report in milliseconds since 1970, after which nothing is counted; nil for no limit.
  let end: Int64?

  private let columns = PostbackColumns()
  private let zeroMayBeNullColumn = Table.settled.place(.effectiveZeroMayBeNull)
  private let placeColumns: [Bool]
  private let nameColumns: [Bool]

  init(_ enricher: Enricher, _ settings: DailySettings) {
    (self.enricher, dimensions, environments) = (enricher, settings.dimensions, settings.environments)
    end = settings.asOf?.milliseconds
    let dimensions = dimensions
    placeColumns = DailyDimension.allCases.map(dimensions.contains)
    nameColumns = DailyName.allCases.map { dimensions.contains($0.dimension) }
  }

  /// Counts the rows of a batch. `copies` has their copies, and `settled` the rows of `skan_settled`.
  package func count(_ rows: ParsedRows, _ copies: RecordTable, settled: ParsedRows) -> DailyBatch {
    var counts = DailyBatch()
    var cursor = RowCursor(rows)
    var settled = SettledCursor(settled)
    var reader = InlineReader()
    var key = DailyPostbackKey()
    while cursor.next() {
      let isSettled = settled.next(cursor.key(columns.key))
      guard environments.contains(cursor.text(columns.environment) ?? "") else {
        leaveOut(cursor, &counts)
        continue
      }
      if isSettled {
        let row = enricher.enrich(cursor, &reader, copies, settled.row, .settled)
        count(cursor, row, settled.row, .settled, &key, &counts)
      } else {
        let row = enricher.enrich(cursor, &reader, copies, cursor, .postbacks)
        count(cursor, row, cursor, .postbacks, &key, &counts)
      }
    }
    counts.unreadable = cursor.unreadable
    counts.unreadable += settled.row.unreadable
    return counts
  }

  /// Notes a row of an environment that is not counted.
  private func leaveOut(_ cursor: borrowing RowCursor, _ counts: inout DailyBatch) {
    counts.rows.read += 1
    counts.rows.leftOut[cursor.text(columns.environment) ?? "", default: 0] += 1
  }

  /// Counts a row that was enriched, unless it is left out. `values` has the values that count, in these columns.
  package func count(
    _ cursor: borrowing RowCursor,
    _ row: EnrichedRow,
    _ values: borrowing RowCursor,
    _ decided: DecidedColumns,
    _ key: inout DailyPostbackKey,
    _ counts: inout DailyBatch
  ) {
    guard environments.contains(cursor.text(columns.environment) ?? "") else { return leaveOut(cursor, &counts) }
    counts.rows.read += 1
    if let end, let received = row.receivedAt, received > end {
      counts.rows.late += 1
    } else if row.inline.isTest {
      counts.rows.tests += 1
    } else {
      if decided.areSettled { counts.rows.settled += 1 }
      let trust = decided.areSettled ? CopyAgreement(values) : nil
      add(cursor, enriched: row, values: values, in: decided, trust, with: &key, to: &counts)
    }
  }

  /// Counts a row. `values` has the values that count, in these columns; their certainty is nil if copies were not compared.
  private func add(
    _ cursor: borrowing RowCursor,
    enriched row: EnrichedRow,
    values: borrowing RowCursor,
    in valueColumns: DecidedColumns,
    _ trust: CopyAgreement?,
    with key: inout DailyPostbackKey,
    to counts: inout DailyBatch
  ) {
    key.place.removeAll()
    appendPlace(cursor, enriched: row, values: values, in: valueColumns, trust, to: &key.place)
    let isZeroFilled =
      trust == nil
      ? cursor.has("zero_may_be_null", among: columns.tierFlags)
      : values.boolean(zeroMayBeNullColumn) == true
    let zeroMayBeNull = trust?.isOfDevice != true && (row.network?.writesNullAsZero == true || isZeroFilled)
    key.outcome.removeAll()
    appendOutcome(cursor, values: values, in: valueColumns, trust, zeroMayBeNull: zeroMayBeNull, to: &key.outcome)
    key.sender.removeAll()
    if trust?.isOfDevice != true {
      appendSender(cursor, enriched: row, values: values, in: valueColumns, to: &key.sender)
    }
    key.stratum.removeAll()
    key.stratum.appendStratum(cursor, columns, row)
    let (received, install) = days(row.receivedAt, values, valueColumns, &counts.rows)
    counts.cells.add(key, received: received, install: install) {
      var outcome = DailyOutcome(cursor, columns, values, valueColumns, zeroMayBeNull: zeroMayBeNull)
      outcome.trust = trust
      if trust?.isOfDevice == true { outcome.revenue.confirmed = outcome.revenue.estimate }
      return outcome
    }
  }

  private func days(
    _ received: Int64?,
    _ values: borrowing RowCursor,
    _ valueColumns: DecidedColumns,
    _ rows: inout DailyRowCounts
  ) -> (received: Int32, install: Int32) {
    let install = values.time(valueColumns.installDate)
    let day = Self.day(received)
    if let received { rows.receipts.add(received) } else { rows.withoutReceipt += 1 }
    if install == nil { rows.withoutInstallDate += 1 }
    return (day, Self.day(install))
  }

  private static func day(_ time: Int64?) -> Int32 {
    time.map { Int32(clamping: Timestamp(milliseconds: $0).daysSince1970) } ?? DailyCell.unknownDay
  }

  // MARK: - Keys

  private func appendPlace(
    _ cursor: borrowing RowCursor,
    enriched row: EnrichedRow,
    values: borrowing RowCursor,
    in valueColumns: DecidedColumns,
    _ trust: CopyAgreement?,
    to key: inout DailyKeyBytes
  ) {
    for dimension in DailyDimension.allCases {
      guard placeColumns[dimension.place] else {
        key.appendNull()
        continue
      }
      switch dimension {
      case .appID: key.append(columns.appID, of: cursor)
      case .networkName: key.append(row.networkName)
      case .campaignID: key.append(row.campaign[InlineValues.Field.campaignID.rawValue])
      case .adgroupID: key.append(row.campaign[InlineValues.Field.adgroupID.rawValue])
      case .creativeID: key.append(row.campaign[InlineValues.Field.creativeID.rawValue])
      case .sourceAppID:
        key.append(valueColumns.withUnsigned(\.sourceApp, values, cursor, columns) { $0.integer($1) }.map { "\($0)" })
      case .country: if let country = row.country { key.append(country.letters.span) } else { key.appendNull() }
      case .framework: key.append(columns.framework, of: cursor)
      case .version: key.append(columns.version, of: cursor)
      case .environment: key.append(columns.environment, of: cursor)
      case .channel: key.append(valueColumns.channel, of: values)
      case .forwarder: key.append(valueColumns.forwarder, of: values)
      case .trustLevel: key.append(trust.map { "\($0.level)" })
      case .modelID: key.append(valueColumns.modelID, of: values)
      case .modelVersion: key.append(valueColumns.modelVersion, of: values)
      case .conversionType: key.append(columns.conversionType, of: cursor)
      case .fidelityType: key.append(columns.fidelityType, of: cursor)
      case .adInteractionType: key.append(valueColumns.interaction, of: values)
      case .marketplaceIdentifier: key.append(columns.marketplaceIdentifier, of: cursor)
      case .sourceIdentifier: key.append(columns.sourceIdentifier, of: cursor)
      case .sourceDomain: key.append(columns.sourceDomain, of: cursor)
      case .redownload:
        key.append(valueColumns.withUnsigned(\.redownload, values, cursor, columns) { $0.boolean($1) }.map { "\($0)" })
      }
    }
    for name in DailyName.allCases {
      if nameColumns[name.rawValue] { key.append(row.name(name)) } else { key.appendNull() }
    }
  }

  /// Appends those who may have changed the value, as `ValueSuspicions` has them.
  private func appendSender(
    _ cursor: borrowing RowCursor,
    enriched row: EnrichedRow,
    values: borrowing RowCursor,
    in valueColumns: DecidedColumns,
    to key: inout DailyKeyBytes
  ) {
    key.append(valueColumns.forwarder, of: values)
    key.append(columns.appID, of: cursor)
    key.append(row.networkName)
    key.append((cursor.text(columns.adNetworkID) ?? "").networkStem)
  }

  private func appendOutcome(
    _ cursor: borrowing RowCursor,
    values: borrowing RowCursor,
    in valueColumns: DecidedColumns,
    _ trust: CopyAgreement?,
    zeroMayBeNull: Bool,
    to key: inout DailyKeyBytes
  ) {
    key.append(zeroMayBeNull ? "0" : nil)
    key.append(trust.map { "\($0.level)" })
    key.append(trust?.isOfDevice == true ? "1" : nil)
    key.append(columns.version, of: cursor)
    let redownload = valueColumns.withUnsigned(\.redownload, values, cursor, columns) { $0.boolean($1) }
    key.append(redownload.map { $0 ? "1" : "0" })
    key.append(columns.conversionType, of: cursor)
    key.append(columns.fidelityType, of: cursor)
    key.append(valueColumns.interaction, of: values)
    key.append(columns.didWin, of: cursor)
    key.append(columns.window, of: cursor)
    key.append(cursor.cell(columns.sourceDomain).map { $0.count > 0 } == true ? "1" : nil)
    key.append(valueColumns.hasPublisher(values, cursor, columns) ? "1" : nil)
    key.append(valueColumns.conversionValue, of: values)
    key.append(valueColumns.coarseValue, of: values)
    key.append(valueColumns.decodeStatus, of: values)
    guard values.cell(valueColumns.cumulative) != nil else { return }
    key.append(columns.appID, of: cursor)
    key.append(valueColumns.modelID, of: values)
    key.append(valueColumns.modelVersion, of: values)
    key.append(valueColumns.revenue, of: values)
    key.append(valueColumns.minRevenue, of: values)
    key.append(valueColumns.maxRevenue, of: values)
    key.append(valueColumns.currency, of: values)
    key.append(valueColumns.cumulative, of: values)
  }
}

extension EnrichedRow {
  /// The name that the daily tables carry along.
  fileprivate func name(_ name: DailyName) -> String? {
    switch name {
    case .app: appName
    case .networkStatus: networkStatus.rawValue
    case .campaign: campaign[InlineValues.Field.campaignName.rawValue]
    case .adgroup: campaign[InlineValues.Field.adgroupName.rawValue]
    case .creative: campaign[InlineValues.Field.creativeName.rawValue]
    case .sourceApp: sourceAppName
    }
  }
}
