internal import Base
internal import ConversionModel
package import DerivedTables
internal import DurableFiles
package import PostbackPipeline
internal import TableReading
internal import Tables
internal import DailyReports

/// The rows of `skan_daily` of one generation, held in memory by columns.
package struct DailyStore: Sendable {
  /// A column with counts; -1 is null.
  static let countNames = [
    "postbacks", "postbacks_won", "installs", "redownloads", "reengagements", "conversions", "assists", "values",
    "nulls",
    "no_value_possible", "ambiguous_zeros", "decoded", "undecoded", "revenue_max_open", "impressions", "clicks",
    "network_installs",
  ]
  /// The columns with amounts of money.
  static let amountNames = [
    "revenue", "revenue_min", "revenue_max_closed", "confirmed_revenue", "modelled_revenue", "modelled_revenue_low",
    "modelled_revenue_high", "revenue_all_windows", "cost",
  ]

  /// The generation of the derived tables; nil if the output has no store.
  private(set) var generation: Int?
  /// The dimensions of the rows, in the order of the columns.
  private(set) var dimensions: [DailyDimension]
  /// The values of each dimension, in the order in which they came; the code of a row is its place, and -1 is null.
  private(set) var values: [[String]]
  /// The names that belong to the values of each dimension, by their codes.
  private(set) var names: [[Int32: String]]
  private(set) var codes: [[Int32]]
  private(set) var isInstall: [Bool] = []
  /// The days since 1970-01-01; `noDay` is null.
  private(set) var days: [Int32] = []
  private(set) var windows: [Int8] = []
  /// The state of completeness, as its place in `BusinessStatus`; -1 is null.
  private(set) var states: [Int8] = []
  private(set) var isParentCost: [Bool] = []
  private(set) var counts: [[Int32]]
  private(set) var amounts: [AmountColumn]
  /// The expected shares in millionths; -1 is null.
  private(set) var shares: [Int32] = []
  /// The currency of all amounts: the one with the most rows; nil if there is none.
  private(set) var currency: String?
  /// The other currencies, whose amounts are left out.
  private(set) var otherCurrencies: [String] = []
  /// The time that the report is of.
  private(set) var asOf: String?

  static let noDay = Int32.min
  /// The words for the state of completeness, the least complete first.
  static let stateWords = ["open", "settling", "final"]

  /// The number of rows.
  var count: Int { days.count }

  /// Reads the table of a generation; nil if there is none.
  package init?(_ snapshot: DerivedSnapshot, jobs: Int) async throws(PipelineFailure) {
    let files = try PipelineFailure.state { () throws(FileFailure) in try TableFiles(derived: .daily, of: snapshot) }
    guard let files else { return nil }
    // The currency of the amounts is known only after all rows, so they are read twice: rows as they are read take much memory.
    var found = DailyFacts()
    try await files.scan(jobs: jobs) {
      DailyFacts($0)
    } take: {
      found.merge($0)
    }
    generation = snapshot.number
    let listed = (found.dimensions ?? "").split(separator: ";").compactMap { DailyDimension(rawValue: String($0)) }
    dimensions = listed
    values = listed.map { _ in [] }
    names = listed.map { _ in [:] }
    codes = listed.map { _ in [] }
    counts = Self.countNames.map { _ in [] }
    amounts = Self.amountNames.map { _ in AmountColumn() }
    currency = found.currencies.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    otherCurrencies = found.currencies.keys.filter { [currency] in $0 != currency }.sorted()
    var places = listed.map { _ in [String: Int32]() }
    var store = self
    try await files.scan(jobs: jobs) {
      DailyBatch($0)
    } take: { batch in
      for row in batch.rows { store.add(row, &places) }
    }
    self = store
  }

  private mutating func add(_ row: DailyBatch.Row, _ places: inout [[String: Int32]]) {
    for (index, dimension) in dimensions.enumerated() {
      var code: Int32 = -1
      if let text = row.values[dimension.place] {
        if let known = places[index][text] {
          code = known
        } else {
          code = Int32(values[index].count)
          places[index][text] = code
          values[index].append(text)
        }
        if let name = dimension.name, let text = row.names[name.rawValue] { names[index][code] = text }
      }
      codes[index].append(code)
    }
    isInstall.append(row.isInstall)
    days.append(row.day ?? Self.noDay)
    windows.append(Int8(clamping: row.window))
    states.append(Int8(row.status.flatMap { Self.stateWords.firstIndex(of: $0) } ?? -1))
    isParentCost.append(row.isParentCost)
    for index in counts.indices { counts[index].append(Int32(clamping: row.counts[index])) }
    for index in amounts.indices {
      let isCost = index == amounts.count - 1
      let isOfReport = (isCost ? row.costCurrency : row.currency) == currency
      amounts[index].append(isOfReport ? row.amounts[index] : nil)
    }
    shares.append(row.share)
    if let time = row.asOf { asOf = time }
  }
}

