internal import Base
internal import ConversionModel
internal import DailyReports
internal import JSON
internal import Reporting
internal import Tables

/// The answer to a question about campaigns: sums by some dimensions, beside those of another period if one is given.
struct CampaignAnswer: Sendable {
  /// The key of a row: the day, or `DailyStore.noDay`, the codes of the dimensions, and whether costs are not divided.
  struct Key: Hashable {
    let day: Int32
    let codes: [Int32]
    let isUndivided: Bool

    /// The codes that rows of the same values have on all days. Their costs are set against what the same campaigns brought.
    var group: [Int32] { codes + [isUndivided ? 1 : 0] }
  }

  struct Row {
    let key: Key
    var sums = PeriodSums()
    var before: PeriodSums?
  }

  private let store: DailyStore
  private let query: CampaignQuery
  private let columns: [CampaignColumn]
  private(set) var rows: [Row] = []
  private(set) var count = 0
  private var total: Row
  private var undivided = 0
  /// The installs of campaigns that have a cost, but not in the row of the answer with the installs.
  private var pricedElsewhere: Int64 = 0
  /// The costs of the period, and of the compared one, that a condition leaves out, because they are not divided by its dimension.
  private var (leftOut, leftOutBefore) = (CampaignSums(), CampaignSums())
  /// Indicates that rows have nothing of the chosen window.
  private var hasRowsOfOtherWindows = false
  private let places: [Int]
  /// The campaigns with a cost in the period, and in the compared one.
  private var priced, pricedBefore: PricedCampaigns

  /// Sums the rows of a table. Without `seesRevenue` no column of money is part of the answer.
  init(_ query: CampaignQuery, _ store: DailyStore, seesRevenue: Bool) throws(ViewDefect) {
    (self.query, self.store) = (query, store)
    columns = CampaignColumn.all.filter { seesRevenue || !$0.isOfMoney }
    places = query.by.compactMap { store.dimensions.firstIndex(of: $0) }
    total = Row(key: Key(day: DailyStore.noDay, codes: [], isUndivided: false))
    (priced, pricedBefore) = (PricedCampaigns(store), PricedCampaigns(store))
    let order = try Order(query.order, self)
    var groups: [Key: Int] = [:]
    let filter = RowFilter(query, store, seesRevenue: seesRevenue)
    func periods(_ row: Int) -> (isNow: Bool, isBefore: Bool) {
      (
        Self.contains(store.days[row], query.since, query.until),
        query.comparison.map { Self.contains(store.days[row], $0.since, $0.until) } ?? false
      )
    }
    for row in 0..<store.count where store.isOf(query.window, row) && store.hasCost(row) && filter.accepts(row) {
      let (isNow, isBefore) = periods(row)
      let group = key(row, DailyStore.noDay).group
      if isNow { priced.insert(row, of: store, in: group) }
      if isBefore { pricedBefore.insert(row, of: store, in: group) }
    }
    for row in 0..<store.count {
      let (isNow, isBefore) = periods(row)
      guard isNow || isBefore else { continue }
      guard filter.accepts(row) else {
        if store.isParentCost[row], filter.accepts(row, ofAnyUndivided: true) {
          if isNow { leftOut.add(row, of: store, window: query.window) }
          if isBefore { leftOutBefore.add(row, of: store, window: query.window) }
        }
        continue
      }
      let day = query.isByDate ? store.days[row] : DailyStore.noDay
      // With a comparison the days of the two periods are compared one by one.
      if isNow { add(row, key(row, day), &groups, isBefore: false) }
      if isBefore, let comparison = query.comparison {
        var moved = day
        if query.isByDate, day != DailyStore.noDay, let since = query.since { moved = day - comparison.since + since }
        add(row, key(row, moved), &groups, isBefore: true)
      }
    }
    undivided = rows.count { $0.key.isUndivided }
    pricedElsewhere = rows.reduce(-total.sums.unpricedInstalls) { $0 + $1.sums.unpricedInstalls }
    hasRowsOfOtherWindows = rows.contains { !$0.sums.all.isOfWindow && $0.before?.all.isOfWindow != true }
    count = rows.count
    let ordered = order.sorted(rows)
    let end = query.limit.map { min(ordered.count, query.offset + $0) } ?? ordered.count
    rows = query.offset < end ? Array(ordered[query.offset..<end]) : []
  }

