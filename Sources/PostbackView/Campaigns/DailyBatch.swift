internal import Base
internal import ConversionModel
internal import DailyReports
internal import PostbackPipeline
internal import Reporting
internal import TableReading
internal import Tables

/// The dimensions and the currencies of rows of `skan_daily`.
struct DailyFacts: Sendable {
  /// The dimensions, as the first row has them; nil if there is no row.
  private(set) var dimensions: String?
  /// The number of decoded postbacks, and of rows, of window 0 with an amount in each currency.
  private(set) var currencies: [String: Int] = [:]

  init() {}

  init(_ batch: RawBatch) {
    let places = [ColumnName.currency, .costCurrency].map { Table.daily.place($0) }
    let byCurrency = [ColumnName.revenueByCurrency, .costByCurrency].map { Table.daily.place($0) }
    let (dimensions, decoded) = (Table.daily.place(.dimensions), Table.daily.place(.decoded))
    let (dateType, window) = (Table.daily.place(.dateType), Table.daily.place(.postbackSequenceIndex))
    var cursor = RowCursor(batch, of: .daily)
    while cursor.next() {
      if self.dimensions == nil { self.dimensions = cursor.text(dimensions) }
      let isCounted = cursor.text(dateType) == "install" && cursor.integer(window) == 0
      let weight = isCounted ? Int(cursor.integer(decoded) ?? 0) + 1 : 0
      var named: Set<String> = []
      for place in places { if let currency = cursor.text(place) { named.insert(currency) } }
      for place in byCurrency { named.formUnion(cursor.amountsByCurrency(place).keys) }
      for currency in named { currencies[currency, default: 0] += weight }
    }
  }

  mutating func merge(_ later: Self) {
    dimensions = dimensions ?? later.dimensions
    currencies.merge(later.currencies, uniquingKeysWith: +)
  }
}

/// The rows of a batch of `skan_daily`.
struct DailyBatch: Sendable {
  struct Row: Sendable {
    var values: [String?]
    var names: [String?]
    var isInstall: Bool
    var day: Int32?
    var window: Int64
    var status: String?
    var isParentCost: Bool
    var counts: [Int64]
    var amounts: [Amount?]
    var share: Int32
    var currency: String?
    var costCurrency: String?
    var revenueByCurrency: [String: Amount]
    var costByCurrency: [String: Amount]
    /// Indicates that the windows of the row have revenue in several currencies.
    var isAllWindowsOfSeveral: Bool
    var asOf: String?
  }

  var rows: [Row] = []

  init(_ batch: RawBatch) {
    func places(_ names: [String]) -> [Int] {
      names.map { name in
        guard let place = Table.daily.columns.firstIndex(where: { $0.name.rawValue == name }) else {
          preconditionFailure("skan_daily has no column \(name)")
        }
        return place
      }
    }
    let dimensions = DailyDimension.allCases.map { Table.daily.place($0.column) }
    let names = DailyName.allCases.map { Table.daily.place($0.column) }
    let (counts, amounts) = (places(DailyStore.countNames), places(DailyStore.amountNames))
    let place = Table.daily.place
    let (dateType, date, window) = (place(.dateType), place(.date), place(.postbackSequenceIndex))
    let (status, costLevel, share, asOf) = (place(.status), place(.costLevel), place(.expectedShare), place(.asOf))
    let (currency, revenueByCurrency) = (place(.currency), place(.revenueByCurrency))
    let (costCurrency, costByCurrency) = (place(.costCurrency), place(.costByCurrency))
    var cursor = RowCursor(batch, of: .daily)
    while cursor.next() {
      let day = cursor.text(date).flatMap { Timestamp("\($0)T00:00:00Z") }
      var row = Row(
        values: [],
        names: [],
        isInstall: cursor.text(dateType) == "install",
        day: day.map { Int32(clamping: $0.daysSince1970) },
        window: cursor.integer(window) ?? 0,
        status: cursor.text(status),
        isParentCost: cursor.text(costLevel) == "parent",
        counts: [],
        amounts: [],
        share: cursor.amount(share).map { Int32(clamping: $0.units / 10) } ?? -1,
        currency: cursor.text(currency),
        costCurrency: cursor.text(costCurrency),
        revenueByCurrency: cursor.amountsByCurrency(revenueByCurrency),
        costByCurrency: cursor.amountsByCurrency(costByCurrency),
        isAllWindowsOfSeveral: cursor.hasAllWindowsOfSeveralCurrencies(),
        asOf: cursor.text(asOf)
      )
      for place in dimensions { row.values.append(cursor.text(place)) }
      for place in names { row.names.append(cursor.text(place)) }
      for place in counts { row.counts.append(cursor.integer(place) ?? -1) }
      for place in amounts { row.amounts.append(cursor.amount(place)) }
      rows.append(row)
    }
  }
}
