internal import Base
internal import ConversionModel
internal import ImportedRows
internal import JSON
internal import PostbackPipeline
internal import TableReading
internal import Tables

/// A row of `skan_imported`, as far as it is compared.
struct ImportedRecord: Sendable {
  let vendor: String
  var key = VendorKey()
  /// The name of the network; nil if the row has its id, or names none.
  private(set) var networkName: String?
  /// The columns of the key with a value that cannot be read.
  private(set) var unreadable: Set<ColumnName> = []
  let isLost: Bool
  /// Indicates that the row names a version of SKAdNetwork and no network of AdAttributionKit. Of version 1.0 it needs a campaign id
  /// too, because that may be the version of another interface.
  let isOfSKAdNetwork: Bool
  let count: Int64
  let value: VendorValue
  /// The number of the transaction; nil if the row names none.
  let transaction: UInt64?
  let revenue: Amount?
  let currency: String?

  private static let columns = Columns()
  private static let versions: Set<String> = ["2.0", "2.1", "2.2", "3.0", "4.0"]

  private struct Columns: Sendable {
    let vendor = Table.imported.place(.vendor)
    let version = Table.imported.place(.version)
    let receivedAt = Table.imported.place(.receivedAt)
    let app = Table.imported.place(.appID)
    let network = Table.imported.place(.adNetworkID)
    let networkName = Table.imported.place(.networkName)
    let campaign = Table.imported.place(.campaignID)
    let source = Table.imported.place(.sourceIdentifier)
    let window = Table.imported.place(.postbackSequenceIndex)
    let didWin = Table.imported.place(.didWin)
    let count = Table.imported.place(.count)
    let fine = Table.imported.place(.conversionValue)
    let coarse = Table.imported.place(.coarseConversionValue)
    let transaction = Table.imported.place(.transactionID)
    let revenue = Table.imported.place(.revenue)
    let currency = Table.imported.place(.currency)
    let extras = Table.imported.place(.extras)
  }

  /// Reads the rows of a batch.
  static func read(_ batch: RawBatch) -> (records: [ImportedRecord], unreadable: UnreadableRows) {
    var row = RowCursor(batch, of: .imported)
    var records: [ImportedRecord] = []
    while row.next() { records.append(ImportedRecord(row)) }
    return (records, row.unreadable)
  }

  private init(_ row: borrowing RowCursor) {
    let columns = Self.columns
    vendor = row.text(columns.vendor) ?? ""
    key.day = row.time(columns.receivedAt).map { Timestamp(milliseconds: $0).daysSince1970 }
    key.app = row.integer(columns.app)
    key.network = row.text(columns.network)?.canonicalNetworkID
    key.campaign = row.integer(columns.campaign)
    key.source = row.text(columns.source)
    key.window = row.integer(columns.window)
    let isOfAttributionKit = row.text(columns.network)?.lowercased().hasSuffix(".adattributionkit") == true
    let version = row.text(columns.version) ?? ""
    let hasVersion = Self.versions.contains(version) || version == "1.0" && key.campaign != nil
    isOfSKAdNetwork = hasVersion && !isOfAttributionKit
    isLost = row.boolean(columns.didWin) == false
    count = row.integer(columns.count) ?? 0
    value = VendorValue(fine: row.integer(columns.fine), coarse: row.text(columns.coarse))
    if key.network == nil { networkName = row.text(columns.networkName) }
    if key.app == nil || key.window == nil, let extras = row.cell(columns.extras) {
      unreadable = ImportedRow.unreadableColumns(inExtras: Array(row.bytes[extras.indices]))
      if key.app != nil { unreadable.remove(.appID) }
      if key.window != nil { unreadable.remove(.postbackSequenceIndex) }
    }
    let window = key.window ?? 0
    transaction = row.cell(columns.transaction).map { TransactionNumber.of(row.bytes[$0.indices], window: window) }
    (revenue, currency) = (row.amount(columns.revenue), row.text(columns.currency))
  }
}

/// The rows of one vendor.
struct VendorExport: Sendable {
  /// A row with a transaction.
  struct Transaction: Sendable {
    let number: UInt64
    /// The place in `keys`.
    let key: UInt32
    let value: VendorValue
    var isMatched = false
  }

  let vendor: String
  /// The columns that any row has a value for.
  private(set) var columns: VendorColumns = []
  private(set) var keys: [VendorKey] = []
  private(set) var sums: [VendorSums] = []
  private(set) var transactions: [Transaction] = []
  /// The rows, and those that are left out.
  private(set) var (rows, lost, before, withoutCurrency) = (0, 0, 0, 0)
  /// The rows that do not name what others of the vendor name.
  private(set) var unmatched = VendorUnmatched()
  /// Indicates that each row is of SKAdNetwork, so that the export is compared with no postback of AdAttributionKit.
  private var isOfSKAdNetwork = true
  /// Indicates that accepted postbacks of a window after the first one are about the rows.
  private(set) var hasLaterWindows = false
  /// The apps and networks that the rows name, and the first and the last day of each app.
  private var named: Set<VendorKey> = []
  private var days: [Int64?: ClosedRange<Int64>] = [:]
  private var places: [VendorKey: UInt32] = [:]

  init(_ vendor: String) { self.vendor = vendor }