  /// The key of the row of the answer to which a row of the table belongs.
  private func key(_ row: Int, _ day: Int32) -> Key {
    let codes = places.map { store.codes[$0][row] }
    // A cost of several rows stands alone where the rows of the answer are finer.
    return Key(day: day, codes: codes, isUndivided: store.isParentCost[row] && codes.contains(-1))
  }

  private mutating func add(_ row: Int, _ key: Key, _ groups: inout [Key: Int], isBefore: Bool) {
    let place = groups[key] ?? rows.count
    if place == rows.count {
      groups[key] = place
      rows.append(Row(key: key, before: query.comparison == nil ? nil : PeriodSums()))
      if query.comparison != nil, total.before == nil { total.before = PeriodSums() }
    }
    let campaigns = isBefore ? pricedBefore : priced
    let isPriced = campaigns.contains(row, of: store)
    let isPricedHere = isPriced && campaigns.contains(row, of: store, in: key.group)
    if isBefore {
      rows[place].before?.add(row, of: store, window: query.window, isPriced: isPricedHere)
      total.before?.add(row, of: store, window: query.window, isPriced: isPriced)
    } else {
      rows[place].sums.add(row, of: store, window: query.window, isPriced: isPricedHere)
      total.sums.add(row, of: store, window: query.window, isPriced: isPriced)
    }
  }

  private static func contains(_ day: Int32, _ since: Int32?, _ until: Int32?) -> Bool {
    if day == DailyStore.noDay { return since == nil && until == nil }
    return day >= since ?? .min && day < until ?? .max
  }

  // MARK: - Cells

  private typealias KeyColumn = (name: String, kind: CampaignColumn.Kind, value: (Key) -> String?)

  /// The columns before those of the sums, with the value of each for a row.
  private var keyColumns: [KeyColumn] {
    var found: [KeyColumn] = []
    if query.isByDate {
      found.append(("date", .day, { $0.day == DailyStore.noDay ? nil : Timestamp.name(ofDay: Int($0.day)) }))
    }
    for (index, dimension) in query.by.enumerated() {
      let (values, names) = (store.values[places[index]], store.names[places[index]])
      found.append(
        (dimension.column.rawValue, .text, { $0.codes[index] < 0 ? nil : values[Int($0.codes[index])] })
      )
      if let name = dimension.name { found.append((name.column.rawValue, .text, { names[$0.codes[index]] })) }
    }
    if undivided > 0 { found.append(("cost_level", .text, { $0.isUndivided ? "parent" : nil })) }
    return found
  }

  /// The order of rows.
  private struct Order {
    private let value: (Row) -> (number: Int128?, text: String?)
    private let isDescending: Bool

    init(_ order: CampaignQuery.Order, _ answer: CampaignAnswer) throws(ViewDefect) {
      isDescending = order.isDescending
      let parts = order.column.split(separator: ".", maxSplits: 1).map(String.init)
      let isCompared = parts.count == 2 && ["before", "change"].contains(parts[0])
      if let column = answer.columns.first(where: { $0.name == (isCompared ? parts[1] : order.column) }) {
        switch isCompared ? parts[0] : "" {
        case "before": value = { row in (row.before.flatMap { $0[column].number }, nil) }
        case "change":
          value = { row in
            guard let before = row.before.flatMap({ $0[column].number }), before > 0,
              let now = row.sums[column].number
            else { return (nil, nil) }
            return (Amount.quotient(Amount(units: now - before), by: Amount(units: before))?.units, nil)
          }
        default:
          value = { row in
            if case .text(let text) = row.sums[column] { return (nil, text) }
            return (row.sums[column].number, nil)
          }
        }
        return
      }
      guard let key = answer.keyColumns.first(where: { $0.name == order.column }) else {
        throw ViewDefect("sort: The answer has no column \(order.column.quotedExcerpt).")
      }
      value = { row in (nil, key.value(row.key)) }
    }

