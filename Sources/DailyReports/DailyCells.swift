internal import ConversionModel
package import NullValueModelling
package import PostbackVerification
internal import TableReading
internal import Tables

/// The counts of postbacks, and the groups that follow from them.
package struct DailyCells: Sendable {
  /// The outcomes by their numbers.
  private(set) var outcomes: [DailyOutcome] = []
  private(set) var counts: [DailyCell: Int] = [:]
  private var outcomeNumbers = DailyKeyNumbers()
  private var places = DailyKeyNumbers()
  private(set) var strata = DailyKeyNumbers()
  private var senders = DailyKeyNumbers()

  /// Nothing was counted.
  package init() {}

  /// Counts a postback with the keys of its place, outcome, stratum and sender on two days. `outcome` is called if no postback
  /// before had its outcome.
  mutating func add(
    _ key: DailyPostbackKey,
    received: Int32,
    install: Int32,
    _ outcome: () -> DailyOutcome
  ) {
    let (number, isNew) = outcomeNumbers.number(of: key.outcome)
    if isNew { outcomes.append(outcome()) }
    let cell = DailyCell(
      place: places.number(of: key.place).number,
      outcome: number,
      stratum: strata.number(of: key.stratum).number,
      sender: senders.number(of: key.sender).number,
      received: received,
      install: install
    )
    counts[cell, default: 0] += 1
  }

  /// Adds the counts of postbacks that come behind these.
  package mutating func add(_ other: DailyCells) {
    let places = other.places.keys.map { self.places.number(of: $0).number }
    let senders = other.senders.keys.map { self.senders.number(of: $0).number }
    let outcomes = other.outcomeNumbers.keys.indices.map { index in
      let (number, isNew) = outcomeNumbers.number(of: other.outcomeNumbers.keys[index])
      if isNew { self.outcomes.append(other.outcomes[index]) }
      return number
    }
    let strata = other.strata.keys.map { self.strata.number(of: $0).number }
    for (cell, count) in other.counts {
      var global = cell
      global.stratum = strata[Int(cell.stratum)]
      global.place = places[Int(cell.place)]
      global.outcome = outcomes[Int(cell.outcome)]
      global.sender = senders[Int(cell.sender)]
      counts[global, default: 0] += count
    }
  }

  /// The postbacks whose events are those of all with the same outcome, with the number of the outcome. The events of
  /// settled ones are in `skan_settled_events`.
  package func examples(settled: Bool) -> [PostbackKey: Int] {
    var examples: [PostbackKey: Int] = [:]
    for (number, outcome) in outcomes.enumerated() where (outcome.trust != nil) == settled {
      if let example = outcome.example { examples[example] = number }
    }
    return examples
  }

  /// Adds an event to the outcome with a number, which has each event once, and its revenue to that of its origin.
  package mutating func add(_ event: DailyEvent, toOutcome number: Int) {
    // The state of a run may have forgotten a postback and accepted it again: then its events are in the table twice.
    guard !outcomes[number].events.contains(where: { $0.name == event.name }) else { return }
    outcomes[number].events.append(event)
    if event.currency == outcomes[number].currency {
      outcomes[number].revenue.byKind.merge(event.revenue.byKind, uniquingKeysWith: +)
    }
  }

  func encode(_ writer: inout ResultWriter) {
    for numbers in [places, strata, senders, outcomeNumbers] {
      writer.append(numbers.keys) { $0.append($1.bytes[...]) }
    }
    writer.append(outcomes) { writer, outcome in outcome.encode(&writer) }
    writer.append(counts) { writer, entry in
      let cell = entry.key
      for number in [cell.place, cell.outcome, cell.stratum, cell.sender] { writer.append(number) }
      writer.append(cell.received)
      writer.append(cell.install)
      writer.append(UInt64(entry.value))
    }
  }

  /// Reads what `encode` has written.
  init(_ reader: inout ResultReader) {
    func numbers(_ reader: inout ResultReader) -> DailyKeyNumbers {
      DailyKeyNumbers(reader.array { DailyKeyBytes($0.slice()) })
    }
    (places, strata) = (numbers(&reader), numbers(&reader))
    (senders, outcomeNumbers) = (numbers(&reader), numbers(&reader))
    outcomes = reader.array { DailyOutcome(&$0) }
    let cells = reader.array { reader in
      let (place, outcome): (UInt32, UInt32) = (reader.integer(), reader.integer())
      let (stratum, sender): (UInt32, UInt32) = (reader.integer(), reader.integer())
      let (received, install): (Int32, Int32) = (reader.integer(), reader.integer())
      let cell = DailyCell(
        place: place,
        outcome: outcome,
        stratum: stratum,
        sender: sender,
        received: received,
        install: install
      )
      return (cell, reader.count())
    }
    counts = Dictionary(uniqueKeysWithValues: cells)
  }

  /// The problems of all revenue that cannot be converted to a currency, by their descriptions: the numbers of postbacks.
  package func problems(convertingTo currency: ReportCurrency) -> [String: Int] {
    var problems: [String: Int] = [:]
    for (cell, count) in counts {
      let outcome = outcomes[Int(cell.outcome)]
      guard outcome.hasWon, let original = outcome.currency else { continue }
      let day = Entry(cell, count, .install, outcome.window, 0).installDay
      if let problem = currency.problem(outcome.revenue, from: original, day: day) {
        problems[problem, default: 0] += count
      }
    }
    return problems
  }

  /// The rank of the dimensions' values of each place, in the order of the daily tables.
  var ranks: [UInt32] { Self.ranks(places.keys.map { DailyPlace($0.values) }) }

  /// Calls `body` for each group of a date type with postbacks, in the order of the daily tables. Revenue is in `currency`,
  /// if there is one.
  func forEachGroup<Failure: Error>(
    of type: DateType,
    in currency: ReportCurrency?,
    _ suspicions: ValueSuspicions,
    _ modelling: DailyModelling,
    _ body: (DailyRow) throws(Failure) -> Void
  ) throws(Failure) {
    var conversion = DailyConversion(to: currency)
    let choices = type == .install ? AllWindowsRevenue.Choices(self) : nil
    let places = places.keys.map { DailyPlace($0.values) }
    let ranks = Self.ranks(places)
    let suspicions = senders.keys.map { suspicions.about($0.values) }
    var entries = counts.map { cell, count in
      Entry(cell, count, type, outcomes[Int(cell.outcome)].window, ranks[Int(cell.place)])
    }
    entries.sort { ($0.day, $0.rank) < ($1.day, $1.rank) }
    var start = 0
    while start < entries.count {
      let first = entries[start]
      let place = places[Int(first.place)]
      let group = DailyGroup(type, day: first.dayOrNil, window: first.window, values: place.values)
      var row = DailyRow(group: group, names: place.names)
      var end = start
      while end < entries.count, entries[end].day == first.day, entries[end].rank == first.rank {
        let outcome = conversion.outcome(entries[end], of: outcomes)
        if let choices {
          let choice = choices[outcomes[Int(entries[end].outcome)], entries[end].installDay]
          row.allWindows = row.allWindows ?? AllWindowsRevenue()
          row.allWindows?.add(outcome, entries[end].count, choice)
        }
        row.add(entries[end], outcome, places[Int(entries[end].place)].names)
        if outcome.hasWon { row.metrics.suspicions.formUnion(suspicions[Int(entries[end].sender)]) }
        modelling.add(entries[end], to: &row.nulls)
        end += 1
      }
      try body(row)
      start = end
    }
  }

  /// The place of each list of values among all lists, in the order of the daily tables.
  private static func ranks(_ places: [DailyPlace]) -> [UInt32] {
    let order = places.indices.sorted { DailyGroup.precedes(places[$0].values, places[$1].values) }
    var ranks = [UInt32](repeating: 0, count: places.count)
    var rank: UInt32 = 0
    for (position, index) in order.enumerated() {
      if position > 0, places[order[position - 1]].values != places[index].values { rank += 1 }
      ranks[index] = rank
    }
    return ranks
  }

  /// A cell as a part of a group.
  package struct Entry {
    let day: Int32
    /// The window and the rank of the place, which order the groups of a day.
    let rank: UInt64
    let place: UInt32
    let outcome: UInt32
    let stratum: UInt32
    let sender: UInt32
    let count: Int
    private let install: Int32

    init(_ cell: DailyCell, _ count: Int, _ type: DateType, _ window: Int, _ rank: UInt32) {
      day = type == .received ? cell.received : cell.install
      self.rank = UInt64(window) << 32 | UInt64(rank)
      (place, outcome, install, self.count) = (cell.place, cell.outcome, cell.install, count)
      (stratum, sender) = (cell.stratum, cell.sender)
    }

    var window: Int { Int(rank >> 32) }
    var dayOrNil: Int64? { day == DailyCell.unknownDay ? nil : Int64(day) }
    /// The day of the install, by whose rates revenue is converted; nil if it is not known.
    var installDay: Int64? { install == DailyCell.unknownDay ? nil : Int64(install) }
  }
}

