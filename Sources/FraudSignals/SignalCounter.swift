internal import Base
internal import CampaignEnrichment
internal import ConversionModel
internal import JSON
internal import LookupTables
internal import PostbackCopies
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
internal import Statistics
internal import TableReading
internal import Tables

/// A counter for the accepted postbacks of a batch, with their copies and the rows of derived tables beside them.
struct SignalCounter: Sendable {
  let filter: RowFilter
  let copies: SentCopies
  /// The longest time in milliseconds after which a copy may still be a retry.
  let lateAfter: Int64

  private let columns = PostbackColumns()
  private let transaction = Table.postbacks.place(.transactionID)
  private let enrichedColumns = EnrichedColumns()

  /// Counts the postbacks of a batch. `enriched` has the rows of `skan_enriched` that stand beside it.
  func count(_ batch: RawBatch, _ enriched: RawBatch?) -> SignalCounts {
    var counts = SignalCounts()
    var row = RowCursor(batch, of: .postbacks)
    var enriched = RowCursor(enriched ?? RawBatch(bytesToAdd: 0), of: .enriched)
    while row.next() {
      let key = row.key(columns.key)
      let hasEnriched = enriched.next()
      if hasEnriched, enriched.key(enrichedColumns.key) != key { counts.isMisaligned = true }
      guard !counts.isMisaligned else { break }
      guard filter.matches(row), let id = row.text(columns.adNetworkID), let app = row.text(columns.appID) else {
        continue
      }
      var postback = CountedPostback(row, columns, network: id.networkStem, app: app)
      if hasEnriched {
        postback.network = enriched.text(enrichedColumns.network) ?? postback.network
        postback.campaign = enriched.text(enrichedColumns.campaign) ?? postback.campaign
        if let status = enriched.text(enrichedColumns.status).flatMap(EnrichStatus.init) { postback.status = status }
        if enriched.has(CountrySource.targeting.rawValue, in: enrichedColumns.countrySource) {
          postback.target = enriched.letters(enrichedColumns.country)
        }
      }
      add(row, postback, to: &counts)
      guard let key, copies.follows(UInt128(key)) else { continue }
      let isLate = addCopies(of: UInt128(key), row, postback, to: &counts)
      if isLate { counts.lateReplays[id, default: 0] += 1 }
    }
    counts.unreadable = row.unreadable
    return counts
  }

  /// Counts what the postback itself tells.
  private func add(_ row: borrowing RowCursor, _ postback: CountedPostback, to counts: inout SignalCounts) {
    let cluster = postback.cluster
    var found = counts.clusters[cluster] ?? ClusterCounts()
    if postback.isWin {
      let fine = row.integer(columns.conversionValue).flatMap { (0...63).contains($0) ? Int($0) : nil }
      var coarse: Int?
      switch row.text(columns.coarseValue) {
      case "low":
        coarse = 0
        found.coarse.0 += 1
      case "medium":
        coarse = 1
        found.coarse.1 += 1
      case "high":
        coarse = 2
        found.coarse.2 += 1
      default: break
      }
      if let fine { found.add(fine: fine) }
      found.nulls.add(fine == nil && coarse == nil)
      counts.values.add(postback, fine: fine, coarse: coarse)
      if let country = postback.country { found.countries[country, default: 0] += 1 }
      if let fidelity = row.integer(columns.fidelityType) {
        found.viewThrough.add(fidelity == 0)
      } else if let type = row.text(columns.adInteractionType) {
        found.viewThrough.add(type == "view")
      }
      if let isRedownload = row.boolean(columns.redownload) {
        found.redownload.add(isRedownload)
      } else if let type = row.text(columns.conversionType) {
        found.redownload.add(type == "redownload")
      }
      if let transaction = row.cell(transaction) {
        let day = DaySeries.day(of: postback.time)
        counts.transactions.add(row.bytes[transaction.indices], network: postback.network, on: day)
      }
    }
    let isImpossible = hasImpossibleFields(row)
    found.impossible.add(isImpossible)
    counts.clusters[cluster] = found
    let day = DaySeries.day(of: postback.time)
    counts.rates.add(.impossibleFields, .forwarder, postback.forwarder, isImpossible, on: day)
    counts.rates.add(.impossibleFields, .network, postback.network, isImpossible, on: day)
    counts.rates.add(.impossibleFields, .app, postback.app, isImpossible, on: day)
    counts.rates.add(.invalidSignatures, .forwarder, postback.forwarder, false, on: day)
    counts.rates.add(.reusedTransactions, .forwarder, postback.forwarder, false, on: day)
    if let status = postback.status {
      for (name, isFound) in [
        (SignalName.unknownCampaigns, status == .unmapped), (.inactiveCampaigns, status == .outsideValidity),
      ] {
        counts.rates.add(name, .network, postback.network, isFound, on: day)
        counts.rates.add(name, .forwarder, postback.forwarder, isFound, on: day)
      }
    }
  }

