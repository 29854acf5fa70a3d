internal import Glibc
internal import SKAdNetwork

/// Where and how tables are written.
package struct TableOptions: Sendable {
  /// The folder that gets a folder for each table.
  package var folder: String
  /// The formats.
  package var formats: Set<TableFormat>
  /// Whether CSV texts that a spreadsheet would run are disarmed.
  package var isCSVSafe: Bool
  /// A part is complete when it has so many bytes.
  package var partBytes: Int64 = 256 << 20
  /// A part is complete when it is so old; nil: however old it is.
  package var partAge: Duration?
  /// What was written is committed when it has been waiting for so long.
  package var commitInterval = Duration.seconds(1)

  /// Options.
  package init(folder: String, formats: Set<TableFormat> = [.jsonLines], isCSVSafe: Bool = false) {
    self.folder = folder
    self.formats = formats
    self.isCSVSafe = isCSVSafe
  }

  /// Takes what was not chosen as it is in the tables of a state, if there is one; `settings` are those of its ledger.
  package mutating func complete(from settings: [String: String], choosesFormats: Bool) {
    let formats = (settings["format"] ?? "").split(separator: ",").compactMap { TableFormat(rawValue: String($0)) }
    if !choosesFormats, !formats.isEmpty { self.formats = Set(formats) }
    isCSVSafe = isCSVSafe || settings["csv-safe"] == "yes"
  }

  /// What of the options makes a difference to the tables, for the ledger to keep.
  package var settings: [String: String] {
    [
      "format": formats.map(\.rawValue).sorted().joined(separator: ","),
      "csv-safe": isCSVSafe ? "yes" : "no",
    ]
  }
}