    /// Tells which of two values comes first; nil if both are equal. One that is nil comes last.
    private func precedes<Value: Comparable>(_ one: Value?, _ other: Value?) -> Bool? {
      if one == other { return nil }
      guard let one, let other else { return one != nil }
      return isDescending ? one > other : one < other
    }

    /// The rows in order; those without a value come last, and equal ones by their keys.
    func sorted(_ rows: [Row]) -> [Row] {
      let valued = rows.map { (value: value($0), row: $0) }
      return valued.sorted { one, other in
        if let isFirst = precedes(one.value.number, other.value.number) ?? precedes(one.value.text, other.value.text) {
          return isFirst
        }
        if one.row.key.codes == other.row.key.codes { return one.row.key.day < other.row.key.day }
        return one.row.key.codes.lexicographicallyPrecedes(other.row.key.codes)
      }.map(\.row)
    }
  }

  // MARK: - Answers

  private func json(_ sums: PeriodSums) -> [JSONValue.Member] {
    columns.map { .init($0.name, sums[$0].json) }
  }

  private func json(_ row: Row, _ keys: [KeyColumn]) -> JSONValue {
    var members = keys.map { JSONValue.Member($0.name, .text($0.value(row.key))) } + json(row.sums)
    if let before = row.before { members.append(.init("before", .object(json(before)))) }
    return .object(members)
  }

  /// The members of the answer as JSON.
  var members: [JSONValue.Member] {
    func day(_ day: Int32?) -> JSONValue { .text(day.map { Timestamp.name(ofDay: Int($0)) }) }
    let keys = keyColumns
    let listed =
      keys.map { key -> JSONValue in
        .object([.init("name", .string(key.name)), .init("kind", .string(key.kind.rawValue))])
      }
      + columns.map { column -> JSONValue in
        .object([
          .init("name", .string(column.name)), .init("kind", .string(column.kind.rawValue)),
          .init("description", .string(column.description)),
        ])
      }
    let comparison = query.comparison.map {
      JSONValue.object([.init("since", day($0.since)), .init("until", day($0.until))])
    }
    let by = (query.isByDate ? ["date"] : []) + query.by.map(\.column.rawValue)
    return [
      .init("by", .texts(by)),
      .init("window", .string(query.window.map { "\($0)" } ?? "all")),
      .init("date_type", .string(query.isInstall ? "install" : "received")),
      .init("currency", columns.contains { $0.isOfMoney } ? .text(store.currency) : .null),
      .init("since", day(query.since)), .init("until", day(query.until)), .init("compare", .optional(comparison)),
      .init("count", .integer(count)), .init("offset", .integer(query.offset)), .init("columns", .array(listed)),
      .init("rows", .array(rows.map { json($0, keys) })),
      .init("total", json(total, [])),
      .init("notes", .texts(notes)),
    ]
  }

