internal import ConversionModel
package import DerivedTables
internal import DurableFiles
package import PostbackPipeline
internal import TableReading
internal import DailyReports

/// The rows of `skan_daily` of one generation, held in memory by columns.
package struct DailyStore: Sendable {
  /// A column with counts; -1 is null.
  static let countNames = [
    "postbacks", "postbacks_won", "installs", "redownloads", "reengagements", "conversions", "assists", "values",
    "nulls",
    "no_value_possible", "ambiguous_zeros", "decoded", "undecoded", "revenue_max_open", "impressions", "clicks",
    "network_installs", "unconverted_rows",
  ]
  /// The columns with amounts of money.
  static let amountNames = [
    "revenue", "revenue_min", "revenue_max_closed", "confirmed_revenue", "modelled_revenue", "modelled_revenue_low",
    "modelled_revenue_high", "revenue_all_windows", "cost",
  ]
  static let allWindowsPlace = amountNames.firstIndex(of: "revenue_all_windows") ?? 0

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
  private(set) var counts: [[Int64]]
  private(set) var amounts: [AmountColumn]
  /// The expected shares in millionths; -1 is null.
  private(set) var shares: [Int32] = []
  /// The currency of all amounts: that of the table, or the one with the most postbacks; nil if there is none.
  private(set) var currency: String?
  /// Indicates that all amounts are converted to the currency, so that others have no exchange rate.
  private(set) var isConverted = false
  /// The amounts of a row that are not known in the currency.
  private(set) var unknown: [UnknownAmounts] = []
  /// The amounts in other currencies, in the order of the rows, and the number of them up to the end of each row.
  private var others: [OtherAmount] = []
  private var otherEnds: [Int32] = []
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
    let listed = (found.dimensions ?? "").split(separator: ";").compactMap { DailyDimension(String($0)) }
    dimensions = listed
    values = listed.map { _ in [] }
    names = listed.map { _ in [:] }
    codes = listed.map { _ in [] }
    counts = Self.countNames.map { _ in [] }
    amounts = Self.amountNames.map { _ in AmountColumn() }
    let summary = try PipelineFailure.state { () throws(FileFailure) in
      try DerivedTable.summary(of: .daily, in: snapshot.folder)
    }
    let converted = summary.flatMap { DailyProvenance($0) }?.currency
    currency = converted ?? found.currencies.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    isConverted = converted != nil
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
    for index in counts.indices { counts[index].append(row.counts[index]) }
    let (isOwn, isOwnCost) = (row.currency == currency, row.costCurrency == currency)
    for index in amounts.indices {
      amounts[index].append((index == amounts.count - 1 ? isOwnCost : isOwn) ? row.amounts[index] : nil)
    }
    addOthers(of: row, isOwn, isOwnCost)
    shares.append(row.share)
    if let time = row.asOf { asOf = time }
  }

  /// Adds what is known and not known of the amounts of a row in several currencies, or in another one.
  private mutating func addOthers(of row: DailyBatch.Row, _ isOwn: Bool, _ isOwnCost: Bool) {
    var (revenue, cost) = (row.revenueByCurrency, row.costByCurrency)
    var missing: UnknownAmounts = []
    if row.isAllWindowsOfSeveral { missing.insert(.allWindows) }
    if isConverted {
      if !revenue.isEmpty { missing.formUnion([.revenue, .limits]) }
      if !cost.isEmpty { missing.insert(.cost) }
    } else if let currency {
      if let own = revenue[currency] {
        amounts[0].replaceLast(own)
        missing.insert(.limits)
      }
      if let own = cost[currency] { amounts[amounts.count - 1].replaceLast(own) }
    }
    if !isOwn, let other = row.currency, let amount = row.amounts[0] { revenue[other] = amount }
    if !isOwnCost, let other = row.costCurrency, let amount = row.amounts.last ?? nil { cost[other] = amount }
    for (parts, isCost) in [(revenue, false), (cost, true)] {
      for (other, amount) in parts where other != currency {
        others.append(OtherAmount(currency: other, isCost: isCost, amount: amount))
      }
    }
    unknown.append(missing)
    otherEnds.append(Int32(clamping: others.count))
  }

  /// Tells if a row is of a conversion window; nil stands for all.
  func isOf(_ window: Int?, _ row: Int) -> Bool { window.map { Int8($0) == windows[row] } ?? true }

  /// Tells if a row has the revenue of all windows of its group. It is in the row of the first window that there is.
  func hasAllWindows(_ row: Int) -> Bool {
    amounts[Self.allWindowsPlace][row] != nil || unknown[row].contains(.allWindows)
  }

  /// Tells if a row has a cost that is not 0, also one below it, or one that is not known in the currency of the report.
  func hasCost(_ row: Int) -> Bool {
    amounts[amounts.count - 1][row] ?? .zero != .zero || unknown[row].contains(.cost)
      || others(of: row).contains(where: \.isCost)
  }

  /// The amounts of a row in other currencies.
  func others(of row: Int) -> ArraySlice<OtherAmount> {
    others[(row == 0 ? 0 : Int(otherEnds[row - 1]))..<Int(otherEnds[row])]
  }
}

/// An amount of a row of `skan_daily` in another currency than the report's.
struct OtherAmount: Sendable {
  let currency: String
  let isCost: Bool
  let amount: Amount
}

/// The amounts that are not known in the currency of the report, though there are some.
struct UnknownAmounts: OptionSet, Sendable {
  let rawValue: UInt8
  static let revenue = UnknownAmounts(rawValue: 1)
  /// The least and the greatest revenue, and the modelled one.
  static let limits = UnknownAmounts(rawValue: 2)
  static let allWindows = UnknownAmounts(rawValue: 4)
  static let cost = UnknownAmounts(rawValue: 8)
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

  /// Replaces the last amount, which is null.
  mutating func replaceLast(_ amount: Amount) {
    units.removeLast()
    append(amount)
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

extension DerivedSnapshot {
  /// The number of the generation; nil if the output has no store.
  package var number: Int? { Int(folder.split(separator: "/").last ?? "") }
}
