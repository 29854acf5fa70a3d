internal import Base
internal import DurableFiles
internal import Ledger
internal import PostbackVerification
internal import Spool
internal import ConversionModel
internal import Glibc
package import PostbackPipeline
internal import Signatures

/// The consumer of a spool, which runs until a signal asks it to end, and waits while the disk is full.
package final class Consumer {
  private let options: ConsumerOptions
  private let log: Log
  /// The models in use, which are replaced on SIGHUP.
  private let models: CurrentModels
  private let signals: Signals
  private let folder: SpoolFolder
  private let waiter: SpoolWaiter
  private let manager = ServiceManager()
  private var report: ConsumerReport
  /// The tables of the current session; nil between sessions.
  private var tables: TableWriter?
  /// The changed settings that were found last; the same changes are logged only once.
  private var announced: [RunSettings.Change] = []
  /// The time of the first request to end; nil before it.
  private var stoppedAt: ContinuousClock.Instant?
  private var isDone = false
  /// Indicates that the last session ended because the disk was full.
  private var isDiskFull = false

  /// The time after a first request to end during which a second one has no effect.
  private static let patienceWhenStopping = Duration.seconds(1)
  private static let pauseWhenFull = Duration.seconds(5)

  /// Creates a consumer. Other parts of the process may share its models.
  package init(_ options: ConsumerOptions, models: CurrentModels) throws(PipelineFailure) {
    self.options = options
    log = options.log
    self.models = models
    do throws(FileFailure) {
      signals = try Signals()
      folder = try SpoolFolder(options.spool, settle: options.settle, deletes: options.deletes)
    } catch {
      throw .spool(error)
    }
    waiter = SpoolWaiter(folder, signals: signals)
    report = ConsumerReport(options)
  }

  /// Consumes the spool until a signal asks to end, or until a failure other than a full disk.
  package func run() async throws(PipelineFailure) {
    if let limitation = waiter.limitation { log.warning("spool_not_watched", limitation) }
    while !isDone {
      do throws(PipelineFailure) {
        try await session()
        isDone = true
      } catch {
        guard case .state(let failure) = error, failure.kind == .diskFull else { throw error }
        if !isDiskFull { log.error("disk_full", "\(failure) No file is taken from the spool until the disk has room.") }
        isDiskFull = true
        manager.status("The disk is full")
        waitForRoom()
      }
    }
    log.info("stopped", "all postbacks that were taken are committed")
  }

  /// Opens the state and consumes until asked to end. After a failure the next session reads uncommitted postbacks
  /// again, as after a crash.
  private func session() async throws(PipelineFailure) {
    let start = ContinuousClock.now
    let state = try openState()
    let tables: TableWriter
    do throws(FileFailure) { tables = try TableWriter(options.tables, state) } catch { throw .state(error) }
    self.tables = tables
    defer { self.tables = nil }
    try use(models.value, in: tables)
    let source = SpoolSource(folder, waiter, signals, tell: tell, handle: receive)
    report.begin(tables)
    manager.ready()
    manager.status("Watching \(options.spool)")
    log.info(
      isDiskFull ? "resumed" : "watching",
      "taking files from \(folder.waitingPath)",
      ["seen": .integer(tables.seenCount), "recovery_ms": .integer(Int64((.now - start) / .milliseconds(1)))]
    )
    isDiskFull = false
    var pipeline = Pipeline(inputs: [], trust: options.trust)
    pipeline.models = models
    pipeline.receivedAt = options.receivedAt
    pipeline.limits = options.limits
    pipeline.jobs = options.jobs
    pipeline.skipsUnreadableInputs = true
    _ = try await pipeline.run(
      source,
      continuing: state,
      into: tables,
      progress: { _ in self.beat(source, tables) },
      committed: { commit in self.finish(commit, source, tables) },
      idle: { () throws(PipelineFailure) in try self.idle(source, tables) }
    )
    do throws(FileFailure) { try folder.synchronize() } catch { throw .spool(error) }
  }

  private func openState() throws(PipelineFailure) -> State {
    do throws(FileFailure) {
      return try State(options.state, settings: options.tables.settings)
    } catch {
      throw .state(error)
    }
  }

  /// Records the settings in the state, and logs the ones that changed.
  private func use(_ models: Models, in tables: TableWriter) throws(PipelineFailure) {
    let settings: RunSettings
    do throws(LibcryptoFailure) {
      settings = try RunSettings(
        trust: options.trust,
        limits: options.limits,
        format: options.tables,
        models: models,
        program: options.version
      )
    } catch {
      throw .libcrypto(error)
    }
    let changes: [RunSettings.Change]
    do throws(FileFailure) { changes = try tables.use(settings) } catch { throw .state(error) }
    if !changes.isEmpty, changes != announced {
      log.warning("settings_changed", RunSettings.Change.sentence(changes))
    }
    announced = changes
  }

  private func finish(_ commit: TableWriter.Commit, _ source: SpoolSource, _ tables: TableWriter) {
    for ended in commit.ends {
      if case .failed(let reason) = ended.end {
        log.warning("input_failed", "\(ended.input.path): \(reason)", ["path": .text(ended.input.path)])
      }
      source.putAway(ended)
    }
    report.add(commit)
    log.info(
      "committed",
      "\(commit.tally.read) records, and the ends of \(commit.ends.count) files",
      [
        "read": .integer(Int64(commit.tally.read)), "accepted": .integer(Int64(commit.tally.accepted)),
        "rejected": .integer(Int64(commit.tally.rejected)), "files": .integer(Int64(commit.ends.count)),
        "commit_ms": .integer(Int64(commit.duration / .milliseconds(1))),
      ]
    )
    beat(source, tables)
  }

  /// Waits for input, at most until the next regular task is due.
  private func idle(_ source: SpoolSource, _ tables: TableWriter) throws(PipelineFailure) {
    beat(source, tables)
    if options.leavesWhenEmpty, source.isEmpty { return source.stop() }
    let limit = min(options.rescan, manager.watchdogInterval.map { $0 / 2 } ?? options.rescan, .seconds(1))
    do throws(FileFailure) { try source.wait(upTo: limit) } catch { throw .spool(error) }
  }

  private func beat(_ source: SpoolSource, _ tables: TableWriter) {
    guard report.isDue else { return }
    manager.watchdog()
    report.write(source.backlog(), tables, log)
  }

  private func tell(_ event: SpoolSource.Event) {
    switch event {
    case .refused(let refusal): log.warning("input_refused", "\(refusal)", ["path": .text(refusal.path)])
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
      options.hooks.stopping()
    } else {
      reload()
    }
  }

  private func reload() {
    manager.reloading()
    models.reload(options.models, log) { models throws(PipelineFailure) in
      if let tables { try use(models, in: tables) }
    }
    manager.ready()
  }

  private func waitForRoom() {
    let end = ContinuousClock.now + Self.pauseWhenFull
    while stoppedAt == nil, .now < end {
      for signal in signals.pending() { receive(signal) }
      manager.watchdog()
      usleep(100_000)
    }
    isDone = stoppedAt != nil
  }
}

extension CurrentModels {
  /// Loads the models again. If they are wrong, or `check` throws, the old ones stay in use.
  func reload(
    _ paths: [String],
    _ log: Log,
    check: (Models) throws(PipelineFailure) -> Void = { _ in }
  ) {
    let loaded: Models
    do throws(ModelErrors) { loaded = try Models(loading: paths) } catch {
      let problems = error.problems.map(\.description).joined(separator: "; ")
      return log.error("models_wrong", "the models were not replaced: \(problems)")
    }
    do throws(PipelineFailure) { try check(loaded) } catch {
      return log.error("models_wrong", "the models were not replaced: \(error)")
    }
    value = loaded
    log.info("models_loaded", "the models were loaded again")
  }
}
