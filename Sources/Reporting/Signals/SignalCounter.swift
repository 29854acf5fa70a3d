internal import Analysis
internal import Base
internal import ConversionModel
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
internal import Tables

/// The counts of accepted postbacks for the signals.
struct SignalCounts: Sendable {
  var clusters: [SignalCluster: ClusterCounts] = [:]
  var rates = SignalRates()
  var transactions = SharedTransactions()
  var changes = ValueChanges()
  var risk = ForwardingRisk()
  /// The number of postbacks that a sender sent again after Apple's last retry, by the id of the ad network.
  var lateReplays: [String: Int] = [:]
  var unreadable = UnreadableRows()
  /// The number of postbacks in further clusters, which are left out.
  var uncounted = 0
  /// Indicates that a row of a derived table is not of the postback in its place.
  var isMisaligned = false

  private static let mostClusters = 50_000
  private static let mostNetworks = 4096

  mutating func merge(_ later: SignalCounts) {
    for (key, counts) in later.clusters {
      if clusters[key] != nil || clusters.count < Self.mostClusters {
        clusters[key, default: ClusterCounts()] += counts
      } else {
        uncounted += counts.impossible.total
      }
    }
    rates += later.rates
    transactions.merge(later.transactions)
    changes.merge(later.changes)
    risk.merge(later.risk)
    for (network, count) in later.lateReplays where lateReplays[network] != nil || lateReplays.count < Self.mostNetworks
    {
      lateReplays[network, default: 0] += count
    }
    unreadable += later.unreadable
    isMisaligned = isMisaligned || later.isMisaligned
  }
}

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
      if let value = row.integer(columns.conversionValue), (0...63).contains(value) {
        found.add(fine: Int(value))
      }
      switch row.text(columns.coarseValue) {
      case "low": found.coarse.0 += 1
      case "medium": found.coarse.1 += 1
      case "high": found.coarse.2 += 1
      default: break
      }
      if let country = row.cell(columns.country), country.count == 2 {
        let start = Int(country.start)
        found.countries[UInt16(row.bytes[start]) << 8 | UInt16(row.bytes[start + 1]), default: 0] += 1
      }
      if let isRedownload = row.boolean(columns.redownload) {
        found.redownload.add(isRedownload)
      } else if let type = row.text(columns.conversionType) {
        found.redownload.add(type == "redownload")
      }
      if let transaction = row.cell(transaction) {
        counts.transactions.add(row.bytes[transaction.indices], network: postback.network)
      }
    }
    let isImpossible = hasImpossibleFields(row)
    found.impossible.add(isImpossible)
    counts.clusters[cluster] = found
    let time = postback.time
    counts.rates.add(.impossibleFields, .forwarder, postback.forwarder, isImpossible, at: time)
    counts.rates.add(.impossibleFields, .network, postback.network, isImpossible, at: time)
    counts.rates.add(.impossibleFields, .app, postback.app, isImpossible, at: time)
    counts.rates.add(.invalidSignatures, .forwarder, postback.forwarder, false, at: nil)
    counts.rates.add(.reusedTransactions, .forwarder, postback.forwarder, false, at: nil)
    if let status = postback.status {
      for (name, isFound) in [
        (SignalName.unknownCampaigns, status == .unmapped), (.inactiveCampaigns, status == .outsideValidity),
      ] {
        counts.rates.add(name, .network, postback.network, isFound, at: time)
        counts.rates.add(name, .forwarder, postback.forwarder, isFound, at: time)
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
      let last = sender.last == .min ? nil : sender.last
      counts.rates.add(.lateCopies, .forwarder, name, isSenderLate, at: last)
      counts.rates.add(.resends, .forwarder, name, sender.count > sender.values.count && !isSenderLate, at: last)
      let contradicted = sender.contradictedAt
      counts.rates.add(
        .selfConflicts,
        .forwarder,
        name,
        contradicted != nil,
        at: contradicted == .max ? nil : contradicted
      )
    }
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
    let time = isContradicted ? device.values.map(\.first).sorted()[1] : .max
    let since = time == .max ? nil : time
    counts.rates.add(.deviceCopiesDisagree, .network, postback.network, isContradicted, at: since)
    counts.rates.add(.deviceCopiesDisagree, .app, postback.app, isContradicted, at: since)
    if postback.isWin, let first = postback.time {
      counts.risk.add(postback.cluster, at: min(first, device.first), forwardedAt: senders.firstForwarded)
    }
    let place = postback.place(row, columns)
    for sender in senders.senders {
      guard !sender.isDirect, let forwarder = sender.name else { continue }
      counts.rates.add(.deviceCopiesDisagree, .forwarder, forwarder, isContradicted, at: since)
      guard postback.isWin else { continue }
      if isContradicted {
        for name in SignalName.ofDeviceCopies { counts.rates.leaveOut(name, forwarder) }
      } else {
        counts.add(DeviceComparison(sender, with: device.values[0].values), by: forwarder, place)
      }
    }
  }
}

extension SignalCounts {
  /// Counts the differences of a forwarder's copies of a postback from the device's.
  fileprivate mutating func add(
    _ comparison: DeviceComparison,
    by forwarder: String,
    _ place: ValueChanges.Place
  ) {
    func add(_ name: SignalName, _ difference: DeviceComparison.Difference?) {
      rates.add(name, .forwarder, forwarder, difference != nil, at: difference?.time)
      if let difference { changes.add(difference.change, for: name, by: forwarder) }
    }
    if comparison.hasReadableValues {
      if comparison.hasDeviceValue {
        add(.raisedValues, comparison.raised)
        add(.loweredValues, comparison.lowered)
      }
      if !comparison.hasDeviceValue || comparison.added != nil { add(.addedValues, comparison.added) }
      let name: SignalName? =
        comparison.raised != nil
        ? .raisedValues : comparison.added != nil ? .addedValues : comparison.lowered != nil ? .loweredValues : nil
      changes.add(comparison.meant, in: place, for: name, by: forwarder)
    } else {
      for name: SignalName in [.raisedValues, .loweredValues, .addedValues] { rates.leaveOut(name, forwarder) }
    }
    if !comparison.hasReadableCountries {
      rates.leaveOut(.changedCountries, forwarder)
    } else if comparison.hasCountry {
      add(.changedCountries, comparison.country)
    }
  }
}

extension SignalName {
  /// The tests that compare the rates of forwarders' differences from devices' own copies.
  fileprivate static let ofDeviceCopies: [SignalName] = [
    .raisedValues, .loweredValues, .addedValues, .changedCountries,
  ]
}

/// The places of the columns of `skan_enriched` that signals read.
struct EnrichedColumns: Sendable {
  let key = Table.enriched.place(.postbackKey)
  let network = Table.enriched.place(.networkName)
  let campaign = Table.enriched.place(.campaignID)
  let status = Table.enriched.place(.enrichStatus)
}
