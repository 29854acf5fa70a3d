internal import CampaignEnrichment
internal import JSON
internal import LookupTables
internal import PostbackCopies
package import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
package import TableReading
package import Tables
internal import CopySettlement

/// A counter for accepted postbacks with all their copies, and for rejects.
///
/// For networks and apps, the values and the time of a postback are those of the copy that `skan_settled` decided. For a forwarder
/// they are those of its own first copy, accepted or rejected. So it does not matter which copy was processed first.
package struct SignalCounter: Sendable {
  /// The number of days after which a copy is late, since Apple's retries have ended; an option may say otherwise.
  package static let lateAfterDays = 10

  /// The longest time in milliseconds after which a copy may still be a retry.
  let lateAfter: Int64
  /// The rows that are counted; nil for all.
  var filter: RowFilter?
  var rejectFilter: RowFilter?
  /// The postbacks whose copies are counted.
  var draw = CopyDraw()

  private let columns = PostbackColumns()
  private let rejectColumns = RejectColumns()
  private let enrichedColumns = EnrichedColumns()
  private let decidedBy = Table.settled.place(.effectiveDecidedBy)

  /// Counts the rows that were received from a time on; nil for all.
  package init(lateAfterDays days: Int, since: Int64? = nil) {
    lateAfter = Int64(days) * 86_400_000
    if since != nil {
      filter = RowFilter([], during: TimeSpan(since: since), in: .postbacks)
      rejectFilter = RowFilter([], during: TimeSpan(since: since), in: .rejects)
    }
  }

  /// Counts the rates that follow from a batch of rejects alone.
  package func count(rejects batch: RawBatch) -> SignalCounts {
    let wanted =
      rejectFilter == nil
      ? [
        rejectColumns.code, rejectColumns.transactionID, rejectColumns.channel, rejectColumns.forwarder,
        rejectColumns.receivedAt,
      ] : nil
    return count(RowCursor(batch, of: .rejects, only: wanted))
  }

  /// Counts the rates that follow from rejects alone.
  func count(rejects rows: ParsedRows) -> SignalCounts { count(RowCursor(rows)) }

  private func count(_ rejects: consuming RowCursor) -> SignalCounts {
    var counts = SignalCounts()
    var row = rejects
    while row.next() {
      guard let code = row.text(rejectColumns.code).flatMap(RejectCode.init), rejectFilter?.matches(row) ?? true else {
        continue
      }
      let (forwarder, day) = (row.text(rejectColumns.forwarder), DaySeries.day(of: row.time(rejectColumns.receivedAt)))
      counts.rates.add(.invalidSignatures, .forwarder, forwarder, code == .signatureInvalid, on: day)
      counts.rates.add(.reusedTransactions, .forwarder, forwarder, code == .duplicateTransaction, on: day)
      guard code == .signatureInvalid, !row.has(Channel.appleDirect.rawValue, in: rejectColumns.channel),
        let transaction = row.cell(rejectColumns.transactionID)
      else { continue }
      counts.risk.reject(SharedTransactions.hash(row.bytes[transaction.indices]))
    }
    counts.unreadable = row.unreadable
    return counts
  }

  /// Counts the postbacks of a batch. `copies` has their copies; `settled` and `enriched` have the rows of these tables.
  package func count(_ rows: ParsedRows, _ copies: RecordTable, settled: ParsedRows, enriched: ParsedRows)
    -> SignalCounts
  {
    var counts = SignalCounts()
    var row = RowCursor(rows)
    var settled = SettledCursor(settled, of: .settled)
    var enriched = SettledCursor(enriched, of: .enriched)
    while row.next() {
      let key = row.key(columns.key)
      let (isSettled, isEnriched) = (settled.next(key), enriched.next(key))
      guard filter?.matches(row) ?? true, let id = row.text(columns.adNetworkID), let app = row.text(columns.appID)
      else { continue }
      let network = id.networkStem
      var postback =
        isSettled
        ? CountedPostback(row, columns, settled.row, .settled, network: network, app: app)
        : CountedPostback(row, columns, row, .postbacks, network: network, app: app)
      // If the forwarder's copy decides, it is not known that the app's devices send copies: anybody may have sent this one.
      postback.hasWitness = !isSettled || !settled.row.has("forwarded", in: decidedBy)
      counts.postbacks += 1
      if isSettled { counts.settled += 1 }
      if isEnriched {
        counts.enriched += 1
        postback.read(enriched.row, enrichedColumns)
      }
      let senders = PostbackSenders(allCopies(of: key, row, copies))
      add(postback, senders, to: &counts)
      let transaction = row.cell(columns.transactionID).map { SharedTransactions.hash(row.bytes[$0.indices]) }
      if postback.isWin, let transaction {
        counts.transactions.add(transaction, network: postback.network, on: DaySeries.day(of: postback.time))
      }
      if isSettled {
        note(postback, settled.row, .settled, in: &counts.changes)
      } else {
        note(postback, row, .postbacks, in: &counts.changes)
      }
      // The row is one of the records of its sender, as rejects are.
      let (sender, day) = (row.text(columns.forwarder), DaySeries.day(of: row.time(columns.receivedAt)))
      counts.rates.add(.invalidSignatures, .forwarder, sender, false, on: day)
      counts.rates.add(.reusedTransactions, .forwarder, sender, false, on: day)
      guard let key, draw.follows(UInt128(key)) else { continue }
      let unsigned = UnsignedField.fields(of: PostbackFormat(row, columns))
      let isLate = add(senders, of: UInt128(key), transaction, postback, unsigned, to: &counts)
      if isLate { counts.lateReplays[id, default: 0] += 1 }
    }
    counts.unreadable = row.unreadable
    return counts
  }

  /// The copies of the postback in the current row, the accepted one among them.
  private func allCopies(of key: PostbackKey?, _ row: borrowing RowCursor, _ copies: RecordTable) -> [PostbackCopy] {
    let time = row.time(columns.receivedAt)
    let own = PostbackCopy(
      receivedAt: time ?? PostbackCopy.unknownTime,
      lastReceivedAt: row.timeOfRecord(columns.receivedAt, source: columns.receivedAtSource) ?? .min,
      channel: row.text(columns.channel).flatMap { Channel(rawValue: $0) },
      forwarder: row.text(columns.forwarder),
      values: UnsignedValues(row, columns, UnsignedField.fields(of: PostbackFormat(row, columns))),
      isImpossible: hasImpossibleFields(row)
    )
    var all = [own]
    if let key { copies.forEach(UInt128(key)) { all.append(PostbackCopy(record: $0)) } }
    return all
  }

  /// Notes the revenue that the value which counts means, in the columns `decided` of `values`.
  private func note(
    _ postback: CountedPostback,
    _ values: borrowing RowCursor,
    _ decided: DecidedColumns,
    in changes: inout ValueChanges
  ) {
    guard postback.isWin, let amount = values.amount(decided.revenue), let currency = values.text(decided.currency)
    else { return }
    changes.note(postback.meant, in: postback.place, currency, amount)
  }

  /// Counts what the copy that counts tells.
  private func add(_ postback: CountedPostback, _ senders: PostbackSenders, to counts: inout SignalCounts) {
    let day = DaySeries.day(of: postback.time)
    counts.clusters.add(postback.cluster, postback.counts)
    if !senders.areOneForwarder {
      let isImpossible = senders.haveImpossibleFields
      counts.rates.add(.impossibleFields, .network, postback.network, isImpossible, on: day)
      counts.rates.add(.impossibleFields, .app, postback.app, isImpossible, on: day)
    }
    for (name, isFound) in postback.campaignRates {
      counts.rates.add(name, .network, postback.network, isFound, on: day)
    }
  }

  private func hasImpossibleFields(_ row: borrowing RowCursor) -> Bool {
    guard let cell = row.cell(columns.tierFlags), cell.count > 2, let text = row.text(columns.tierFlags) else {
      return false
    }
    return TierFlags(namedIn: text).tellEdits(fineValue: row.integer(columns.conversionValue))
  }

  // MARK: - Copies

  /// Counts what all copies of the postback tell. Returns true if a sender sent it again late.
  private func add(
    _ senders: PostbackSenders,
    of key: UInt128,
    _ transaction: UInt64?,
    _ postback: CountedPostback,
    _ unsigned: [UnsignedField],
    to counts: inout SignalCounts
  ) -> Bool {
    var isLate = false
    let isWitnessed = postback.hasWitness && senders.device != nil
    for sender in senders.senders {
      let isSenderLate = sender.wait > lateAfter
      isLate = isLate || isSenderLate
      guard let name = sender.name else { continue }
      let sent = postback.sent(by: sender, name, unsigned)
      counts.sent.add(sent.cluster, sent.counts)
      counts.values.add(sent, of: postback.segment, hasWitness: isWitnessed || senders.confirm(sender))
      let day = DaySeries.day(of: sender.first)
      for (name, isFound) in postback.campaignRates {
        counts.rates.add(name, .forwarder, sent.forwarder, isFound, on: day)
      }
      counts.rates.add(.lateCopies, .forwarder, name, isSenderLate, on: day)
      counts.rates.add(.resends, .forwarder, name, sender.count > sender.values.count && !isSenderLate, on: day)
      counts.rates.add(.selfConflicts, .forwarder, name, sender.contradictedAt != nil, on: day)
      counts.rates.add(.impossibleFields, .forwarder, name, sender.hasImpossibleFields, on: day)
    }
    if senders.senders.count > 1 { counts.delay.add(senders, of: key, postback.cluster) }
    if let device = senders.device { compare(senders, of: key, transaction, with: device, postback, to: &counts) }
    return isLate
  }

  /// Compares the forwarders' copies with the device's.
  private func compare(
    _ senders: PostbackSenders,
    of key: UInt128,
    _ transaction: UInt64?,
    with device: PostbackSenders.Sender,
    _ postback: CountedPostback,
    to counts: inout SignalCounts
  ) {
    let isContradicted = device.values.count > 1
    let day = DaySeries.day(of: device.first)
    counts.rates.add(.deviceCopiesDisagree, .network, postback.network, isContradicted, on: day)
    counts.rates.add(.deviceCopiesDisagree, .app, postback.app, isContradicted, on: day)
    if postback.isWin, let first = senders.first {
      counts.risk.add(
        postback.cluster,
        postback.kind,
        of: key,
        at: first,
        forwardedAt: senders.firstForwarded,
        value: device.values[0].values.meant,
        transaction: transaction ?? 0
      )
    }
    let place = postback.place
    if postback.isWin, !isContradicted {
      let forwarders = senders.senders.filter { !$0.isDirect && $0.name != nil && postback.hasWitness }
      let sent = forwarders.flatMap { $0.values.map(\.values) }
      counts.deviceFields.add(device.values[0].values, beside: sent, in: place, on: day)
    }
    for sender in senders.senders {
      guard !sender.isDirect, let forwarder = sender.name else { continue }
      counts.rates.add(.deviceCopiesDisagree, .forwarder, forwarder, isContradicted, on: day)
      guard postback.isWin else { continue }
      let comparison = DeviceComparison(sender, with: device.values[0].values)
      if !postback.hasWitness {
        for name in comparison.names { counts.rates.leaveOut(name, forwarder) }
      } else if isContradicted {
        for name in SignalName.ofDeviceCopies { counts.rates.leaveOut(name, forwarder) }
      } else {
        // The comparison is there when both copies are.
        let last = max(device.first == .max ? .min : device.first, sender.first == .max ? .min : sender.first)
        counts.add(comparison, by: forwarder, place, on: DaySeries.day(of: last))
      }
    }
  }
}

extension SignalName {
  /// The tests that compare forwarders' copies with devices' own.
  fileprivate static let ofDeviceCopies: [SignalName] = [
    .raisedValues, .raisedRevenue, .loweredValues, .addedValues, .inventedNulls, .changedCountries,
  ]
}

/// The places of the columns of `skan_enriched` that signals read.
struct EnrichedColumns: Sendable {
  let key = Table.enriched.place(.postbackKey)
  let network = Table.enriched.place(.networkName)
  let campaign = Table.enriched.place(.campaignID)
  let status = Table.enriched.place(.enrichStatus)
  let country = Table.enriched.place(.country)
  let countrySource = Table.enriched.place(.countrySource)
}
