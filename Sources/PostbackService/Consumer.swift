internal import Base
internal import DurableFiles
internal import Ledger
internal import Spool
internal import Glibc
package import PostbackPipeline
internal import Signatures
internal import Tables

/// The consumer of a spool, which runs until a signal asks it to end, and waits while its disks cannot be written.
package final class Consumer {
  private var options: ConsumerOptions
  private let log: Log
  /// The settings in use, which are replaced on SIGHUP.
  private let settings: Replaceable<PipelineSettings>
  private let signals: UnixSignals
  private let folder: SpoolFolder
  private let waiter: SpoolWaiter
  private let manager = ServiceManager()
  private let monitor: ConsumerMonitor
  /// The tables of the current session; nil between sessions.
  private var tables: TableWriter?
  /// The changed settings that were found last; the same changes are logged only once.
  private var announced: [RunSettings.Change] = []
  /// The time of the first request to end; nil before it.
  private var stoppedAt: ContinuousClock.Instant?
  private var isDone = false
  /// Indicates that a session has opened the state before.
  private var hasOpened = false
  /// The time of the last regular tasks.
  private var beatAt: ContinuousClock.Instant?
  private var retention: HourlyRetention
  private var retry: ConsumerRetry

  /// The time after a first request to end during which a second one has no effect.
  private static let patienceWhenStopping = Duration.seconds(1)
  private static let beatInterval = Duration.seconds(1)

  /// Creates a consumer whose condition `monitor` shows.
  package init(_ options: ConsumerOptions, monitor: ConsumerMonitor) throws(PipelineFailure) {
    self.options = options
    self.monitor = monitor
    log = options.log
    settings = Replaceable(options.settings.pipeline)
    retention = HourlyRetention(options, monitor)
    retry = ConsumerRetry(hasReceiver: options.receiver != nil)
    do throws(FileFailure) {
      signals = try UnixSignals()
      folder = try SpoolFolder(options.spool, settle: options.settle, deletes: options.deletes)
    } catch {
      throw .spool(error)
    }
    waiter = SpoolWaiter(folder, signals: signals)
  }

  /// Consumes the spool until a signal asks to end, or until a failure that trying again does not help.
  package func run() async throws(PipelineFailure) {
    monitor.start()
    defer { monitor.stop() }
    // A consumer that waits for a disk that does not respond must not end the receiver.
    if let receiver = options.receiver { manager.feedWatchdog(while: receiver.receiverWorks) }
    if let limitation = waiter.limitation { log.warning("spool_not_watched", limitation) }
    while !isDone {
      do throws(PipelineFailure) {
        try await session()
        isDone = true
      } catch {
        monitor.countMissingParts(options)
        guard let failure = retry.repeatable(error) else { throw error }
        report(failure, error.consequence)
        pause(retry.pause(after: failure))
      }
    }
    log.info("stopped", "all postbacks that were taken are committed; files that were not taken stay in the spool")
  }

  private func report(_ failure: FileFailure, _ consequence: String) {
    guard monitor.fail(failure) else { return }
    log.error(
      failure.kind == .diskFull ? "disk_full" : "consumer_failing",
      "\(failure) \(consequence)",
      ["path": .text(failure.path)]
    )
    if options.receiver != nil { manager.ready() }
    manager.status("Waiting for a repair: \(failure)")
  }

  /// Opens the state and consumes until asked to end. After a failure the next session reads uncommitted postbacks
  /// again, as after a crash.
  private func session() async throws(PipelineFailure) {
    let start = ContinuousClock.now
    retry.begin()
    let state = try openState()
    StateReserve.make(in: DurableFolder(options.state))
    let tables = try PipelineFailure.state { () throws(FileFailure) in try TableWriter(options.tables, state) }
    try PipelineFailure.state { () throws(FileFailure) in try tables.dropInputs(in: folder.waitingPath) }
    self.tables = tables
    defer { self.tables = nil }
    try use(settings.value, in: tables)
    let source = SpoolSource(folder, waiter, signals, tell: tell, handle: receive)
    source.form = options.form
    monitor.update(from: tables)
    retry.opened()
    _ = monitor.miss(0)
    monitor.begin()
    manager.ready()
    if !hasOpened {
      manager.status("Watching \(options.spool)")
      log.info(
        "watching",
        "taking files from \(folder.waitingPath)",
        ["seen": .integer(tables.seenCount), "recovery_ms": .integer(Int64((.now - start) / .milliseconds(1)))]
      )
    }
    hasOpened = true
    var pipeline = Pipeline(inputs: [], settings: settings)
    pipeline.receivedAt = options.receivedAt
    pipeline.jobs = options.jobs
    pipeline.skipsUnreadableInputs = true
    _ = try await pipeline.run(
      source,
      continuing: state,
      into: tables,
      progress: { _ in self.beat(tables) },
      committed: { commit in self.finish(commit, source, tables) },
      idle: { due throws(PipelineFailure) in try self.idle(source, tables, commitIn: due.map { $0 - .now }) }
    )
    monitor.update(from: tables)
    do throws(FileFailure) { try folder.synchronize() } catch { throw .spool(error) }
  }

  /// Opens the state. A state that was open before is never created anew: it is waited for.
  private func openState() throws(PipelineFailure) -> PipelineState {
    do throws(FileFailure) {
      try OutputFolder.refuseNewState(in: options.state, of: options.tables.folder)
      // It may have been unreadable when the options were read.
      if let kept = try? Ledger.reading(options.state) { options.tables.complete(from: kept.settings) }
      return try PipelineState(
        options.state,
        settings: options.tables.settings,
        mustExist: hasOpened,
        progress: manager.opening()
      )
    } catch {
      throw .state(error)
    }
  }

  /// Records the settings in the state, and logs the ones that changed.
  private func use(_ used: PipelineSettings, in tables: TableWriter) throws(PipelineFailure) {
    let settings = try PipelineFailure.libcrypto { () throws(LibcryptoFailure) in
      try RunSettings(used, format: options.tables, program: options.version)
    }
    let changes = try PipelineFailure.state { () throws(FileFailure) in try tables.use(settings) }
    if !changes.isEmpty, changes != announced {
      log.warning("settings_changed", RunSettings.Change.sentence(changes))
    }
    announced = changes
  }

  private func finish(_ commit: TableWriter.Commit, _ source: SpoolSource, _ tables: TableWriter) {
    folder.stamp = tables.ledger.clock.stamp(at: Timestamp.now.milliseconds)
    for ended in commit.ends {
      if case .failed(let reason) = ended.end {
        log.warning("input_failed", "\(ended.input.path): \(reason)", ["path": .text(ended.input.path)])
      }
      source.putAway(ended)
    }
    if let remark = try? commit.tally.remarkOnRemovedDays(options.state) { log.warning("removed_days", remark) }
    monitor.add(commit)
    succeed()
    log.debug(
      "committed",
      "\(commit.tally.read) records, and the ends of \(commit.ends.count) files",
      [
        "read": .integer(Int64(commit.tally.read)), "accepted": .integer(Int64(commit.tally.accepted)),
        "rejected": .integer(Int64(commit.tally.rejected)), "files": .integer(Int64(commit.ends.count)),
        "commit_ms": .integer(Int64(commit.duration / .milliseconds(1))),
      ]
    )
    retention.run(tables)
    monitor.update(retentionWaiting: retention.waiting)
    beat(tables)
  }

  /// Records that the state and the tables can be written.
  private func succeed() {
    guard monitor.succeed() else { return }
    log.info("resumed", "the state and the tables can be written again; files are taken from \(folder.waitingPath)")
    manager.status("Watching \(options.spool)")
  }

  /// Waits for input, at most until a commit is due, or another regular task.
  private func idle(_ source: SpoolSource, _ tables: TableWriter, commitIn wait: Duration?) throws(PipelineFailure) {
    beat(tables)
    try PipelineFailure.state { () throws(FileFailure) in try tables.verifyNames() }
    retention.run(tables)
    monitor.update(retentionWaiting: retention.waiting)
    if wait == nil { succeed() }
    if options.leavesWhenEmpty, source.isEmpty { return source.stop() }
    var limit = min(options.rescan, manager.watchdogInterval.map { $0 / 2 } ?? options.rescan, .seconds(1))
    if let wait { limit = max(min(limit, wait), .zero) }
    do throws(FileFailure) { try source.wait(upTo: limit) } catch { throw .spool(error) }
  }

  private func beat(_ tables: TableWriter) {
    monitor.progress()
    let now = ContinuousClock.now
    if let beatAt, now - beatAt < Self.beatInterval { return }
    beatAt = now
    feedWatchdog()
    monitor.update(from: tables)
    monitor.use(notPutAway: folder.notPutAway)
  }

  private func feedWatchdog() {
    if options.receiver == nil { manager.watchdog() }
  }

  private func tell(_ event: SpoolSource.Event) {
    switch event {
    case .refused(let refusal):
      if refusal.kind != .vanished { monitor.addRefusedInput() }
      log.warning("input_refused", "\(refusal)", ["path": .text(refusal.path)])
    case .notPutAway(let problem): log.warning("input_not_put_away", problem)
    }
  }

  private func receive(_ signal: ReceivedSignal) {
    if signal.asksToEnd {
      // A tool that ends a group of processes often signals each of them twice.
      if let stoppedAt {
        // The next start reads uncommitted postbacks again.
        if .now - stoppedAt > Self.patienceWhenStopping { _exit(options.forcedExitStatus) }
        return
      }
      log.info("stopping", "a signal asks the consumer to end; it commits the postbacks that it has taken")
      stoppedAt = .now
      manager.stopping()
      options.receiver?.stopping()
    } else {
      reload()
    }
  }

  /// Replaces all settings, or none if one of them is wrong.
  private func reload() {
    manager.reloading()
    do throws(ReloadFailure) {
      let loaded = try options.load()
      let used = loaded.pipeline
      if let tables {
        do throws(PipelineFailure) { try use(used, in: tables) } catch { throw ReloadFailure("\(error)") }
      }
      settings.value = used
      options.receiver?.reloaded(loaded)
      loaded.logReload(to: log, since: options.settings, receives: options.receiver != nil, consumes: true)
      monitor.add(reloadSucceeded: true)
    } catch {
      error.log(to: log)
      monitor.add(reloadSucceeded: false)
    }
    manager.ready()
  }

  /// Waits until the state and the tables can be written, or a signal asks to end.
  private func pause(_ duration: Duration) {
    repeat {
      let end = ContinuousClock.now + duration
      while stoppedAt == nil, .now < end {
        for signal in signals.wait(upTo: .milliseconds(100)) { receive(signal) }
        feedWatchdog()
      }
    } while stoppedAt == nil && !canWrite()
    isDone = stoppedAt != nil
  }

  /// Tests the disks, because opening a large state takes long.
  private func canWrite() -> Bool {
    for path in [options.state, options.tables.folder] {
      do throws(FileFailure) { try DiskSpace.test(path) } catch {
        report(error, PipelineFailure.state(error).consequence)
        return false
      }
    }
    return true
  }
}
