internal import Base
package import ConversionModel
internal import DailyReports
internal import DerivedTables
internal import DurableFiles
internal import JSON
package import PostbackPipeline
internal import TableReading
internal import Tables

/// The numbers of the daily report that a page shows: installs, values, revenue and cost by day, app, network and
/// campaign.
///
/// They are those of `skan_daily` by install date in the first conversion window, whose dimensions may be any.
package struct BusinessReport: Sendable {
  /// The sums of some rows.
  package struct Sums: Sendable, Equatable {
    /// The number of new installs.
    package var installs = 0
    /// The number of conversions with a value.
    package var values = 0
    /// The number of conversions without a value that could have one.
    package var nulls = 0
    /// The observed revenue.
    package var revenue = Amount.zero
    /// The part of the observed revenue whose values devices confirm; nil if copies were not compared.
    package var confirmed: Amount?
    /// The suspicions about values, in words.
    package var suspicions: Set<String> = []
    /// The least possible observed revenue.
    package var minimum = Amount.zero
    /// The upper limit of the observed revenue that has one.
    package var closedMaximum = Amount.zero
    /// The number of postbacks whose revenue has no upper limit.
    package var openEnded = 0
    /// The revenue of all conversion windows.
    package var allWindows = Amount.zero
    /// The cost; nil if there is none.
    package var cost: Amount?
    /// The number of `nulls` whose revenue is modelled.
    package var modelledNulls = 0
    /// The revenue of these null postbacks.
    package var nullRevenue = NullRevenue()

    /// The sums of no rows.
    package init() {}

    /// The sums without amounts of money.
    fileprivate var counts: Sums {
      var counts = Sums()
      (counts.installs, counts.values, counts.nulls, counts.suspicions) = (installs, values, nulls, suspicions)
      return counts
    }

    /// Adds the sums of other rows.
    package static func += (left: inout Sums, right: Sums) {
      left.installs += right.installs
      left.values += right.values
      left.nulls += right.nulls
      left.revenue += right.revenue
      if let confirmed = right.confirmed { left.confirmed = (left.confirmed ?? .zero) + confirmed }
      left.suspicions.formUnion(right.suspicions)
      left.minimum += right.minimum
      left.closedMaximum += right.closedMaximum
      left.openEnded += right.openEnded
      left.allWindows += right.allWindows
      if let cost = right.cost { left.cost = (left.cost ?? .zero) + cost }
      left.modelledNulls += right.modelledNulls
      left.nullRevenue = left.nullRevenue + right.nullRevenue
    }
  }

  /// The modelled revenue of null postbacks: an estimate with its limits. Limits are added, so that the interval of a sum
  /// is rather too wide than too narrow.
  package struct NullRevenue: Sendable, Equatable {
    /// The estimate.
    package var estimate = Amount.zero
    /// The lower limit.
    package var low = Amount.zero
    /// The upper limit.
    package var high = Amount.zero

    package static func + (left: NullRevenue, right: NullRevenue) -> NullRevenue {
      NullRevenue(estimate: left.estimate + right.estimate, low: left.low + right.low, high: left.high + right.high)
    }
  }

  /// The rows that a cell has the sums of.
  package struct Key: Hashable, Sendable {
    /// The day of the estimated install date, as the number of days since 1970-01-01; nil if it is not known.
    package var day: Int?
    /// The advertised app: its id; nil if the table is not grouped by it.
    package var app: String?
    /// The name of the ad network; nil if the table is not grouped by it.
    package var network: String?
    /// The id of the campaign; nil if it is not known.
    package var campaign: String?
  }

  /// The state of a day of installs.
  package enum Status: String, CaseIterable, Comparable, Sendable {
    /// Further postbacks are to be expected.
    case open
    /// Only postbacks that Apple sends again are to be expected.
    case settling
    /// All postbacks have come.
    case final

    package static func < (left: Status, right: Status) -> Bool {
      allCases.firstIndex(of: left) ?? 0 < allCases.firstIndex(of: right) ?? 0
    }
  }

  /// The currency of all amounts: the one with the most postbacks; nil if there is no amount.
  package internal(set) var currency: String?
  /// The other currencies in the table. Their amounts are not part of the report.
  package internal(set) var otherCurrencies: [String] = []
  /// The sums.
  package internal(set) var cells: [Key: Sums] = [:]
  /// The name of each campaign that has one, by its network and its id.
  package internal(set) var campaignNames: [[String?]: String] = [:]
  /// The name of each app that has one, by its id.
  package internal(set) var appNames: [String: String] = [:]
  /// The least complete state of the rows of each day.
  package internal(set) var status: [Int: Status] = [:]
  /// The least share of each open day's postbacks that has come, as Apple's timers let expect.
  package internal(set) var expectedShare: [Int: Amount] = [:]
  /// The cost that is not of one row of the report, since the file of costs does not have its dimensions.
  package internal(set) var undividedCost = Amount.zero
  /// The time that the report is of.
  package internal(set) var asOf: String?
  /// The lines that are not rows.
  package internal(set) var unreadable = 0
  /// The reason for which no postback is counted, as sentences; nil if one is, and if there is none.
  package internal(set) var nothingCounted: String?

  /// Returns the sums of the cells by a property of their keys.
  package func sums<Property: Hashable>(by property: (Key) -> Property) -> [Property: Sums] {
    var sums: [Property: Sums] = [:]
    for (key, cell) in cells { sums[property(key), default: Sums()] += cell }
    return sums
  }

  /// The sums of all cells.
  package var total: Sums { cells.values.reduce(into: Sums()) { $0 += $1 } }
}

