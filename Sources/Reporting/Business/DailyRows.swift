internal import Base
internal import ConversionModel
internal import DailyReports
internal import PostbackPipeline
internal import TableReading
internal import Tables

/// The places of the columns of `skan_daily` that are read.
struct DailyColumns {
  let dateType = Table.daily.place(.dateType)
  let window = Table.daily.place(.postbackSequenceIndex)
  let revenueAllWindows = Table.daily.place(.revenueAllWindows)
  let date = Table.daily.place(.date)
  let currency = Table.daily.place(.currency)
  let costCurrency = Table.daily.place(.costCurrency)
  let appID = Table.daily.place(.appID)
  let networkName = Table.daily.place(.networkName)
  let campaignID = Table.daily.place(.campaignID)
  let decoded = Table.daily.place(.decoded)
  let costLevel = Table.daily.place(.costLevel)
  let appName = Table.daily.place(.appName)
  let campaignName = Table.daily.place(.campaignName)
  let status = Table.daily.place(.status)
  let expectedShare = Table.daily.place(.expectedShare)
  let asOf = Table.daily.place(.asOf)
  let installs = Table.daily.place(.installs)
  let values = Table.daily.place(.values)
  let nulls = Table.daily.place(.nulls)
  let revenue = Table.daily.place(.revenue)
  let confirmedRevenue = Table.daily.place(.confirmedRevenue)
  let valueSuspicions = Table.daily.place(.valueSuspicions)
  let revenueMin = Table.daily.place(.revenueMin)
  let revenueMaxClosed = Table.daily.place(.revenueMaxClosed)
  let revenueMaxOpen = Table.daily.place(.revenueMaxOpen)
  let cost = Table.daily.place(.cost)
  let modelledRevenue = Table.daily.place(.modelledRevenue)
  let modelledRevenueLow = Table.daily.place(.modelledRevenueLow)
  let modelledRevenueHigh = Table.daily.place(.modelledRevenueHigh)
}

/// The rows of `skan_daily` by install date in the first conversion window, of a batch.
struct DailyRows: Sendable {
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
    let columns = DailyColumns()
    var cursor = RowCursor(batch, of: .daily)
    while cursor.next() {
      guard cursor.text(columns.dateType) == "install" else { continue }
      let isFirst = cursor.integer(columns.window) == 0
      // The revenue of all windows is in the row of the first window that there is.
      let allWindows = cursor.amount(columns.revenueAllWindows)
      guard isFirst || allWindows != nil else { continue }
      let day = cursor.text(columns.date).flatMap { Timestamp("\($0)T00:00:00Z") }
      var sums = isFirst ? BusinessReport.Sums(ofFirstWindow: cursor, columns) : BusinessReport.Sums()
      sums.allWindows = allWindows ?? .zero
      let currencies = (revenue: cursor.text(columns.currency), cost: cursor.text(columns.costCurrency))
      let cost = sums.cost
      if let currency = currencies.revenue, currency != currencies.cost { sums.cost = nil }
      rows.append(
        Row(
          key: BusinessReport.Key(
            day: day.map { Int($0.daysSince1970) },
            app: cursor.text(columns.appID),
            network: cursor.text(columns.networkName),
            campaign: cursor.text(columns.campaignID)
          ),
          sums: sums,
          currency: currencies.revenue ?? currencies.cost,
          weight: isFirst ? Int(cursor.integer(columns.decoded) ?? 0) + 1 : 0,
          isParent: cursor.text(columns.costLevel) == "parent",
          appName: cursor.text(columns.appName),
          campaignName: cursor.text(columns.campaignName),
          status: isFirst ? cursor.text(columns.status).flatMap { BusinessReport.Status(rawValue: $0) } : nil,
          expectedShare: isFirst ? cursor.amount(columns.expectedShare) : nil,
          asOf: cursor.text(columns.asOf)
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
  init(ofFirstWindow row: borrowing RowCursor, _ columns: DailyColumns) {
    func count(_ column: Int, _ row: borrowing RowCursor) -> Int { row.integer(column).map { Int($0) } ?? 0 }
    func amount(_ column: Int, _ row: borrowing RowCursor) -> Amount { row.amount(column) ?? .zero }
    installs = count(columns.installs, row)
    values = count(columns.values, row)
    nulls = count(columns.nulls, row)
    revenue = amount(columns.revenue, row)
    confirmed = row.amount(columns.confirmedRevenue)
    suspicions = Set(row.text(columns.valueSuspicions)?.split(separator: "; ").map(String.init) ?? [])
    minimum = amount(columns.revenueMin, row)
    closedMaximum = amount(columns.revenueMaxClosed, row)
    openEnded = count(columns.revenueMaxOpen, row)
    cost = row.amount(columns.cost)
    guard let estimate = row.amount(columns.modelledRevenue) else { return }
    modelledNulls = nulls
    nullRevenue.estimate = estimate - revenue
    // The interval has the errors of values too, which the ends of their ranges have here.
    nullRevenue.low = amount(columns.modelledRevenueLow, row) - minimum
    let most = max(closedMaximum, revenue)
    let high = row.amount(columns.modelledRevenueHigh)
    nullRevenue.high = (high ?? most) - most
    if high == nil { openEnded = max(openEnded, 1) }
  }
}