/// A column of amounts. Nearly all fit into 64 bits; the others are kept apart.
struct AmountColumn: Sendable {
  private var units: [Int64] = []
  private var large: [Int: Amount] = [:]

  private static let none = Int64.min
  private static let kept = Int64.min + 1

  mutating func append(_ amount: Amount?) {
    guard let amount else { return units.append(Self.none) }
    if let short = Int64(exactly: amount.units), short > Self.kept {
      units.append(short)
    } else {
      large[units.count] = amount
      units.append(Self.kept)
    }
  }

  /// The amount of a row; nil if it is null.
  subscript(row: Int) -> Amount? {
    switch units[row] {
    case Self.none: nil
    case Self.kept: large[row]
    case let short: Amount(units: Int128(short))
    }
  }
}

/// The dimensions and the currencies of rows of `skan_daily`.
private struct DailyFacts: Sendable {
  /// The dimensions, as the first row has them; nil if there is no row.
  private(set) var dimensions: String?
  /// The number of rows with an amount in each currency.
  private(set) var currencies: [String: Int] = [:]

  init() {}

  init(_ batch: RawBatch) {
    let places = [ColumnName.currency, .costCurrency].map { Table.daily.place($0) }
    let dimensions = Table.daily.place(.dimensions)
    var cursor = RowCursor(batch, of: .daily)
    while cursor.next() {
      if self.dimensions == nil { self.dimensions = cursor.text(dimensions) }
      for place in places { if let currency = cursor.text(place) { currencies[currency, default: 0] += 1 } }
    }
  }

  mutating func merge(_ later: Self) {
    dimensions = dimensions ?? later.dimensions
    currencies.merge(later.currencies, uniquingKeysWith: +)
  }
}

/// The rows of a batch of `skan_daily`.
private struct DailyBatch: Sendable {
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
    let others = places([
      "date_type", "date", "postback_sequence_index", "dimensions", "status", "cost_level", "expected_share",
      "currency", "cost_currency", "as_of",
    ])
    var cursor = RowCursor(batch, of: .daily)
    while cursor.next() {
      let day = cursor.text(others[1]).flatMap { Timestamp("\($0)T00:00:00Z") }
      let share = cursor.amount(others[6]).map { Int32(clamping: $0.units / 10) } ?? -1
      var row = Row(
        values: [],
        names: [],
        isInstall: cursor.text(others[0]) == "install",
        day: day.map { Int32(clamping: $0.daysSince1970) },
        window: cursor.integer(others[2]) ?? 0,
        status: cursor.text(others[4]),
        isParentCost: cursor.text(others[5]) == "parent",
        counts: [],
        amounts: [],
        share: share,
        currency: cursor.text(others[7]),
        costCurrency: cursor.text(others[8]),
        asOf: cursor.text(others[9])
      )
      for place in dimensions { row.values.append(cursor.text(place)) }
      for place in names { row.names.append(cursor.text(place)) }
      for place in counts { row.counts.append(cursor.integer(place) ?? -1) }
      for place in amounts { row.amounts.append(cursor.amount(place)) }
      rows.append(row)
    }
  }
}

extension DerivedSnapshot {
  /// The number of the generation; nil if the output has no store.
  package var number: Int? { Int(folder.split(separator: "/").last ?? "") }
}