/// The values of the dimensions of postbacks, and their names.
struct DailyPlace: Sendable {
  let values: [String?]
  let names: [String?]

  /// Divides the values of a key.
  init(_ values: [String?]) {
    self.values = Array(values.prefix(DailyDimension.allCases.count))
    names = Array(values.dropFirst(DailyDimension.allCases.count))
  }
}

/// A row of `skan_daily`, with the events of its postbacks.
package struct DailyRow: Sendable {
  /// The key.
  package var group: DailyGroup
  /// The names, by their dimensions; nil where the postbacks do not agree.
  package var names: [String?]
  /// The sums.
  package var metrics = DailyMetrics()
  /// The sums of each event, by name.
  package var events: [String: DailyEventSums] = [:]
  /// The null postbacks, by the strata in which they are modelled.
  package var nulls = GroupNulls()
  /// The cost; nil if there is none.
  package var cost: DailyCost?
  /// The part of the row in the revenue of all windows of an install day; in the table, all of it in the first row of them.
  package var allWindows: AllWindowsRevenue?
  /// The hours after the install in which the postbacks are sent; nil if there are none.
  var arrival: ArrivalHours?

  /// A row without postbacks.
  init(group: DailyGroup, names: [String?]) { (self.group, self.names) = (group, names) }
}

extension DailyRow {
  fileprivate mutating func add(_ entry: DailyCells.Entry, _ outcome: DailyOutcome, _ names: [String?]) {
    for index in names.indices where self.names[index] != names[index] { self.names[index] = nil }
    metrics.add(outcome, entry.count)
    if let hours = outcome.arrival { arrival = arrival.map { .later($0, hours) } ?? hours }
    for event in outcome.events {
      events[event.name, default: DailyEventSums()].add(event, entry.count, isUnconverted: outcome.isUnconverted)
    }
  }
}
