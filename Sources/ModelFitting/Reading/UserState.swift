internal import ConversionModel

/// Names with a number each, in the order in which they came.
struct Numbered {
  private(set) var names: [String] = []
  private var numbers: [String: Int] = [:]

  /// Returns the number of a name; a new one if the name is new.
  mutating func number(_ name: String) -> Int {
    if let known = numbers[name] { return known }
    numbers[name] = names.count
    names.append(name)
    return names.count - 1
  }

  /// Returns the number of a name; nil if it never came.
  func known(_ name: String) -> Int? { numbers[name] }
}

/// The revenue and the steps of a user, row by row in the order of time.
struct UserState {
  private let kind: RevenueKind
  private let currency: Int
  /// The latest totals of purchases and of ads.
  private var totals: [Int64] = [0, 0]
  /// The latest totals of the windows, for rows without a total since the first launch.
  private var windowTotals: [[Int64]] = [[0, 0, 0], [0, 0, 0]]
  private var firstCall: Int64?
  private var rows: [(time: Int64, event: Int16, total: Int64)] = []
  /// Indicates revenue in another currency.
  private(set) var hasOtherCurrency = false

  init(kind: RevenueKind, currency: Int) { (self.kind, self.currency) = (kind, currency) }

  /// Tells if revenue of purchases (0) or of ads (1) counts.
  static func counts(_ source: UInt8, _ kind: RevenueKind) -> Bool { kind.parts(purchases: 0, ads: 1).contains(source) }

  /// Adds a row, received at a time in milliseconds.
  mutating func add(_ row: FittingEvent, at time: Int64) {
    if let call = row.firstCall { firstCall = min(firstCall ?? call, call) }
    for source in 0...1 where Self.counts(UInt8(source), kind) { add(row.entries.filter { $0.kind == source }, source) }
    rows.append((time / 1000, Int16(clamping: row.event ?? -1), totals[0] + totals[1]))
  }

  private mutating func add(_ entries: [FittingEvent.Entry], _ source: Int) {
    guard !entries.isEmpty else { return }
    let own = entries.filter { $0.currency == currency }
    if entries.contains(where: { $0.currency != currency && $0.millionths != 0 }) { hasOtherCurrency = true }
    for entry in own where entry.window < 3 { windowTotals[source][Int(entry.window)] = entry.millionths }
    if entries.contains(where: { $0.window == 3 }) {
      totals[source] = own.first { $0.window == 3 }?.millionths ?? 0
    } else {
      totals[source] = windowTotals[source].reduce(0, +)
    }
  }

  /// The first call of Apple's API, or the first row where no row tells it, in seconds since 1970.
  var firstLaunch: Int64 { firstCall ?? rows.first?.time ?? 0 }

  /// The steps since the first launch. A row from before it counts as of that moment.
  var steps: [Population.Step] {
    let begin = firstLaunch
    return rows.map { Population.Step(age: Int32(clamping: max($0.time - begin, 0)), event: $0.event, total: $0.total) }
  }
}