  private func hasImpossibleFields(_ row: borrowing RowCursor) -> Bool {
    guard let cell = row.cell(columns.tierFlags), cell.count > 2, let text = row.text(columns.tierFlags) else {
      return false
    }
    return TierFlags.namesOfEdits.contains { text.contains("\"\($0)\"") }
  }

  // MARK: - Copies

  /// Counts what all copies of the postback tell. Returns true if a sender sent it again after Apple's last retry.
  private func addCopies(
    of key: UInt128,
    _ row: borrowing RowCursor,
    _ postback: CountedPostback,
    to counts: inout SignalCounts
  ) -> Bool {
    let others = copies.copies(of: key)
    let isDirect = row.has(Channel.appleDirect.rawValue, in: columns.channel)
    let own = UnsignedValues(row, columns, UnsignedField.fields(of: PostbackFormat(row, columns)))
    if postback.isWin { postback.note(own.meant, row, columns, in: &counts.changes) }
    var senders = PostbackSenders()
    let time = (first: postback.time ?? .max, last: postback.time ?? .min)
    senders.add(own, by: postback.forwarder, isDirect: isDirect, first: time.first, last: time.last)
    for copy in others {
      senders.add(
        copy.isIdentical ? own : copy.values,
        by: copy.forwarder < 0 ? nil : copies.forwarders[Int(copy.forwarder)],
        isDirect: copy.isDirect,
        count: Int(copy.count),
        first: copy.first,
        last: copy.last
      )
    }
    var isLate = false
    for sender in senders.senders {
      let isSenderLate = sender.wait > lateAfter
      isLate = isLate || isSenderLate
      guard let name = sender.name else { continue }
      let day = DaySeries.day(of: sender.first)
      counts.rates.add(.lateCopies, .forwarder, name, isSenderLate, on: day)
      counts.rates.add(.resends, .forwarder, name, sender.count > sender.values.count && !isSenderLate, on: day)
      counts.rates.add(.selfConflicts, .forwarder, name, sender.contradictedAt != nil, on: day)
    }
    if senders.senders.count > 1 { counts.delay.add(senders, network: postback.network) }
    if let device = senders.device { compare(senders, with: device, row, postback, to: &counts) }
    return isLate
  }

  /// Compares the forwarders' copies with the device's.
  private func compare(
    _ senders: PostbackSenders,
    with device: PostbackSenders.Sender,
    _ row: borrowing RowCursor,
    _ postback: CountedPostback,
    to counts: inout SignalCounts
  ) {
    let isContradicted = device.values.count > 1
    let day = DaySeries.day(of: device.first)
    counts.rates.add(.deviceCopiesDisagree, .network, postback.network, isContradicted, on: day)
    counts.rates.add(.deviceCopiesDisagree, .app, postback.app, isContradicted, on: day)
    if postback.isWin, let first = postback.time {
      counts.risk.add(
        postback.cluster,
        at: min(first, device.first),
        forwardedAt: senders.firstForwarded,
        value: device.values[0].values.meant
      )
    }
    let place = postback.place(row, columns)
    for sender in senders.senders {
      guard !sender.isDirect, let forwarder = sender.name else { continue }
      counts.rates.add(.deviceCopiesDisagree, .forwarder, forwarder, isContradicted, on: day)
      guard postback.isWin else { continue }
      if isContradicted {
        for name in SignalName.ofDeviceCopies { counts.rates.leaveOut(name, forwarder) }
      } else {
        // The comparison is there when both copies are.
        let last = max(device.first == .max ? .min : device.first, sender.first == .max ? .min : sender.first)
        counts.add(
          DeviceComparison(sender, with: device.values[0].values),
          by: forwarder,
          place,
          on: DaySeries.day(of: last)
        )
      }
    }
  }
}

extension SignalName {
  /// The tests that compare the rates of forwarders' differences from devices' own copies.
  fileprivate static let ofDeviceCopies: [SignalName] = [
    .raisedValues, .loweredValues, .addedValues, .inventedNulls, .changedCountries,
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
