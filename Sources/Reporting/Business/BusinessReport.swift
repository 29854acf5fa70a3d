package import ConversionModel
internal import DailyReports
package import DerivedTables
internal import DurableFiles
internal import JSON
package import PostbackPipeline
internal import TableReading

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
    /// The observed revenue in the currency of the report; nil if some of it could not be converted.
    package var revenue: Amount? = .zero
    /// The part of the observed revenue whose values devices confirm; nil if copies were not compared.
    package var confirmed: Amount?
    /// The suspicions about values, in words.
    package var suspicions: Set<String> = []
    /// The least possible observed revenue; nil if it is not known of all of the revenue.
    package var minimum: Amount? = .zero
    /// The upper limit of the observed revenue that has one; nil if it is not known of all of the revenue.
    package var closedMaximum: Amount? = .zero
    /// The number of postbacks whose revenue has no upper limit.
    package var openEnded = 0
    /// The revenue of all conversion windows; nil if it is not known of all of the revenue.
    package var allWindows: Amount? = .zero
    /// The cost; nil if there is none.
    package var cost: Amount?
    /// The number of rows whose cost could not be converted. The cost is not known if there are any.
    package var unpriced = 0
    /// The amounts in other currencies.
    package var others = OtherAmounts()
    /// The number of `nulls` whose revenue is modelled.
    package var modelledNulls = 0
    /// The revenue of these null postbacks; nil if it is not known of all rows.
    package var nullRevenue: NullRevenue? = NullRevenue()
    /// The number of rows with revenue.
    package var revenueRows = 0
    /// The number of rows with a cost that is not 0.
    var costRows = 0
    /// Indicates that there is a cost that is not 0, also one below it, in another currency, or without an exchange rate.
    package var hasCost: Bool { costRows > 0 || unpriced > 0 || others.costRows > 0 }

    /// The sums, in which the revenue is not known, and not 0, if all of it is in other currencies.
    package var withoutForeignZeros: Sums {
      guard revenueRows == 0, others.rows > others.costRows else { return self }
      var sums = self
      (sums.revenue, sums.minimum, sums.closedMaximum, sums.allWindows, sums.nullRevenue) = (nil, nil, nil, nil, nil)
      return sums
    }

    /// The sums of no rows.
    package init() {}

    /// Returns the sums without amounts of money, beside those in a currency that is not that of the report.
    fileprivate func apart(in currency: String?) -> Sums {
      var apart = Sums()
      (apart.installs, apart.values, apart.nulls, apart.suspicions) = (installs, values, nulls, suspicions)
      if allWindows == nil { apart.allWindows = nil }
      guard let currency else { return apart }
      if revenueRows > 0, let revenue { apart.others.add(revenue: revenue, currency, rows: revenueRows) }
      if costRows > 0, let cost { apart.others.add(cost: cost, currency, rows: costRows) }
      return apart
    }

    private static func sum(_ left: Amount?, _ right: Amount?) -> Amount? {
      if let left, let right { left + right } else { nil }
    }

    /// Adds the sums of other rows.
    package static func += (left: inout Sums, right: Sums) {
      left.installs += right.installs
      left.values += right.values
      left.nulls += right.nulls
      left.revenue = sum(left.revenue, right.revenue)
      if let confirmed = right.confirmed { left.confirmed = (left.confirmed ?? .zero) + confirmed }
      left.suspicions.formUnion(right.suspicions)
      left.minimum = sum(left.minimum, right.minimum)
      left.closedMaximum = sum(left.closedMaximum, right.closedMaximum)
      left.openEnded += right.openEnded
      left.allWindows = sum(left.allWindows, right.allWindows)
      if let cost = right.cost { left.cost = (left.cost ?? .zero) + cost }
      left.modelledNulls += right.modelledNulls
      left.nullRevenue = if let one = left.nullRevenue, let other = right.nullRevenue { one + other } else { nil }
      left.unpriced += right.unpriced
      left.others += right.others
      left.revenueRows += right.revenueRows
      left.costRows += right.costRows
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
    /// The advertised app: its id; nil if the table is not grouped by it, and of costs that are not of one app.
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

  /// The currency of all amounts: that of the table, or the one with the most postbacks; nil if there is no amount.
  package internal(set) var currency: String?
  /// Indicates that all amounts are converted to the currency, so that others have no exchange rate.
  package internal(set) var isConverted = false
  /// The sums. The cost of a campaign is all that names it, also where the file of costs does not divide it by the dimensions
  /// of the table: each cost names its network and its campaign.
  package internal(set) var cells: [Key: Sums] = [:]
  /// The name of each campaign that has one, by its network and its id.
  package internal(set) var campaignNames: [[String?]: String] = [:]
  /// The name of each app that has one, by its id.
  package internal(set) var appNames: [String: String] = [:]
  /// The least complete state of the rows of each day.
  package internal(set) var status: [Int: Status] = [:]
  /// The least share of each open day's postbacks that has come, as Apple's timers let expect.
  package internal(set) var expectedShare: [Int: Amount] = [:]
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

  /// The sentences that name the amounts in other currencies.
  package var otherAmounts: [String] {
    total.others.sentences(currency, isConverted: isConverted)
  }
}

extension BusinessReport {
  /// Reads the report from derived tables; nil if there is no `skan_daily`. Throws if it is damaged.
  package init?(of snapshot: DerivedSnapshot, jobs: Int) async throws(PipelineFailure) {
    let (files, summary) = try PipelineFailure.state { () throws(FileFailure) in
      (
        try TableFiles(derived: .daily, of: snapshot),
        try DerivedTable.summary(of: .daily, in: snapshot.place(of: .daily))
      )
    }
    guard let files else { return nil }
    let converted = summary.flatMap { DailyProvenance($0) }?.currency
    var byCurrency: [String?: BusinessReport] = [:]
    var weights: [String: Int] = [:]
    var unreadable = 0
    try await files.scan(jobs: jobs) {
      DailyRows($0, converted: converted)
    } take: { rows in
      unreadable += rows.unreadable
      for row in rows.rows {
        byCurrency[row.currency, default: BusinessReport()].add(row)
        if let currency = row.currency { weights[currency, default: 0] += row.weight }
      }
    }
    // Amounts of two currencies are never added. Rows without an amount count in each of them.
    currency = converted ?? weights.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    isConverted = converted != nil
    for (currency, part) in byCurrency {
      merge(part, in: currency, withAmounts: currency == self.currency)
    }
    self.unreadable = unreadable
    nothingCounted = summary?[DailySummary.nothingCountedKey]?.text
  }

  fileprivate mutating func add(_ row: DailyRows.Row) {
    if let time = row.asOf { asOf = time }
    cells[row.key, default: Sums()] += row.sums
    if let app = row.key.app, let name = row.appName { appNames[app] = name }
    if let name = row.campaignName { campaignNames[[row.key.network, row.key.campaign]] = name }
    guard let day = row.key.day else { return }
    if let state = row.status { status[day] = min(status[day] ?? .final, state) }
    if let share = row.expectedShare { expectedShare[day] = min(expectedShare[day] ?? share, share) }
  }

  private mutating func merge(_ part: BusinessReport, in currency: String?, withAmounts: Bool) {
    for (key, sums) in part.cells { cells[key, default: Sums()] += withAmounts ? sums : sums.apart(in: currency) }
    appNames.merge(part.appNames) { one, _ in one }
    campaignNames.merge(part.campaignNames) { one, _ in one }
    status.merge(part.status) { min($0, $1) }
    expectedShare.merge(part.expectedShare) { min($0, $1) }
    asOf = asOf ?? part.asOf
  }
}
