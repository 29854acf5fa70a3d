internal import Base
package import ConversionModel
internal import JSON
package import LookupTables
internal import PostbackCopies
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
package import TableReading
package import Tables

/// Makes the rows of `skan_settled` and `skan_settled_events` from those of `skan_postbacks` and their copies.
package struct Settler: Sendable {
  let lookups: Lookups
  let models: Models
  /// The longest time in milliseconds by which a device's own copy may come after a forwarder's and still count.
  let grace: Int64
  /// The days of first receipt that the summary counts, as days since 1970-01-01.
  let days: Range<Int64>
  package let encoding: TableEncoding

  private let columns = PostbackColumns()

  package init(_ lookups: Lookups, _ models: Models, grace: Int64, days: Range<Int64>, _ encoding: TableEncoding) {
    (self.lookups, self.models, self.grace, self.days, self.encoding) = (lookups, models, grace, days, encoding)
  }

  /// The rows for a batch, with their counts.
  package struct Batch: Sendable {
    package let rows: EncodedRows
    let events: EncodedRows
    let counts: SettlementCounts
    let unreadable: UnreadableRows
  }

  /// Settles a batch of rows of `skan_postbacks`: a row for each of them, in the same order.
  package func settle(_ rows: ParsedRows, _ copies: RecordTable) -> Batch {
    var cursor = RowCursor(rows)
    var encoder = RowEncoder(.settled, encoding, inputBytes: rows.byteCount / 3)
    var events = RowEncoder(.settledEvents, encoding, inputBytes: rows.byteCount / 8)
    var counts = SettlementCounts()
    while cursor.next() {
      let postback = postback(cursor, copies)
      let decoding = models.decode(postback.conversion(postback.settlement.values, postback.settlement.receivedAt))
      encode(postback, cursor, decoding, &encoder)
      if postback.settlement.deciding != nil, let key = postback.key {
        let window = cursor.integer(columns.window)
        for event in decoding.events { events.encode(event, of: key, window: window, decoding) }
      }
      counts.noteChange(BaseDecoding(cursor, columns), decoding, postback)
      if postback.day.map(days.contains) ?? (days == SettlementCounts.allDays) { counts.add(postback, models) }
    }
    return Batch(rows: encoder.take(), events: events.take(), counts: counts, unreadable: cursor.unreadable)
  }

  /// Reads the current row and settles it with its copies.
  private func postback(_ cursor: borrowing RowCursor, _ copies: RecordTable) -> SettledPostback {
    let id = cursor.text(columns.adNetworkID) ?? ""
    let receivedAt = cursor.time(columns.receivedAt)
    let network = lookups.networks.network(id, at: receivedAt)
    let app = cursor.integer(columns.appID) ?? 0
    var rule = SettlementRule()
    rule.grace = grace
    rule.isSecure = network?.owner == .secureSetUp
    rule.isNullAsZero = network?.writesNullAsZero ?? false
    rule.directSince = lookups.apps[app]?.directCopiesSince
    let format = PostbackFormat(cursor, columns)
    let fields = UnsignedField.fields(of: format)
    var own = PostbackCopy(
      receivedAt: receivedAt ?? PostbackCopy.unknownTime,
      channel: cursor.text(columns.channel).flatMap { Channel(rawValue: $0) },
      forwarder: cursor.text(columns.forwarder),
      values: UnsignedValues(cursor, columns, fields)
    )
    own.isZeroFilled = cursor.has("zero_may_be_null", among: columns.tierFlags)
    var all = [own]
    let key = cursor.key(columns.key)
    // Empty fields that Apple signs are not filled up.
    let signsZero = cursor.integer(columns.sourceAppID) == 0
    if let key {
      copies.forEach(UInt128(key)) { record in
        var copy = PostbackCopy(record: record)
        if signsZero { copy.isZeroFilled = false }
        all.append(copy)
      }
    }
    return SettledPostback(
      key: key,
      network: network?.name ?? id.lowercased(),
      appID: app,
      family: format.version.map { $0 < .v4_0 ? .skadnetwork3OrEarlier : .skadnetwork4 } ?? .adAttributionKit,
      window: Int(cursor.integer(columns.window) ?? 0),
      conversionType: format == .adAttributionKit ? conversionType(cursor) : .install,
      hasWon: cursor.boolean(columns.didWin) ?? true,
      isDevelopment: cursor.has(Environment.development.rawValue, in: columns.environment),
      rule: rule,
      settlement: PostbackSettlement(all, fields, rule)
    )
  }

  private func conversionType(_ cursor: borrowing RowCursor) -> ConversionType? {
    cursor.cell(columns.conversionType).flatMap {
      ConversionType(postbackValue: cursor.bytes.span.extracting($0.indices))
    }
  }

  // MARK: - Encoding

  private func encode(
    _ postback: SettledPostback,
    _ cursor: borrowing RowCursor,
    _ decoding: Decoding,
    _ encoder: inout RowEncoder
  ) {
    let settlement = postback.settlement
    func time(_ milliseconds: Int64?) -> Timestamp? { milliseconds.map { Timestamp(milliseconds: $0) } }
    encoder.text(.postbackKey, cursor.cell(columns.key), of: cursor.bytes)
    encoder.integer(.copiesDirect, Int64(settlement.directCount))
    encoder.integer(.copiesForwarded, Int64(settlement.forwardedCount))
    let forwarders = settlement.forwarders
    encoder.text(.forwarders, forwarders.isEmpty ? nil : forwarders.joined(separator: ";"))
    encoder.word(.firstChannel, settlement.copies.first?.channel?.rawValue)
    encoder.time(.directReceivedAt, time(settlement.directAt))
    encoder.time(.forwardedReceivedAt, time(settlement.forwardedAt))
    var lag: Int64?
    if let direct = settlement.directAt, let forwarded = settlement.forwardedAt { lag = (forwarded - direct) / 1000 }
    encoder.integer(.lag, lag)
    for field in UnsignedField.allCases {
      let (names, found) = (field.columnNames, settlement[field])
      encoder.word(names.state, found?.state.rawValue)
      encoder.word(names.difference, found?.difference?.rawValue)
      let isConflict = found?.state == .conflict
      encoder.text(names.direct, isConflict ? field.text(found?.direct) : nil)
      encoder.text(names.forwarded, isConflict ? field.text(found?.forwarded) : nil)
    }
    encodeEffective(postback, decoding, &encoder)
    encoder.endRow()
  }

  private func encodeEffective(_ postback: SettledPostback, _ decoding: Decoding, _ encoder: inout RowEncoder) {
    let settlement = postback.settlement
    let values = settlement.values
    let isWithheld = settlement.deciding == nil
    encoder.integer(.trustLevel, Int64(settlement.trustLevel))
    encoder.word(.effectiveDecidedBy, settlement.deciding?.rawValue)
    encoder.time(.effectiveReceivedAt, settlement.decider?.time.map { Timestamp(milliseconds: $0) })
    let fine = values[.conversionValue]
    encoder.integer(.effectiveConversionValue, fine < 0 ? nil : fine)
    let coarse = values[.coarseConversionValue]
    let words = CoarseConversionValue.allCases
    encoder.word(.effectiveCoarseConversionValue, coarse < 0 ? nil : words[Int(coarse)].rawValue)
    let country = values[.countryCode]
    if country < 0 {
      encoder.null(.effectiveCountryCode)
    } else {
      encoder.text(.effectiveCountryCode, UnsignedValues.letters(country).span)
    }
    let interaction = values[.adInteractionType]
    let types = AdInteractionType.allCases
    encoder.word(.effectiveAdInteractionType, interaction < 0 ? nil : types[Int(interaction)].rawValue)
    encoder.boolean(.effectiveRedownload, values[.redownload] < 0 ? nil : values[.redownload] == 1)
    encoder.integer(.effectiveSourceAppID, values[.sourceAppID] < 0 ? nil : values[.sourceAppID])
    encoder.boolean(.effectiveZeroMayBeNull, fine < 0 ? nil : settlement.isZeroFilled)
    encoder.word(.effectiveChannel, settlement.decider?.channel?.rawValue)
    encoder.text(.effectiveForwarder, settlement.decider?.forwarder)
    encoder.word(.effectiveDecodeStatus, isWithheld ? SettledStatus.conflict : decoding.status.rawValue)
    encoder.text(.effectiveModelID, decoding.ambiguousModels ?? decoding.model?.modelID)
    encoder.integer(.effectiveModelVersion, decoding.model.map { Int64($0.version) })
    encoder.amount(.effectiveRevenue, decoding.revenue?.estimate)
    encoder.amount(.effectiveMinRevenue, decoding.revenue?.minimum)
    encoder.amount(.effectiveMaxRevenue, decoding.revenue?.maximum)
    encoder.text(.effectiveCurrency, decoding.revenue == nil ? nil : decoding.currency)
    encoder.word(.effectiveRevenueKind, decoding.revenue == nil ? nil : decoding.revenueKind?.rawValue)
    encoder.boolean(.effectiveCumulative, decoding.isCumulative)
    encoder.time(.effectiveEstimatedInstallDate, decoding.interval.estimated)
    encoder.time(.effectiveInstallDateEarliest, decoding.interval.earliest)
    encoder.time(.effectiveInstallDateLatest, decoding.interval.latest)
  }
}

extension UnsignedField {
  /// The values as text, joined by semicolons; nil if there are none.
  fileprivate func text(_ values: [Int64]?) -> String? {
    guard let values, !values.isEmpty else { return nil }
    return values.map { UnsignedValues.text($0, of: self) }.joined(separator: ";")
  }
}