extension BusinessReport {
  /// Reads the report from an output; nil if the output does not have `skan_daily`.
  package init?(in output: String, jobs: Int) async throws(PipelineFailure) {
    let files: TableFiles?
    do throws(FileFailure) { files = try TableFiles(derived: .daily, in: output) } catch { throw .state(error) }
    guard let files else { return nil }
    var byCurrency: [String?: BusinessReport] = [:]
    var weights: [String: Int] = [:]
    var unreadable = 0
    try await files.scan(jobs: jobs) {
      DailyRows($0)
    } take: { rows in
      unreadable += rows.unreadable
      for row in rows.rows {
        byCurrency[row.currency, default: BusinessReport()].add(row)
        if let currency = row.currency { weights[currency, default: 0] += row.weight }
      }
    }
    // Amounts of two currencies are never added. Rows without an amount count in each of them.
    currency = weights.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    otherCurrencies = weights.keys.filter { $0 != currency }.sorted()
    for (currency, part) in byCurrency {
      merge(part, withAmounts: currency == self.currency)
    }
    self.unreadable = unreadable
    do throws(FileFailure) {
      nothingCounted = try DerivedTable.summary(of: .daily, in: output)?[DailySummary.nothingCountedKey]?.text
    } catch {
      throw .state(error)
    }
  }

  fileprivate mutating func add(_ row: DailyRows.Row) {
    if let time = row.asOf { asOf = time }
    if row.isParent {
      undividedCost += row.sums.cost ?? .zero
      return
    }
    cells[row.key, default: Sums()] += row.sums
    if let app = row.key.app, let name = row.appName { appNames[app] = name }
    if let name = row.campaignName { campaignNames[[row.key.network, row.key.campaign]] = name }
    guard let day = row.key.day else { return }
    if let state = row.status { status[day] = min(status[day] ?? .final, state) }
    if let share = row.expectedShare { expectedShare[day] = min(expectedShare[day] ?? share, share) }
  }

  private mutating func merge(_ part: BusinessReport, withAmounts: Bool) {
    for (key, sums) in part.cells { cells[key, default: Sums()] += withAmounts ? sums : sums.counts }
    if withAmounts { undividedCost += part.undividedCost }
    appNames.merge(part.appNames) { one, _ in one }
    campaignNames.merge(part.campaignNames) { one, _ in one }
    status.merge(part.status) { min($0, $1) }
    expectedShare.merge(part.expectedShare) { min($0, $1) }
    asOf = asOf ?? part.asOf
  }
}

/// The rows of `skan_daily` by install date in the first conversion window, of a batch.
private struct DailyRows: Sendable {
  struct Row: Sendable {
    var key: BusinessReport.Key
    var sums: BusinessReport.Sums
    var currency: String?
    var weight: Int
    var isParent: Bool
    var appName: String?
    var campaignName: String?
    var status: BusinessReport.Status?
    var expectedShare: Amount?
    var asOf: String?
  }

