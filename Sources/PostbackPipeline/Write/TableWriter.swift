internal import Base
package import DurableFiles
package import Ledger
package import Tables

/// The output tables and the state that belongs to them.
///
/// Rows count only after their commit. They are first appended and made durable, then recorded in the ledger, in one
/// transaction with the checkpoints of the inputs. Only after that are parts published and callbacks called.
package final class TableWriter {
  /// The encoding of the rows.
  let encoding: TableEncoding
  /// The rule by which the parts of each table are spread over folders; nil if all are in one.
  var partitioning: Partitioning? { options.partitioning }
  /// Indicates that the tables have the network addresses of senders.
  var keepsAddresses: Bool { options.keepsAddresses }
  /// The ledger, which records the commits of all runs.
  package let ledger: Ledger
  private let log: SeenLog
  private let catalog: InputCatalog
  private let options: TableOptions
  private let folder: OutputFolder
  private var tables: [TableParts]
  private var writes = PendingWrites()
  private var pending: LedgerCommit
  /// The checkpoints of the inputs with rows that are not committed, by input id.
  private var inputs: [UInt32: LedgerInput] = [:]
  private var ends: [Ended] = []
  private var schedule: CommitSchedule
  private var counts = Table.all.map { _ in 0 }
  private var forgetting: Forgetting
  /// The digests of the settings at the last commit.
  private var committedSettings: [RunSettings.Name: String]
  /// The settings in use.
  private var settings: RunSettings?

  /// The number of rows that this run has written to each table, by the table's name.
  package var rowCounts: [(table: String, rows: Int)] { Array(zip(Table.all.map(\.name), counts)) }

  /// Returns the paths of the complete parts that this run has written, by table and number.
  package func writtenParts() throws(FileFailure) -> [String] {
    let parts = try ledger.parts().filter { $0.phase == .complete }
    return tables.flatMap { table in
      parts.filter { $0.table == table.table.name && $0.number >= table.firstNumber }
        .sorted { ($0.number, $0.format.rawValue) < ($1.number, $1.format.rawValue) }
        .map { "\(options.folder)/\($0.folder)/\($0.name)" }
    }
  }

  /// Continues the tables of a state. Throws if the folder belongs to another state.
  package init(_ options: TableOptions, _ state: borrowing PipelineState) throws(FileFailure) {
    self.options = options
    ledger = state.ledger
    log = state.log
    catalog = state.catalog
    forgetting = Forgetting(age: options.forgetAge)
    encoding = TableEncoding(options.formats, isCSVSafe: options.isCSVSafe, keepsRawBodies: options.keepsRawBodies)
    folder = try OutputFolder(options.folder, of: ledger, try ledger.parts() + ledger.pendingRemovals())
    try TableRetention.finish(in: options.folder, ledger)
    let parts = try ledger.parts()
    var tables: [TableParts] = []
    for table in Table.all {
      let last = try ledger.lastPartNumber(of: table.name)
      tables.append(try TableParts(table, options.formats, in: folder, parts, lastNumber: last))
    }
    self.tables = tables
    pending = LedgerCommit(time: 0)
    schedule = CommitSchedule(interval: options.commitInterval, trickleInterval: options.trickleInterval)
    committedSettings = try Ledger.settingsInForce(in: ledger.database)
  }

  /// Sets the settings that determine the rows from now on, and returns the changes since the last rows. The next
  /// commit records them in the ledger. Throws if a model differs from the one that the ledger knows by the same app,
  /// id and version.
  package func use(_ settings: RunSettings) throws(FileFailure) -> [RunSettings.Change] {
    try ledger.checkModels(settings.models)
    let before = self.settings?.digests ?? committedSettings
    for table in tables.indices {
      let name = tables[table].table.layoutName
      // Rows with other columns go to other files.
      if before[name] != settings.digests[name] { tables[table].roll() }
      if tables[table].isChanged { schedule.change() }
    }
    self.settings = settings
    let isNew = settings.digests != committedSettings
    pending.settings = isNew ? LedgerSettings(before: committedSettings, after: settings) : nil
    // A change that is announced is kept, also if no row follows.
    if isNew, !committedSettings.isEmpty { schedule.change() }
    return RunSettings.changes(from: before, to: settings.digests)
  }

  /// Writes and commits all rows. Returns the counts of all records.
  ///
  /// Calls `progress` after each batch, and `committed` after each commit: finished inputs may be put away only then.
  /// Calls `idle` if there is no input for now, with the time at which a commit is due; nil if everything is committed.
  package func write<Batches: AsyncSequence>(
    _ batches: Batches,
    progress: (Progress) -> Void,
    committed: (Commit) -> Void = { _ in },
    idle: (_ commitDue: ContinuousClock.Instant?) throws(PipelineFailure) -> Void = { _ in }
  ) async throws(PipelineFailure) -> Tally
  where Batches.Element == Step<EncodedBatch>, Batches.Failure == PipelineFailure {
    var tally = Tally()
    var uncommitted = Tally()
    var iterator = batches.makeAsyncIterator()
    do throws(PipelineFailure) {
      while let step = try await iterator.next(isolation: nil) {
        switch step {
        case .batch(let batch):
          do throws(FileFailure) {
            try await write(batch)
            uncommitted += batch.tally
            if schedule.isDue {
              try await writes.finish()
              try await commit(&uncommitted, committed)
            }
          } catch { throw .state(error) }
          tally += batch.tally
          for origin in batch.origins {
            progress(Progress(input: origin.input, consumed: origin.consumed, tally: tally))
          }
        case .idle:
          completeOldParts()
          do throws(FileFailure) {
            try await writes.finish()
            if let due = schedule.trickleDue, due <= .now { try await commit(&uncommitted, committed) }
          } catch { throw .state(error) }
          try idle(schedule.trickleDue)
        }
      }
    } catch {
      // Nothing is written to the files any more when the caller has the failure.
      guard case .read = error else {
        try? await writes.finish()
        throw error
      }
      // Otherwise an input that cannot be read now would keep those before it from their commit, each time anew.
      do throws(FileFailure) {
        try await writes.finish()
        try await commit(&uncommitted, committed)
      } catch { throw .state(error) }
      throw error
    }
    do throws(FileFailure) {
      try await writes.finish()
      try finish()
      try await commit(&uncommitted, committed)
      try catalog.dropRows()
      try log.waitForSegments()
    } catch { throw .state(error) }
    return tally
  }

  /// Drops the rows of complete inputs in a folder from the ledger, now and from time to time, except the newest ones.
  /// Their content stays known.
  package func dropInputs(in folder: String) throws(FileFailure) {
    try catalog.dropRows(in: folder)
  }

  /// Removes the complete parts of some tables that have only rows from before a time, in milliseconds since 1970. Call it
  /// if everything is committed. With `waits` parts stay that a follower has not read.
  package func remove(
    before time: Int64,
    from tables: [String],
    waits: Bool,
    decided: @escaping DecidingTimes
  ) throws(FileFailure) -> TableRetention {
    precondition(isCommitted, "everything is committed")
    return try TableRetention(
      before: time,
      from: tables,
      in: folder,
      ledger,
      waitingFor: waits ? try Follower.all(of: ledger.folder.path) : [],
      now: Timestamp.now.milliseconds,
      decided: decided
    )
  }

  /// The reason why old ids are not forgotten; nil if they are.
  package var forgettingRefusal: RemovalRefusal? { forgetting.refusal }

  /// Indicates that nothing has changed since the last commit.
  package var isCommitted: Bool { !schedule.isWaiting }

  /// The number of distinct postbacks so far, in all runs.
  package var seenCount: Int64 { log.mark.entries - ledger.forgotten.entries }

  private func write(_ batch: EncodedBatch) async throws(FileFailure) {
    // Under a wrong clock rows must not become old too early, and ids not too late.
    let stamp = ledger.clock.stamp(at: Timestamp.now.milliseconds)
    for (table, portions) in batch.portions.all.enumerated() {
      for portion in portions {
        let portion = stamp.map { portion.received(notBefore: $0) } ?? portion
        if tables[table].mayCloseFiles { try await writes.finish() }
        try await writes.begin(try tables[table].append(portion, limit: options.partBytes))
        counts[table] += portion.rows.count
        pending.increments[.rows(ofTable: tables[table].table.name), default: 0] += Int64(portion.rows.count)
      }
    }
    try log.append(stamp.map { batch.firsts(seenAt: $0) } ?? batch.firsts)
    for origin in batch.origins {
      if let end = origin.checkpoint?.end {
        ends.append(Ended(input: origin.input, end: end, records: origin.checkpoint?.input?.records))
        pending.increments[.inputs(end.outcome), default: 0] += 1
      }
      if let reject = origin.reprocessed?.reject {
        pending.reprocessed.append(reject)
        // The counts of this ledger change only for rejects that it counted as rejected itself.
        if reject.run.output == ledger.output.id {
          pending.increments[.reprocessed(reject.code), default: 0] += 1
        }
        schedule.change()
      }
      guard let input = origin.checkpoint?.input else { continue }
      inputs[input.id] = input
      schedule.change()
    }
  }

  /// Completes the open parts, and makes an empty part of each table that has none.
  private func finish() throws(FileFailure) {
    for table in tables.indices {
      if tables[table].isEmpty { try tables[table].begin(options.partitioning?.name(of: nil) ?? "") }
      tables[table].roll()
      if tables[table].isChanged { schedule.change() }
    }
  }

  /// Commits the changes since the last commit, if there are any.
  private func commit(_ tally: inout Tally, _ committed: (Commit) -> Void) async throws(FileFailure) {
    completeOldParts()
    try forgetting.run(log, catalog, in: ledger)
    let start = ContinuousClock.now
    var synchronization = Duration.zero
    func tell() {
      committed(Commit(ends: ends, tally: tally, duration: .now - start, synchronization: synchronization))
    }
    if Failpoint.fileEarly.isOn { tell() }
    if schedule.isWaiting { synchronization = try await commit(tally) }
    guard !ends.isEmpty || tally.read > 0 else { return }
    // A file whose rows are nowhere must not be put away.
    try verifyNames()
    if !Failpoint.fileEarly.isOn { tell() }
    (ends, tally) = ([], Tally())
    try catalog.dropRowsIfDue()
  }

  private func completeOldParts() {
    guard let age = options.partAge else { return }
    for table in tables.indices where tables[table].roll(age: age) { schedule.change() }
  }

  /// Throws `.damaged` if a file or folder of the state or of the tables was removed, moved or replaced while it was in
  /// use: what is committed from then on is lost. Complete parts may be moved away.
  package func verifyNames() throws(FileFailure) {
    try folder.verifyName()
    try ledger.verifyNames()
    try log.verifyName()
    try catalog.verifyNames()
    for table in tables { try table.verifyNames() }
  }

  /// Publishes the parts that are committed as complete. A part that was removed since is open again in the ledger, so that
  /// the next start does not take it for one that was moved away.
  private func publish() throws(FileFailure) {
    do throws(FileFailure) {
      for table in tables.indices { try tables[table].publish() }
    } catch {
      var missing: [LedgerPart] = []
      for table in tables { missing += try table.missingParts() }
      try ledger.reopen(missing)
      throw error
    }
  }

  /// Commits, and returns the time in which the rows and the ids were made durable.
  private func commit(_ tally: Tally) async throws(FileFailure) -> Duration {
    let start = ContinuousClock.now
    // Most of the waiting is done here. What follows throws if it failed.
    let files = tables.flatMap(\.filesToSynchronize)
    await DurableFile.synchronize(Failpoint.noLogSync.isOn ? files : files + [log.fileToSynchronize])
    for table in tables { pending.parts += try table.synchronize() }
    if !Failpoint.noLogSync.isOn { try log.synchronize() }
    let synchronization = ContinuousClock.now - start
    pending.seen = log.mark
    pending.inputs = inputs.values.sorted { $0.id < $1.id }
    pending.count(tally)
    pending.time = Timestamp.now.milliseconds
    try verifyNames()
    if Failpoint.publishEarly.isOn { for table in tables.indices { try tables[table].publish() } }
    try ledger.commit(pending)
    try log.committed()
    try publish()
    catalog.forget(pending.inputs)
    committedSettings = pending.settings?.after.digests ?? committedSettings
    schedule.commit()
    (pending, inputs) = (LedgerCommit(time: 0), [:])
    return synchronization
  }
}
