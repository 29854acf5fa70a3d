internal import Base
internal import ConversionModel
internal import DailyReports
internal import PostbackPipeline
internal import TableReading
internal import Tables

/// The rows of `skan_daily` by install date in the first conversion window, of a batch.
struct DailyRows: Sendable {
  struct Row: Sendable {
    var key: BusinessReport.Key
    var sums: BusinessReport.Sums
    var currency: String?
    var weight: Int
    var appName: String?
    var campaignName: String?
    var status: BusinessReport.Status?
    var expectedShare: Amount?
    var asOf: String?
  }

  var rows: [Row] = []
  var unreadable = 0

  /// Reads a batch. `converted` is the currency to which amounts are converted; nil if they stay in their own.
  init(_ batch: RawBatch, converted: String?) {
    func place(_ name: ColumnName) -> Int { Table.daily.place(name) }
    let (dateType, window, date) = (place(.dateType), place(.postbackSequenceIndex), place(.date))
    let (revenueCurrency, costCurrency) = (place(.currency), place(.costCurrency))
    let (revenueByCurrency, costByCurrency) = (place(.revenueByCurrency), place(.costByCurrency))
    var cursor = RowCursor(batch, of: .daily)
    while cursor.next() {
      guard cursor.text(dateType) == "install" else { continue }
      let isFirst = cursor.integer(window) == 0
      // The revenue of all windows is in the row of the first window that there is.
      let allWindows = cursor.amount(place(.revenueAllWindows))
      var revenues = cursor.amountsByCurrency(revenueByCurrency)
      let isOfSeveral = cursor.hasAllWindowsOfSeveralCurrencies()
      guard isFirst || allWindows != nil || isOfSeveral else { continue }
      let day = cursor.text(date).flatMap { Timestamp("\($0)T00:00:00Z") }
      var sums = isFirst ? BusinessReport.Sums(ofFirstWindow: cursor) : BusinessReport.Sums()
      sums.allWindows = isOfSeveral ? nil : allWindows ?? .zero
      var costs = isFirst ? cursor.amountsByCurrency(costByCurrency) : [:]
      if !isFirst { revenues = [:] }
      if converted != nil {
        if !revenues.isEmpty {
          (sums.revenue, sums.minimum, sums.closedMaximum, sums.nullRevenue) = (nil, nil, nil, nil)
        }
        sums.unpriced = costs.isEmpty ? 0 : 1
      }
      let currencies = (revenue: cursor.text(revenueCurrency), cost: cursor.text(costCurrency))
      if let cost = sums.cost, let currency = currencies.revenue, let own = currencies.cost, currency != own {
        (sums.cost, sums.costRows) = (nil, 0)
        costs[own] = cost
      }
      var row = Row(
        key: BusinessReport.Key(
          day: day.map { Int($0.daysSince1970) },
          app: cursor.text(place(.appID)),
          network: cursor.text(place(.networkName)),
          campaign: cursor.text(place(.campaignID))
        ),
        sums: sums,
        currency: converted ?? currencies.revenue ?? currencies.cost,
        weight: isFirst ? Int(cursor.integer(place(.decoded)) ?? 0) + 1 : 0,
        appName: cursor.text(place(.appName)),
        campaignName: cursor.text(place(.campaignName)),
        status: isFirst ? cursor.text(place(.status)).flatMap { BusinessReport.Status(rawValue: $0) } : nil,
        expectedShare: isFirst ? cursor.amount(place(.expectedShare)) : nil,
        asOf: cursor.text(place(.asOf))
      )
      rows.append(row)
      for currency in Set(revenues.keys).union(costs.keys).sorted() where currency != converted {
        row.sums = BusinessReport.Sums(of: revenues[currency], cost: costs[currency])
        row.currency = currency
        rows.append(row)
      }
    }
    unreadable = cursor.unreadable.count
  }
}

extension BusinessReport.Sums {
  /// The sums of a row's amounts in one of several currencies. The limits of the revenue are not known.
  fileprivate init(of revenue: Amount?, cost: Amount?) {
    self.init()
    (self.cost, costRows) = (cost, cost ?? .zero == .zero ? 0 : 1)
    guard let revenue else { return }
    (self.revenue, revenueRows) = (revenue, 1)
    (minimum, closedMaximum, nullRevenue) = (nil, nil, nil)
  }

  /// Reads the sums of a row of the first window, without the revenue of all windows.
  fileprivate init(ofFirstWindow row: borrowing RowCursor) {
    func count(_ name: ColumnName, _ row: borrowing RowCursor) -> Int {
      row.integer(Table.daily.place(name)).map { Int($0) } ?? 0
    }
    func amount(_ name: ColumnName, _ row: borrowing RowCursor) -> Amount {
      row.amount(Table.daily.place(name)) ?? .zero
    }
    self.init()
    installs = count(.installs, row)
    values = count(.values, row)
    nulls = count(.nulls, row)
    let estimate = row.amount(Table.daily.place(.revenue))
    let revenue = estimate ?? .zero
    revenueRows = estimate == nil ? 0 : 1
    confirmed = row.amount(Table.daily.place(.confirmedRevenue))
    suspicions = Set(row.text(Table.daily.place(.valueSuspicions))?.split(separator: "; ").map(String.init) ?? [])
    let (minimum, closedMaximum) = (amount(.revenueMin, row), amount(.revenueMaxClosed, row))
    (self.revenue, self.minimum, self.closedMaximum) = (revenue, minimum, closedMaximum)
    openEnded = count(.revenueMaxOpen, row)
    cost = row.amount(Table.daily.place(.cost))
    costRows = cost ?? .zero == .zero ? 0 : 1
    guard let estimate = row.amount(Table.daily.place(.modelledRevenue)) else { return }
    modelledNulls = nulls
    // The interval has the errors of values too, which the ends of their ranges have here.
    let most = max(closedMaximum, revenue)
    let high = row.amount(Table.daily.place(.modelledRevenueHigh))
    nullRevenue = BusinessReport.NullRevenue(
      estimate: estimate - revenue,
      low: amount(.modelledRevenueLow, row) - minimum,
      high: (high ?? most) - most
    )
    if high == nil { openEnded = max(openEnded, 1) }
  }
}
