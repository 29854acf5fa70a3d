internal import Base
internal import PostbackPipeline
internal import TableReading

/// Counts of a report by day of receipt, forwarder, network and app, for its filters.
///
/// The size is bounded: of each dimension the values with the most records are kept, and all others are one value.
package struct ReportCube: Sendable {
  /// A value of a dimension.
  package enum Value: Hashable, Sendable {
    case named(String)
    /// The records that do not name one.
    case none
    /// All values that are not kept.
    case others
  }

  /// The dimensions with their values, those with the most records first.
  package struct Dimensions: Sendable {
    package internal(set) var forwarders: [Value] = []
    package internal(set) var networks: [Value] = []
    package internal(set) var apps: [Value] = []
  }

  /// The place of a cell: the indexes of its values.
  package struct Place: Hashable, Sendable {
    /// The day of receipt, as the number of days since 1970-01-01; nil if it is not known, or before `firstDay`.
    package let day: Int?
    package let forwarder, network, app: Int

    fileprivate var order: [Int] { [day ?? -1, forwarder, network, app] }
  }

  /// The outcome of records: a reject code, or the state of accepted postbacks.
  package struct Outcome: Hashable, Sendable {
    /// The reject code; nil for accepted postbacks.
    package let code: String?
    /// The decode status of accepted postbacks.
    package let status: String?
    /// The conversion window of won postbacks; nil for others.
    package let window: Int?
    /// The kind of the conversion value of won postbacks.
    package let value: ValueKind?

    fileprivate var order: [String] { [code ?? "", status ?? "", "\(window ?? -1)", value?.rawValue ?? ""] }
  }

  /// The kinds of conversion values.
  package enum ValueKind: String, Sendable {
    case fine, coarse, null
  }

  /// Installs with the same possible days.
  package struct InstallDays: Hashable, Sendable {
    /// The days, as numbers of days since 1970-01-01.
    package let estimated, earliest, latest: Int
  }

  /// The revenue of one class in one window.
  package struct Revenue: Sendable {
    /// The index of the class: postbacks whose windows belong together.
    package let classIndex: Int
    package let window: Int
    package fileprivate(set) var sum = RevenueWindow()
  }

  /// A class of revenue: the app's index and the currency.
  package struct RevenueClass: Sendable {
    package let app: Int
    package let currency: String
  }

  package private(set) var dimensions = Dimensions()
  /// The first and the last day of receipt; nil if no record has one.
  package private(set) var days: ClosedRange<Int>?
  /// The distinct outcomes.
  package private(set) var outcomes: [Outcome] = []
  /// The counts by place and the index of the outcome.
  package private(set) var counts: [(place: Place, outcome: Int, count: Int)] = []
  /// The won installs; nil if there are too many cells.
  package private(set) var installs: [(place: Place, days: InstallDays, count: Int)]?
  /// The distinct classes of revenue.
  package private(set) var classes: [RevenueClass] = []
  /// The revenue; nil if there are too many cells.
  package private(set) var revenue: [(place: Place, revenue: Revenue)]?
  /// The records that are in no cell, because there are more groups than can be kept.
  package private(set) var leftOut = 0

  private static let mostDays = 400
  private static let mostCells = 20_000
  /// The most values of a dimension that are kept.
  private static let mostValues = 12
  private static let longestName = 200

  /// Creates the cube from counts. Only times of `origin` count.
  init(_ count: CubeCount, origin: TimeOrigin) {
    leftOut = count.outcomes.rest.count + count.installs.rest.count
    var known: [String: Int?] = [:]
    func day(_ values: [String?]) -> Int? {
      guard TimeOrigin(values[0]) == origin, let text = values[1] else { return nil }
      if let day = known[text] { return day }
      let day = Timestamp("\(text)T00:00:00Z").map { Int($0.milliseconds / 86_400_000) }
      known[text] = day
      return day
    }
    let tallies = count.outcomes.tallies.map { (values: $0.key.values, count: $0.value.count) }
    for tally in tallies {
      if let day = day(tally.values) { days = min(days?.lowerBound ?? day, day)...max(days?.upperBound ?? day, day) }
    }
    days = days.map { max($0.lowerBound, $0.upperBound - Self.mostDays + 1)...$0.upperBound }
    let span = days
    let ranked = (2...4).map { column in Self.ranked(tallies, column) }
    var places = ranked.map { Places($0, most: Self.mostValues) }
    func place(_ values: [String?]) -> Place {
      let found = day(values).flatMap { span?.contains($0) == true ? $0 : nil }
      return Place(
        day: found,
        forwarder: places[0].index(of: values[2]),
        network: places[1].index(of: values[3]),
        app: places[2].index(of: values[4])
      )
    }
    fillCounts(tallies, place)
    var most = Self.mostValues / 2
    while counts.count > Self.mostCells, most > 0 {
      places = ranked.map { Places($0, most: most) }
      fillCounts(tallies, place)
      most /= 2
    }
    fillInstalls(count, origin, place)
    fillRevenue(count, place, app: { places[2].index(of: $0) })
    dimensions = Dimensions(forwarders: places[0].values, networks: places[1].values, apps: places[2].values)
    if installs?.count ?? 0 > Self.mostCells { installs = nil }
    if revenue?.count ?? 0 > Self.mostCells { (revenue, classes) = (nil, []) }
  }

  private typealias Tallies = [(values: [String?], count: Int)]

  /// The values of a dimension, those with the most records first.
  private static func ranked(_ tallies: Tallies, _ column: Int) -> [String?] {
    var sums: [String?: Int] = [:]
    for (values, count) in tallies { sums[values[column], default: 0] += count }
    return sums.sorted { ($1.value, $0.key ?? "") < ($0.value, $1.key ?? "") }.map(\.key)
  }

  /// The indexes of the values of a dimension that are kept.
  private struct Places {
    private(set) var values: [Value] = []
    private var indexes: [String?: Int] = [:]
    private var others = 0

    init(_ ranked: [String?], most: Int) {
      for value in ranked where values.count < most && value?.utf8.count ?? 0 <= longestName {
        indexes[value] = values.count
        values.append(value.map { .named($0) } ?? .none)
      }
      others = values.count
      if values.count < ranked.count { values.append(.others) }
    }

    func index(of value: String?) -> Int { indexes[value] ?? others }
  }

  /// A place with what is counted there.
  private struct Key<Value: Hashable>: Hashable {
    let place: Place
    let value: Value
  }

  private mutating func fillCounts(_ tallies: Tallies, _ place: ([String?]) -> Place) {
    var sums: [Key<Outcome>: Int] = [:]
    for (values, count) in tallies {
      let outcome = Outcome(
        code: values[5],
        status: values[6],
        window: values[7].flatMap { Int($0) },
        value: values[8].flatMap(ValueKind.init)
      )
      sums[Key(place: place(values), value: outcome), default: 0] += count
    }
    outcomes = Set(sums.keys.map(\.value)).sorted { $0.order.lexicographicallyPrecedes($1.order) }
    let indexes = Dictionary(uniqueKeysWithValues: outcomes.enumerated().map { ($1, $0) })
    counts = sums.map { key, count in
      let index = indexes[key.value] ?? 0
      return (order: key.place.order + [index], cell: (key.place, index, count))
    }
    .inOrder()
  }

  private mutating func fillInstalls(_ count: CubeCount, _ origin: TimeOrigin, _ place: ([String?]) -> Place) {
    var sums: [Key<InstallDays>: Int] = [:]
    for (key, tally) in count.installs.tallies {
      let values = key.values
      guard TimeOrigin(values[0]) == origin else { continue }
      let days = values[5...7].map { $0.flatMap { Int($0) } ?? 0 }
      let installs = InstallDays(estimated: days[0], earliest: days[1], latest: days[2])
      sums[Key(place: place(values), value: installs), default: 0] += tally.count
    }
    installs = sums.map { key, count in
      let days = key.value
      return (order: key.place.order + [days.estimated, days.earliest, days.latest], cell: (key.place, days, count))
    }
    .inOrder()
  }

  private mutating func fillRevenue(_ count: CubeCount, _ place: ([String?]) -> Place, app: (String?) -> Int) {
    classes = []
    var indexes: [[String?]: Int] = [:]
    var sums: [Key<[Int]>: Revenue] = [:]
    for (key, windows) in count.revenue.entries.sorted(by: { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }) {
      let values = key.values
      let identity = Array(values[3...])
      let index = indexes[identity] ?? classes.count
      if index == classes.count {
        indexes[identity] = index
        classes.append(RevenueClass(app: app(values[4]), currency: values[5] ?? ""))
      }
      for (window, sum) in windows.enumerated() where sum.postbacks > 0 {
        let key = Key(place: place(values), value: [index, window])
        sums[key, default: Revenue(classIndex: index, window: window)].sum += sum
      }
    }
    revenue = sums.map { key, revenue in
      (order: key.place.order + key.value, cell: (key.place, revenue))
    }
    .inOrder()
  }
}

extension Array {
  /// The cells in the order of the numbers beside them.
  fileprivate func inOrder<Cell>() -> [Cell] where Element == (order: [Int], cell: Cell) {
    sorted { $0.order.lexicographicallyPrecedes($1.order) }.map(\.cell)
  }
}