/// The output tables, and the state that goes with them.
///
/// What was written counts when it is committed: appended and made durable first, then noted in the ledger, in one
/// transaction with how far the inputs are; only then do parts get their names, and is anybody told.
package final class Tables {
  /// How rows are written.
  package let format: RowFormat
  let state: State
  private let options: TableOptions
  private let folder: OutputFolder
  private var tables: [TableParts]
  private var pending: LedgerCommit
  /// How far the inputs are whose rows are not committed.
  private var inputs: [UInt32: LedgerInput] = [:]
  private var ends: [Ended] = []
  /// When the oldest of what is not committed was written.
  private var waitingSince: ContinuousClock.Instant?
  private var counts = Table.all.map { _ in 0 }
  /// The digests of the settings of the last commit.
  private var committedSettings: [RunSettings.Name: String]
  /// The settings in use.
  private var settings: RunSettings?

  /// Rows of each table that this run has written, by its name.
  package var rowCounts: [(table: String, rows: Int)] { Array(zip(Table.all.map(\.name), counts)) }

  /// The paths of the complete parts that this run has written, by table and number.
  package func writtenParts() throws(StateFailure) -> [String] {
    let parts = try state.ledger.parts().filter { $0.phase == .complete }
    return tables.flatMap { table in
      parts.filter { $0.table == table.table.name && $0.number >= table.firstNumber }
        .sorted { ($0.number, $0.format.rawValue) < ($1.number, $1.format.rawValue) }
        .map { "\(options.folder)/\($0.table)/\($0.name)" }
    }
  }

  /// An input that has ended.
  package struct Ended: Sendable {
    /// The input.
    package let input: InputFile
    /// How.
    package let end: InputEnd
  }

  /// What was committed.
  package struct Commit: Sendable {
    /// The inputs that ended.
    package let ends: [Ended]
    /// What became of the records.
    package let tally: Tally
    /// How long it took.
    package let duration: Duration
  }

  /// Goes on with the tables of a state. Refuses a folder that belongs to another state.
  package init(_ options: TableOptions, _ state: State, trust: Trust) throws(StateFailure) {
    self.options = options
    self.state = state
    format = RowFormat(options.formats, isCSVSafe: options.isCSVSafe, trust: trust)
    let parts = try state.ledger.parts()
    folder = try OutputFolder(options.folder, of: state.ledger, parts)
    var tables: [TableParts] = []
    for table in Table.all { tables.append(try TableParts(table, options.formats, in: folder, parts)) }
    self.tables = tables
    pending = LedgerCommit(time: 0)
    committedSettings = try Ledger.settingsInForce(in: state.ledger.database)
  }

  /// Takes note of the settings that decide rows from now on, and tells what of them is not as it was for the last rows.
  /// The ledger has them with the next commit. Throws where a model is not the one that it is called.
  package func use(_ settings: RunSettings) throws(StateFailure) -> [RunSettings.Change] {
    try state.ledger.checkModels(settings.models)
    let before = self.settings?.digests ?? committedSettings
    for table in tables.indices {
      let name = tables[table].table.layoutName
      // Rows with other columns go to other files.
      if before[name] != settings.digests[name] { tables[table].roll() }
      if tables[table].isChanged { waitingSince = waitingSince ?? .now }
    }
    self.settings = settings
    let isNew = settings.digests != committedSettings
    pending.settings = isNew ? LedgerSettings(before: committedSettings, after: settings) : nil
    return RunSettings.changes(from: before, to: settings.digests)
  }

  /// Writes and commits all rows.
  ///
  /// Calls `progress` after each batch, and `committed` after each commit: what is to be done with inputs that ended is
  /// to be done then. Calls `idle`, with everything committed, when there is nothing to read for now.
  package func write<Batches: AsyncSequence>(
    _ batches: Batches,
    progress: (Progress) -> Void,
    committed: (Commit) -> Void = { _ in },
    idle: () throws(PipelineFailure) -> Void = {}
  ) async throws(PipelineFailure) -> Tally
  where Batches.Element == EncodedBatch, Batches.Failure == PipelineFailure {
    var tally = Tally()
    var uncommitted = Tally()
    var iterator = batches.makeAsyncIterator()
    while let batch = try await iterator.next(isolation: nil) {
      do throws(StateFailure) {
        if batch.isPause {
          try commit(&uncommitted, committed)
        } else {
          try write(batch)
          uncommitted += batch.tally
          if isDue { try commit(&uncommitted, committed) }
        }
      } catch {
        throw .state(error)
      }
      tally += batch.tally
      if batch.isPause { try idle() }
      for origin in batch.origins { progress(Progress(input: origin.input, consumed: origin.consumed, tally: tally)) }
    }
    do throws(StateFailure) {
      try finish()
      try commit(&uncommitted, committed)
    } catch {
      throw .state(error)
    }
    return tally
  }

  /// How far a run is.
  package struct Progress: Sendable {
    /// The input that is being read.
    package let input: InputFile
    /// Bytes of it, as it is stored, that have been dealt with.
    package let consumed: Int64
    /// What became of the records so far.
    package let tally: Tally
  }

  /// Distinct postbacks so far, in all runs.
  package var seenCount: Int64 { state.log.mark.entries }

  /// Commits so far, in all runs.
  package var ledger: Ledger { state.ledger }

  private var isDue: Bool { waitingSince.map { .now - $0 >= options.commitInterval } ?? false }

  private func write(_ batch: EncodedBatch) throws(StateFailure) {
    for table in tables.indices {
      let rows = batch.rows[table]
      try tables[table].append(rows, batch.checksums[table])
      counts[table] += rows.count
      if rows.count > 0 { pending.increments["rows.\(tables[table].table.name)", default: 0] += Int64(rows.count) }
      if tables[table].byteCount >= options.partBytes { tables[table].roll() }
    }
    try state.log.append(batch.firsts)
    for origin in batch.origins {
      if let end = origin.standing?.end {
        ends.append(Ended(input: origin.input, end: end))
        pending.increments["inputs.\(end.outcome)", default: 0] += 1
      }
      if let reject = origin.fedBack?.reject {
        pending.fedBack.append(reject)
        // Only those that are counted here as rejected count less.
        if reject.feed.output == state.ledger.output.id {
          pending.increments["fed_back.\(reject.code.rawValue)", default: 0] += 1
        }
        waitingSince = waitingSince ?? .now
      }
      guard let input = origin.standing?.input else { continue }
      inputs[input.id] = input
      waitingSince = waitingSince ?? .now
    }
  }

  /// No more rows come: completes what is open, and makes a part of each table that has none.
  private func finish() throws(StateFailure) {
    for table in tables.indices {
      if tables[table].isEmpty { try tables[table].begin() }
      tables[table].roll()
      if tables[table].isChanged { waitingSince = waitingSince ?? .now }
    }
  }

  /// Commits what was written since the last commit, if anything was.
  private func commit(_ tally: inout Tally, _ committed: (Commit) -> Void) throws(StateFailure) {
    if let age = options.partAge {
      for table in tables.indices where tables[table].age >= age {
        tables[table].roll()
        waitingSince = waitingSince ?? .now
      }
    }
    let start = ContinuousClock.now
    func tell() { committed(Commit(ends: ends, tally: tally, duration: .now - start)) }
    if Sabotage.fileEarly.isOn { tell() }
    if waitingSince != nil { try commit(tally) }
    guard !ends.isEmpty || tally.read > 0 else { return }
    if !Sabotage.fileEarly.isOn { tell() }
    (ends, tally) = ([], Tally())
  }

  private func commit(_ tally: Tally) throws(StateFailure) {
    for table in tables { pending.parts += try table.synchronize() }
    if !Sabotage.noLogSync.isOn { try state.log.synchronize() }
    pending.seen = state.log.mark
    pending.inputs = inputs.values.sorted { $0.id < $1.id }
    pending.count(tally)
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    pending.time = Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    if Sabotage.publishEarly.isOn { for table in tables.indices { try tables[table].publish() } }
    try state.ledger.commit(pending)
    for table in tables.indices { try tables[table].publish() }
    state.register.forget(pending.inputs)
    committedSettings = pending.settings?.after.digests ?? committedSettings
    (pending, inputs, waitingSince) = (LedgerCommit(time: 0), [:], nil)
  }
}

extension LedgerCommit {
  /// Adds what became of records to the counts.
  fileprivate mutating func count(_ tally: Tally) {
    for (name, value) in [("read", tally.read), ("accepted", tally.accepted), ("rejected", tally.rejected)]
    where value > 0 {
      increments[name, default: 0] += Int64(value)
    }
    for (code, value) in tally.rejectedByCode { increments["reject.\(code.rawValue)", default: 0] += Int64(value) }
  }
}
