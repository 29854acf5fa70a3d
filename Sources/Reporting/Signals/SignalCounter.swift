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
  var unreadable = UnreadableRows()
  /// The number of postbacks in further clusters, which are left out.
  var uncounted = 0
  /// Indicates that a row of a derived table is not of the postback in its place.
  var isMisaligned = false

  private static let mostClusters = 50_000

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
  private let settledColumns = SettledColumns()
  private let enrichedColumns = EnrichedColumns()

  /// The batches of derived tables that stand beside a batch of `skan_postbacks`.
  struct Beside: Sendable {
    var settled: RawBatch?
    var enriched: RawBatch?
  }

  func count(_ batch: RawBatch, _ beside: Beside) -> SignalCounts {
    var counts = SignalCounts()
    var row = RowCursor(batch, of: .postbacks)
    var settled = RowCursor(beside.settled ?? RawBatch(bytesToAdd: 0), of: .settled)
    var enriched = RowCursor(beside.enriched ?? RawBatch(bytesToAdd: 0), of: .enriched)
    while row.next() {
      let key = row.key(columns.key)
      let hasSettled = settled.next()
      let hasEnriched = enriched.next()
      if hasSettled, settled.key(settledColumns.key) != key { counts.isMisaligned = true }
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
      if let key { addCopies(of: UInt128(key), postback, to: &counts) }
      if hasSettled { addSettled(settled, postback, to: &counts) }
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
        postback.note("conversion_value", "\(value)", row, columns, in: &counts.changes)
      }
      switch row.text(columns.coarseValue) {
      case "low": found.coarse.0 += 1
      case "medium": found.coarse.1 += 1
      case "high": found.coarse.2 += 1
      default: break
      }
      if let value = row.text(columns.coarseValue) {
        postback.note("coarse_conversion_value", value, row, columns, in: &counts.changes)
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
    // This flag doubts a value that the forwarder filled in, not the data tier.
    return TierFlags.names.contains { $0.flag != .zeroMayBeNull && text.contains("\"\($0.name)\"") }
  }

  /// Counts the rejected copies.
  private func addCopies(of key: UInt128, _ postback: CountedPostback, to counts: inout SignalCounts) {
    counts.rates.add(.lateCopies, .forwarder, postback.forwarder, false, at: nil)
    counts.rates.add(.resends, .forwarder, postback.forwarder, false, at: nil)
    counts.rates.add(.selfConflicts, .forwarder, postback.forwarder, false, at: nil)
    var sent: Set<Int32> = []
    copies.forEach(key) { copy in
      guard copy.forwarder >= 0 else { return }
      let forwarder = copies.forwarders[Int(copy.forwarder)]
      let (wait, overflow) = copy.time.subtractingReportingOverflow(postback.time ?? .max)
      let isLate = !overflow && postback.time != nil && copy.time != .min && wait > lateAfter
      let time = copy.time == .min ? nil : copy.time
      let isAgain = forwarder == postback.forwarder || !sent.insert(copy.forwarder).inserted
      counts.rates.add(.lateCopies, .forwarder, forwarder, isLate, at: time)
      counts.rates.add(.resends, .forwarder, forwarder, isAgain && !copy.isConflict && !isLate, at: time)
      // Only the first copy's own values are known here to differ.
      let isContradiction = copy.isConflict && forwarder == postback.forwarder
      counts.rates.add(.selfConflicts, .forwarder, forwarder, isContradiction, at: time)
    }
  }

  /// Counts what all copies together tell.
  private func addSettled(_ settled: borrowing RowCursor, _ postback: CountedPostback, to counts: inout SignalCounts) {
    let (direct, forwarded) = (
      settled.integer(settledColumns.direct) ?? 0, settled.integer(settledColumns.forwarded) ?? 0
    )
    guard postback.isWin, direct > 0 else { return }
    counts.clusters[postback.cluster, default: ClusterCounts()].missing.add(forwarded == 0)
    guard forwarded > 0, let names = settled.text(settledColumns.forwarders) else { return }
    let forwarders = names.split(separator: ";").map(String.init)
    let value = difference(settled, [.conversionValue, .coarseConversionValue])
    let country = difference(settled, [.countryCode])
    for forwarder in forwarders {
      if value.isCompared {
        counts.rates.add(.raisedValues, .forwarder, forwarder, value.change?.isRaise ?? false, at: postback.time)
      }
      if country.isCompared {
        counts.rates.add(.changedCountries, .forwarder, forwarder, country.change != nil, at: postback.time)
      }
      for change in [value.change, country.change] {
        guard let change, !change.isValue || change.isRaise else { continue }
        counts.changes.add(change, by: forwarder, postback.app, postback.family, postback.window)
      }
    }
  }

  /// Returns the first change of one of some fields from the device's copy to a forwarder's.
  private func difference(
    _ settled: borrowing RowCursor,
    _ fields: [UnsignedField]
  ) -> (isCompared: Bool, change: SignalChange?) {
    var isCompared = false
    for field in fields {
      let places = settledColumns.fields[field.rawValue]
      guard let state = settled.text(places.state).flatMap(FieldState.init) else { continue }
      if state == .confirmed || state == .conflict { isCompared = true }
      guard state == .conflict, let direct = settled.text(places.direct), let forwarded = settled.text(places.forwarded)
      else { continue }
      let from = String(direct.prefix { $0 != ";" })
      let others = forwarded.split(separator: ";").map(String.init).filter { $0 != from && $0 != "unreadable" }
      if let to = others.first, to != "absent", settled.text(places.difference) != FieldDifference.zeroForNull.rawValue
      {
        return (true, SignalChange(field: field.name.rawValue, from: from, to: to))
      }
    }
    return (isCompared, nil)
  }
}

extension SignalChange {
  var isValue: Bool { field != UnsignedField.countryCode.name.rawValue }

  /// Indicates that the forwarder's value is higher than the device's.
  var isRaise: Bool {
    func rank(_ value: String) -> Int {
      CoarseConversionValue(rawValue: value).map { Int(UnsignedValues.place(of: $0)) } ?? Int(value) ?? -1
    }
    return rank(to) > rank(from)
  }
}

/// The places of the columns of `skan_settled` that signals read.
private struct SettledColumns: Sendable {
  let key = Table.settled.place(.postbackKey)
  let direct = Table.settled.place(.copiesDirect)
  let forwarded = Table.settled.place(.copiesForwarded)
  let forwarders = Table.settled.place(.forwarders)
  let fields = UnsignedField.allCases.map { field in
    let names = field.columnNames
    return (
      state: Table.settled.place(names.state), difference: Table.settled.place(names.difference),
      direct: Table.settled.place(names.direct), forwarded: Table.settled.place(names.forwarded)
    )
  }
}

/// The places of the columns of `skan_enriched` that signals read.
struct EnrichedColumns: Sendable {
  let key = Table.enriched.place(.postbackKey)
  let network = Table.enriched.place(.networkName)
  let campaign = Table.enriched.place(.campaignID)
  let status = Table.enriched.place(.enrichStatus)
}
