internal import ConversionModel
package import PostbackPipeline
internal import PostbackVerification
package import TableReading
package import Tables

/// The counts of postbacks, and the groups that follow from them.
package struct DailyCells: Sendable {
  /// The outcomes by their numbers.
  private(set) var outcomes: [DailyOutcome] = []
  private(set) var counts: [DailyCell: Int] = [:]
  private var outcomeNumbers = DailyKeyNumbers()
  private(set) var places = DailyKeyNumbers()
  private(set) var strata = DailyKeyNumbers()
  private(set) var senders = DailyKeyNumbers()

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

  /// Removes the postbacks that were received after a day, and returns their counts.
  mutating func removeReceived(after day: Int64) -> [DailyCell: Int] {
    let removed = counts.filter { $0.key.received > day && $0.key.received != DailyCell.unknownDay }
    for cell in removed.keys { counts[cell] = nil }
    return removed
  }

  /// The postbacks whose events are those of all with the same outcome, with the number of the outcome. The events of
  /// settled ones are in `skan_settled_events`.
  private func examples(settled: Bool) -> [PostbackKey: Int] {
    var examples: [PostbackKey: Int] = [:]
    for (number, outcome) in outcomes.enumerated() where (outcome.trust != nil) == settled {
      if let example = outcome.example { examples[example] = number }
    }
    return examples
  }

  /// Reads the events of the outcomes of postbacks that were settled, or of those that were not. Returns the lines that are not
  /// rows.
  package mutating func readEvents(
    _ files: TableFiles?,
    settled: Bool,
    jobs: Int
  ) async throws(PipelineFailure) -> UnreadableRows {
    let examples = examples(settled: settled)
    guard let files, !examples.isEmpty else { return UnreadableRows() }
    let found = try await DailyEventReader(postbacks: Set(examples.keys)).read(files, jobs: jobs)
    for (postback, event) in found.events {
      if let outcome = examples[postback] { add(event, toOutcome: outcome) }
    }
    return found.unreadable
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
      let day = cell.installDay
      if let problem = currency.problem(outcome.revenue, from: original, day: day) {
        problems[problem, default: 0] += count
      }
    }
    return problems
  }

  /// The rank of the dimensions' values of each place, in the order of the daily tables.
  var ranks: [UInt32] { Self.ranks(places.keys.map { DailyPlace($0.values) }) }

  /// The place of each list of values among all lists, in the order of the daily tables.
  static func ranks(_ places: [DailyPlace]) -> [UInt32] {
    let order = places.indices.sorted { DailyGroup.precedes(places[$0].values, places[$1].values) }
    var ranks = [UInt32](repeating: 0, count: places.count)
    var rank: UInt32 = 0
    for (position, index) in order.enumerated() {
      if position > 0, DailyGroup.precedes(places[order[position - 1]].values, places[index].values) { rank += 1 }
      ranks[index] = rank
    }
    return ranks
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