  private var notes: [String] {
    var notes: [String] = []
    guard columns.contains(where: \.isOfMoney) else { return notes }
    if undivided > 0 {
      notes.append(
        "Costs that the cost file does not divide by these dimensions are in rows of their own, with the cost_level parent."
      )
    }
    for (leftOut, period) in [(leftOut, ""), (leftOutBefore, " of the compared period")] where leftOut.hasCost {
      let cost = leftOut.amount("cost").map { ": \($0) \(store.currency ?? "")" } ?? ""
      notes.append(
        "Costs\(period) that the cost file does not divide by what is chosen are in no row and no return\(cost)."
      )
    }
    notes += total.sums.all.others.sentences(store.currency, isConverted: store.isConverted)
    notes +=
      total.before?.all.others.sentences(store.currency, isConverted: store.isConverted, " of the compared period")
      ?? []
    if total.sums.priced.cost != nil, let installs = total.sums.all.count("installs") {
      let others = total.sums.unpricedInstalls
      if others > 0 {
        notes.append(
          """
          Ratios to the cost are those of the campaigns with a cost: \(others) of \(installs) installs are of campaigns \
          without one.
          """
        )
      }
      if pricedElsewhere > 0 {
        notes.append(
          """
          Ratios of a row are those of the campaigns with a cost in this row: \(pricedElsewhere) of \(installs) installs are \
          of campaigns whose costs are in other rows.
          """
        )
      }
    }
    if let nulls = total.sums.all.unmodelledNulls, nulls.missing > 0 {
      notes.append(
        "The sums of modelled_revenue have no estimate for \(nulls.missing) of \(nulls.all) nulls, which are not modelled."
      )
    }
    if hasRowsOfOtherWindows, let window = query.window {
      notes.append(
        "Rows without postbacks of window \(window) have nothing but revenue_all_windows, which is that of all windows."
      )
    }
    if query.window == nil {
      notes.append("Installs are those of window 0; postbacks and values are those of all windows.")
    }
    return notes
  }

  /// The rows as CSV.
  var csv: [UInt8] {
    let keys = keyColumns
    var text = ViewCSV(
      keys.map(\.name) + columns.map(\.name) + (query.comparison == nil ? [] : columns.map { "before_\($0.name)" })
    )
    for row in rows {
      var cells = keys.map { key in key.value(row.key).map { (text: $0, isText: true) } }
      cells += columns.map { row.sums[$0].cell }
      if let before = row.before { cells += columns.map { before[$0].cell } }
      text.add(cells)
    }
    return text.bytes
  }
}

/// The rows of a table that a query asks for.
private struct RowFilter {
  private let store: DailyStore
  private let query: CampaignQuery
  private let seesRevenue: Bool
  /// The codes that are accepted of each dimension with a condition, from -1 on.
  private let accepted: [(codes: [Int32], isAccepted: [Bool])]

  init(_ query: CampaignQuery, _ store: DailyStore, seesRevenue: Bool) {
    (self.query, self.store, self.seesRevenue) = (query, store, seesRevenue)
    accepted = store.dimensions.indices.compactMap { place in
      let conditions = query.conditions.filter { $0.dimension == store.dimensions[place] }
      guard !conditions.isEmpty else { return nil }
      let wanted = conditions.filter { !$0.isNegated }.map(\.value)
      let unwanted = conditions.filter(\.isNegated).map(\.value)
      let all: [String?] = [nil] + store.values[place]
      return (store.codes[place], all.map { (wanted.isEmpty || wanted.contains($0)) && !unwanted.contains($0) })
    }
  }

  /// Tells if a row meets the conditions; `ofAnyUndivided` leaves out those of dimensions that a cost is not divided by.
  func accepts(_ row: Int, ofAnyUndivided: Bool = false) -> Bool {
    guard store.isInstall[row] == query.isInstall else { return false }
    // The revenue of all windows counts whatever window is asked for.
    guard store.isOf(query.window, row) || (seesRevenue && store.hasAllWindows(row)) else { return false }
    for (codes, isAccepted) in accepted {
      // A cost that is not divided by the dimension is of none of its values, nor of the rows without one.
      let isUndivided = store.isParentCost[row] && codes[row] < 0
      guard isUndivided ? ofAnyUndivided : isAccepted[Int(codes[row]) + 1] else { return false }
    }
    guard let text = query.contains else { return true }
    for place in store.dimensions.indices {
      let code = store.codes[place][row]
      if code >= 0, store.values[place][Int(code)].lowercased().contains(text) { return true }
      if let name = store.names[place][code], name.lowercased().contains(text) { return true }
    }
    return false
  }
}