  var rows: [Row] = []
  var unreadable = 0

  init(_ batch: RawBatch) {
    func place(_ name: ColumnName) -> Int { Table.daily.place(name) }
    let (dateType, window, date) = (place(.dateType), place(.postbackSequenceIndex), place(.date))
    let (revenueCurrency, costCurrency) = (place(.currency), place(.costCurrency))
    var cursor = RowCursor(batch, of: .daily)
    while cursor.next() {
      guard cursor.text(dateType) == "install" else { continue }
      let isFirst = cursor.integer(window) == 0
      // The revenue of all windows is in the row of the first window that there is.
      let allWindows = cursor.amount(place(.revenueAllWindows))
      guard isFirst || allWindows != nil else { continue }
      let day = cursor.text(date).flatMap { Timestamp("\($0)T00:00:00Z") }
      var sums = isFirst ? BusinessReport.Sums(ofFirstWindow: cursor) : BusinessReport.Sums()
      sums.allWindows = allWindows ?? .zero
      let currencies = (revenue: cursor.text(revenueCurrency), cost: cursor.text(costCurrency))
      let cost = sums.cost
      if let currency = currencies.revenue, currency != currencies.cost { sums.cost = nil }
      rows.append(
        Row(
          key: BusinessReport.Key(
            day: day.map { Int($0.daysSince1970) },
            app: cursor.text(place(.appID)),
            network: cursor.text(place(.networkName)),
            campaign: cursor.text(place(.campaignID))
          ),
          sums: sums,
          currency: currencies.revenue ?? currencies.cost,
          weight: isFirst ? Int(cursor.integer(place(.decoded)) ?? 0) + 1 : 0,
          isParent: cursor.text(place(.costLevel)) == "parent",
          appName: cursor.text(place(.appName)),
          campaignName: cursor.text(place(.campaignName)),
          status: isFirst ? cursor.text(place(.status)).flatMap { BusinessReport.Status(rawValue: $0) } : nil,
          expectedShare: isFirst ? cursor.amount(place(.expectedShare)) : nil,
          asOf: cursor.text(place(.asOf))
        )
      )
      if let cost, sums.cost == nil, var row = rows.last {
        row.sums = BusinessReport.Sums()
        row.sums.cost = cost
        row.currency = currencies.cost
        rows.append(row)
      }
    }
    unreadable = cursor.unreadable.count
  }
}

extension BusinessReport.Sums {
  /// Reads the sums of a row of the first window, without the revenue of all windows.
  fileprivate init(ofFirstWindow row: borrowing RowCursor) {
    func count(_ name: ColumnName, _ row: borrowing RowCursor) -> Int {
      row.integer(Table.daily.place(name)).map { Int($0) } ?? 0
    }
    func amount(_ name: ColumnName, _ row: borrowing RowCursor) -> Amount {
      row.amount(Table.daily.place(name)) ?? .zero
    }
    installs = count(.installs, row)
    values = count(.values, row)
    nulls = count(.nulls, row)
    revenue = amount(.revenue, row)
    confirmed = row.amount(Table.daily.place(.confirmedRevenue))
    suspicions = Set(row.text(Table.daily.place(.valueSuspicions))?.split(separator: "; ").map(String.init) ?? [])
    minimum = amount(.revenueMin, row)
    closedMaximum = amount(.revenueMaxClosed, row)
    openEnded = count(.revenueMaxOpen, row)
    cost = row.amount(Table.daily.place(.cost))
    guard let estimate = row.amount(Table.daily.place(.modelledRevenue)) else { return }
    modelledNulls = nulls
    nullRevenue.estimate = estimate - revenue
    // The interval has the errors of values too, which the ends of their ranges have here.
    nullRevenue.low = amount(.modelledRevenueLow, row) - minimum
    let most = max(closedMaximum, revenue)
    let high = row.amount(Table.daily.place(.modelledRevenueHigh))
    nullRevenue.high = (high ?? most) - most
    if high == nil { openEnded = max(openEnded, 1) }
  }
}
