internal import DurableFiles
internal import AppIntegrationCheck
internal import ConversionModel
package import PostbackPipeline
internal import Signatures
internal import TableReading

/// Reads sessions and events as a population of users, in memory for the steps of the users alone: rows are sorted by user and
/// time, on disk if they are many.
package struct EventReader {
  private let choice: EventChoice
  private let sorter: RecordSorter
  private var population: Population
  private var bundles = Numbered()
  private var currencies = Numbered()
  /// The rows of each bundle id.
  private var bundleRows: [Int: Int] = [:]
  /// The currencies with revenue.
  private var earning: Set<Int> = []
  private var firstReceived = Int64.max

  package init(_ choice: EventChoice, temporaryFolder: String) {
    self.choice = choice
    sorter = RecordSorter(in: temporaryFolder)
    population = Population(counting: choice.events)
  }

  /// Reads all rows of the inputs. Throws a `PipelineFailure`, or a `FittingFailure` if there are no users to fit to.
  package static func population(
    of inputs: [InputFile],
    _ choice: EventChoice,
    temporaryFolder: String
  ) async throws -> Population {
    var reader = EventReader(choice, temporaryFolder: temporaryFolder)
    var rows = SessionReader()
    var batches = PostbackReader(inputs: inputs).makeAsyncIterator()
    while let batch = try await batches.next() {
      try rows.read(batch) { result, path, line in
        reader.population.rows += 1
        do {
          try reader.add(try result.get())
        } catch let defect as SessionDefect {
          reader.population.leftOut.badRows += 1
          if reader.population.leftOut.firstBadRow == nil {
            reader.population.leftOut.firstBadRow = "line \(line) of \(path): \(defect.reason)"
          }
        }
      }
    }
    try reader.finish()
    return reader.population
  }

  private mutating func add(_ record: SessionRecord) throws {
    let (key, time) = (try record.sortKey(), try record.receivedAt())
    var row = FittingEvent()
    try row.read(record, &currencies)
    row.event = record.texts[.event].flatMap { name in choice.events.firstIndex(of: name) }
    row.bundle = record.texts[.bundleID].map { bundles.number($0) }
    if let bundle = row.bundle { bundleRows[bundle, default: 0] += 1 }
    for entry in row.entries where entry.millionths != 0 && UserState.counts(entry.kind, choice.revenueKind) {
      earning.insert(Int(entry.currency))
    }
    firstReceived = min(firstReceived, time)
    population.lastReceived = max(population.lastReceived, time)
    try PipelineFailure.state { () throws(FileFailure) in try sorter.add(key, row.bytes) }
  }

  // MARK: - Users

  private mutating func finish() throws {
    let bundle = try chosenBundle()
    let currency = try chosenCurrency()
    let records = try PipelineFailure.state { () throws(FileFailure) in try sorter.sorted() }
    var user: (device: UInt128, state: UserState)?
    while try PipelineFailure.state({ () throws(FileFailure) in try records.next() }) {
      let device = records.key >> SessionRecord.timeBits
      let time = Int64(records.key & (1 << SessionRecord.timeBits - 1))
      let row = FittingEvent(records.payload)
      if let bundle, row.bundle != bundle, row.bundle != nil || bundles.names.count > 1 {
        population.leftOut.otherAppRows += 1
        continue
      }
      if user?.device != device {
        if let user { try close(user.device, user.state) }
        user = (device, UserState(kind: choice.revenueKind, currency: currency))
      }
      user?.state.add(row, at: time)
    }
    if let user { try close(user.device, user.state) }
    try complete()
  }

  private mutating func close(_ device: UInt128, _ state: UserState) throws {
    guard !state.hasOtherCurrency else {
      population.leftOut.otherCurrencyUsers += 1
      return
    }
    let begin = state.firstLaunch
    guard begin >= firstReceived / 1000 - 86_400 else {
      population.leftOut.earlierUsers += 1
      return
    }
    let age = population.lastReceived / 1000 - begin
    let finished = ModelWindow.spans.count { age >= $0.upperBound }
    guard finished > 0 else {
      population.leftOut.unfinishedUsers += 1
      return
    }
    population.add(state.steps, bits: try Self.bits(of: device, choice.seed), finishedWindows: finished)
  }

  /// Returns the first 64 bits of the SHA-256 of the seed and the hidden id of a device, such as `1:00ff…`.
  private static func bits(of device: UInt128, _ seed: UInt64) throws -> UInt64 {
    var hash = try SHA256()
    return try hash.digest(of: Array("\(seed):\(SessionRecord.hiddenID(device))".utf8).span).words.0
  }

  private mutating func complete() throws(FittingFailure) {
    let left = population.leftOut
    guard population.users > 0 else {
      guard population.rows > left.badRows else {
        let first = left.firstBadRow.map { " The first is \($0)" } ?? ""
        throw FittingFailure(
          left.badRows == 0
            ? "There are no events. Give files with sessions and events, or an output with s2s_events."
            : "No row of the events can be read.\(first)"
        )
      }
      throw FittingFailure(
        "There is no user to fit a model to. Users are left out because they installed the app less than 48 hours before the "
          + "last row (\(left.unfinishedUsers)) or more than a day before the first row (\(left.earlierUsers)), or have "
          + "revenue in another currency (\(left.otherCurrencyUsers)). Give events of a longer time."
      )
    }
    guard population.payersOfAnyWindow > 0 else {
      throw FittingFailure(
        "No user has revenue above 0 in a window that had ended at the last row, so there is nothing to fit. Windows with more "
          + "refunds than revenue: \(left.refundedWindows). Give events of a longer time."
      )
    }
    guard let installs = choice.installs else { return }
    guard installs >= population.users else {
      throw FittingFailure(
        "The value of --installs is \(installs), but the events are of \(population.users) users whose first window has ended. "
          + "Give all installs of that time."
      )
    }
    population.add(idleInstalls: installs - population.users)
  }

  private mutating func chosenBundle() throws(FittingFailure) -> Int? {
    population.bundleID = choice.bundleID ?? bundles.names.first
    guard let id = choice.bundleID else {
      guard bundles.names.count > 1 else { return bundles.names.isEmpty ? nil : 0 }
      let names = bundleRows.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(8).map { bundles.names[$0.key] }
      throw FittingFailure(
        "The events are of \(bundles.names.count) apps: \(names.joined(separator: ", ")). Choose one with --bundle-id."
      )
    }
    guard !bundles.names.isEmpty else { return nil }
    guard let number = bundles.known(id) else {
      throw FittingFailure(
        "No event is of the app \(id). The apps of the events are \(bundles.names.prefix(8).joined(separator: ", "))."
      )
    }
    return number
  }

  private mutating func chosenCurrency() throws(FittingFailure) -> Int {
    let names = earning.sorted().map { currencies.names[$0] }
    guard let first = names.first else {
      guard population.rows > population.leftOut.badRows else { return 0 }
      throw FittingFailure(
        "No row has revenue, so there is nothing to fit. Rows need skan_total_revenue_by_currency or the totals of windows; "
          + "--revenue-kind says which revenue counts."
      )
    }
    if let code = choice.currency {
      guard names.contains(code) else {
        throw FittingFailure(
          "No row has revenue in \(code). The revenue is in \(names.sorted().joined(separator: ", "))."
        )
      }
      population.currency = code
      return currencies.number(code)
    }
    guard names.count == 1 else {
      throw FittingFailure(
        "The revenue is in \(names.sorted().joined(separator: ", ")). Choose one with --currency; users with revenue in "
          + "another one are left out."
      )
    }
    population.currency = first
    return currencies.number(first)
  }
}