  /// Adds a row. Those of days before the first one of `settings` are left out.
  mutating func add(_ record: ImportedRecord, _ settings: VendorComparison.Settings) {
    rows += 1
    if record.isLost {
      lost += 1
      return
    }
    isOfSKAdNetwork = isOfSKAdNetwork && record.isOfSKAdNetwork
    var key = record.key
    if let day = key.day, let firstDay = settings.firstDay, day < firstDay {
      before += 1
      return
    }
    if let name = record.networkName {
      columns.insert(.network)
      key.network = settings.networkIDs[name.lowercased()]
      if key.network == nil { unmatched.add(name) }
    }
    if record.unreadable.contains(.appID) { columns.insert(.app) }
    if key.network == nil { unmatched.networks += 1 }
    if key.app == nil { unmatched.apps += 1 }
    if record.unreadable.contains(.postbackSequenceIndex) { unmatched.windows += 1 }
    if key.day != nil { columns.insert(.date) }
    if key.app != nil { columns.insert(.app) }
    if key.network != nil { columns.insert(.network) }
    if key.campaign != nil { columns.insert(.campaign) }
    if key.source != nil { columns.insert(.source) }
    if key.window != nil { columns.insert(.window) }
    if let day = key.day {
      days[key.app] = days[key.app].map { min($0.lowerBound, day)...max($0.upperBound, day) } ?? day...day
    }
    let place = place(of: key)
    sums[place].imported += record.count
    if let revenue = record.revenue {
      if let currency = record.currency {
        sums[place].importedRevenue[currency, default: .zero] += revenue
      } else {
        withoutCurrency += 1
      }
    }
    if let number = record.transaction {
      sums[place].transactions += 1
      transactions.append(Transaction(number: number, key: UInt32(place), value: record.value))
    }
  }

  private mutating func place(of key: VendorKey) -> Int {
    if let place = places[key] { return Int(place) }
    places[key] = UInt32(keys.count)
    keys.append(key)
    sums.append(VendorSums())
    return keys.count - 1
  }

  /// Completes the rows. Where some name their network or app, those without a known one are left out. Where some have a window,
  /// those without one are of window 0, as before SKAdNetwork 4; but if one cannot be read, the vendor may count windows in another
  /// way, so that all are added up, and no transaction is compared.
  mutating func complete() {
    if !columns.contains(.network) { unmatched.networks = 0 }
    if !columns.contains(.app) { unmatched.apps = 0 }
    let mixesWindows = unmatched.windows > 0
    if mixesWindows { columns.remove(.window) }
    let rows = zip(keys, sums)
    (keys, sums, places) = ([], [], [:])
    var moved: [UInt32?] = []
    for (key, found) in rows {
      if columns.contains(.network) && key.network == nil || columns.contains(.app) && key.app == nil {
        moved.append(nil)
        continue
      }
      var key = key
      key.window = columns.contains(.window) ? key.window ?? 0 : nil
      let place = place(of: key)
      sums[place] += found
      if mixesWindows { sums[place].transactions = 0 }
      moved.append(UInt32(place))
    }
    transactions =
      mixesWindows
      ? []
      : transactions.compactMap { one in
        moved[Int(one.key)].map { Transaction(number: one.number, key: $0, value: one.value) }
      }
    named = Set(keys.map { VendorKey(app: $0.app, network: $0.network) })
    transactions.sort { ($0.number, $0.key) < ($1.number, $1.key) }
  }

  /// Returns the place of a campaign's accepted postbacks of a day; nil if the vendor's rows are not about its app, its network
  /// and its framework, or begin later or end earlier.
  func key(_ campaign: AcceptedIndex.Campaign, day: Int64?) -> VendorKey? {
    guard !isOfSKAdNetwork || campaign.isOfSKAdNetwork else { return nil }
    let app = columns.contains(.app) ? campaign.app : nil
    let network = columns.contains(.network) ? campaign.network : nil
    guard named.contains(VendorKey(app: app, network: network)) else { return nil }
    var key = VendorKey(app: app, network: network)
    if columns.contains(.date) {
      guard let day, days[app]?.contains(day) == true else { return nil }
      key.day = day
    }
    if columns.contains(.campaign) { key.campaign = campaign.campaign }
    if columns.contains(.source) { key.source = campaign.source }
    if columns.contains(.window) { key.window = campaign.window }
    return key
  }

  /// The days between the first and the last one of an app, which the export has as a whole.
  func innerDays(of app: Int64?) -> Range<Int64>? {
    guard let all = days[app], all.lowerBound + 1 < all.upperBound else { return nil }
    return all.lowerBound + 1..<all.upperBound
  }

  // MARK: - Accepted postbacks

  /// Adds accepted postbacks.
  mutating func add(_ key: VendorKey, _ found: VendorSums, areLater: Bool) {
    sums[place(of: key)] += found
    hasLaterWindows = hasLaterWindows || areLater
  }

  /// Notes the matched row at a place, with the value of its postback.
  mutating func match(_ place: Int, _ value: VendorValue) {
    guard !transactions[place].isMatched else { return }
    transactions[place].isMatched = true
    let key = Int(transactions[place].key)
    sums[key].matched += 1
    sums[key].values.add(transactions[place].value, beside: value)
  }

  /// The sums by place, in the order of the table.
  var sorted: [(key: VendorKey, sums: VendorSums)] {
    zip(keys, sums).sorted { $0.0 < $1.0 }.map { (key: $0.0, sums: $0.1) }
  }
}
