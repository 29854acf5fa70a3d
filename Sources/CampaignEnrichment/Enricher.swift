internal import PostbackVerification
internal import Base
package import CopySettlement
internal import JSON
package import LookupTables
package import PostbackCopies
internal import PostbackPipeline
package import TableReading
package import Tables

/// Makes the rows of `skan_enriched` from those of `skan_postbacks`.
package struct Enricher: Sendable {
  let lookups: Lookups
  package let encoding: TableEncoding

  package let columns = PostbackColumns()

  package init(_ lookups: Lookups, _ encoding: TableEncoding) {
    self.lookups = lookups
    self.encoding = encoding
  }

  /// The rows for a batch, with their counts.
  package struct Batch: Sendable {
    package let rows: EncodedRows
    package let summary: EnrichmentSummary
    package let unreadable: UnreadableRows

    /// Makes the rows of a batch.
    package init(rows: EncodedRows, summary: EnrichmentSummary, unreadable: UnreadableRows) {
      (self.rows, self.summary, self.unreadable) = (rows, summary, unreadable)
    }
  }

  /// Tells if the two digits of a shortened source identifier are the last, and the first, of a campaign; nil if the
  /// postback has no such identifier.
  package func twoDigits(_ row: EnrichedRow) -> (trailing: Bool, leading: Bool)? {
    guard let query = row.query, case .source(let number, digits: 2) = query.identifier else { return nil }
    return lookups.campaigns.matches(twoDigits: number, query)
  }

  /// Enriches the current row of a cursor. `values` has the values that count, in these columns.
  package func enrich(
    _ cursor: borrowing RowCursor,
    _ reader: inout InlineReader,
    _ copies: RecordTable,
    _ values: borrowing RowCursor,
    _ decided: DecidedColumns
  ) -> EnrichedRow {
    var row = EnrichedRow()
    row.inline = inline(cursor, &reader, copies)
    let receivedAt = decided.received(values)
    row.receivedAt = receivedAt
    let id = cursor.text(columns.adNetworkID) ?? ""
    let app = cursor.integer(columns.appID)
    let sourceApp = decided.withUnsigned(\.sourceApp, values, cursor, columns) { $0.integer($1) }
    if Networks.isDevelopment(id) || app == 0 || sourceApp == 0 {
      row.networkName = "(development)"
      row.networkStatus = .development
      return row
    }
    let network = lookups.networks.network(id, at: receivedAt)
    row.network = network
    row.networkName = network?.name ?? id.lowercased()
    row.networkStatus = network == nil ? .unmapped : .mapped
    row.appName = app.flatMap { lookups.apps[$0]?.name }
    row.sourceAppName =
      sourceApp.flatMap { lookups.sourceApps[$0]?.name }
      ?? cursor.text(columns.sourceDomain).flatMap { lookups.sourceApps[domain: $0]?.name }
    let own = values.cell(decided.country).flatMap { Country(values.bytes.span.extracting($0.indices)) }
    row.query = query(cursor, network, id, app ?? 0)
    row.query?.country = own
    row.query?.sourceApp = sourceApp
    add(values, decided, cursor, network, to: &row.query)
    let match = row.query.map { lookups.campaigns.match($0) } ?? CampaignMatch()
    row.fill(match, lookups.campaigns.texts)
    row.country = own ?? match.target
    row.countrySource = own != nil ? .postback : match.target != nil ? .targeting : nil
    return row
  }

  /// The query for the campaign of a row; nil if the postback has no identifier, or no campaign is of its network.
  private func query(
    _ cursor: borrowing RowCursor,
    _ network: Network?,
    _ id: String,
    _ app: Int64
  ) -> CampaignLookup? {
    let key =
      network.map { lookups.campaigns.network(name: $0.name) } ?? lookups.campaigns.network(id: id.canonicalNetworkID)
    guard let key else { return nil }
    let identifier: CampaignLookup.Identifier
    if let source = cursor.cell(columns.sourceIdentifier) {
      guard (2...4).contains(source.count), let number = Int(cursor.text(columns.sourceIdentifier) ?? "") else {
        return nil
      }
      identifier = .source(number, digits: Int(source.count))
    } else if let number = cursor.integer(columns.campaignID) {
      identifier = .campaign(Int(number))
    } else {
      return nil
    }
    var query = CampaignLookup(network: key, app: app, identifier: identifier)
    query.digits = network?.digits ?? Network(name: "").digits
    return query
  }

  /// Adds the time of the impression and the kind of the conversion to a query.
  private func add(
    _ values: borrowing RowCursor,
    _ decided: DecidedColumns,
    _ cursor: borrowing RowCursor,
    _ network: Network?,
    to query: inout CampaignLookup?
  ) {
    guard query != nil else { return }
    let settings = network ?? Network(name: "")
    let isView = cursor.integer(columns.fidelityType) == 0 || values.has("view", in: decided.interaction)
    let days = isView ? settings.viewDays : settings.clickDays
    query?.earliest = values.time(decided.earliest).map { $0 - days * 86_400_000 }
    query?.latest = values.time(decided.latest)
    query?.redownload = decided.withUnsigned(\.redownload, values, cursor, columns) { $0.boolean($1) }
    if cursor.has("redownload", in: columns.conversionType) { query?.redownload = true }
    if cursor.has("download", in: columns.conversionType) { query?.redownload = false }
  }

  /// The campaign, the ad group and the creative that forwarders added to any copy: each of the first copy that has it, by the
  /// time of receipt, so that the order in which copies were processed does not matter.
  private func inline(
    _ cursor: borrowing RowCursor,
    _ reader: inout InlineReader,
    _ copies: RecordTable
  ) -> InlineValues {
    let receivedAt = cursor.time(columns.receivedAt)
    let own = cursor.cell(columns.extras).map { reader.read(cursor.bytes[$0.indices], receivedAt: receivedAt) }
    guard !copies.isEmpty, let key = cursor.key(columns.key) else { return own ?? InlineValues() }
    var records: [[UInt8]] = []
    copies.forEach(UInt128(key)) { copy in
      if let record = PostbackCopy.inlineRecord(behind: copy) { records.append(record) }
    }
    guard !records.isEmpty else { return own ?? InlineValues() }
    if let own { records.append(own.record(receivedAt: receivedAt)) }
    return InlineValues(ofCopies: records)
  }

  /// The columns of `EnrichedRow.campaign`.
  private static let campaignColumns: [ColumnName] = [
    .campaignID, .campaignName, .adgroupID, .adgroupName, .creativeID, .creativeName,
  ]

  package func encode(
    _ row: EnrichedRow,
    _ cursor: borrowing RowCursor,
    _ encoder: inout RowEncoder
  ) {
    encoder.text(.postbackKey, cursor.cell(columns.key), of: cursor.bytes)
    encoder.text(.networkName, row.networkName)
    encoder.word(.networkStatus, row.networkStatus.rawValue)
    encoder.text(.appName, row.appName)
    encoder.text(.sourceAppName, row.sourceAppName)
    for (place, name) in Self.campaignColumns.enumerated() { encoder.text(name, row.campaign[place]) }
    encoder.text(.placement, row.placement)
    encoder.text(.geo, row.geo)
    if let country = row.country { encoder.text(.country, country.letters.span) } else { encoder.null(.country) }
    encoder.word(.countrySource, row.countrySource?.rawValue)
    encoder.word(.enrichStatus, row.status.rawValue)
    encoder.word(.enrichSource, row.source?.rawValue)
    encoder.boolean(.enrichConflict, row.hasConflict)
    encoder.integer(.candidateCount, Int64(row.candidateCount))
    let environment = cursor.text(columns.environment) ?? ""
    encoder.word(.environment, row.inline.isTest ? Table.forwarderTest : environment)
    encoder.time(.forwardedAt, row.inline.forwardedAt.map { Timestamp(milliseconds: $0) })
    encoder.endRow()
  }
}

extension Networks {
  /// Tells if an id is the one of Apple's tests of AdAttributionKit.
  fileprivate static func isDevelopment(_ id: String) -> Bool {
    let development = "development.adattributionkit"
    return id.utf8.count == development.utf8.count && id.lowercased() == development
  }
}
