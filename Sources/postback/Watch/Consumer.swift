internal import Base
internal import ConversionModel
internal import Glibc
internal import PostbackPipeline
internal import Signatures

/// The settings of a consumer of a spool.
struct ConsumerOptions: Sendable {
  var spool: String
  var settle: Duration?
  var deletes: Bool
  /// Indicates that the consumer ends when no file waits (`--once`).
  var leavesWhenEmpty: Bool
  var rescan: Duration
  var tables: TableOptions
  var state: String
  var models: [String]
  var trust: Trust
  var receivedAt: ReceivedAtRule
  var limits: ReadLimits
  var jobs: Int
  var log: Log
  var metricsFile: ReplacedFile?
  var hooks = ConsumerHooks()
}

/// The callbacks from a consumer to a receiver in the same process.
struct ConsumerHooks: Sendable {
  /// Called once when the consumer is asked to end, before it commits the postbacks it has taken.
  var stopping: @Sendable () -> Void = {}
  /// Called with the consumer's metrics as text, about once a second.
  var metrics: (@Sendable (String) -> Void)?
}

/// The consumer of a spool, which runs until it is asked to end and waits while the disk is full.
final class Consumer {
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
  private var tables: Tables?
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
  init(_ options: ConsumerOptions, models: CurrentModels) throws(CommandFailure) {
    self.options = options
    log = options.log
    self.models = models
    do throws(SpoolFailure) {
      signals = try Signals()
      folder = try SpoolFolder(options.spool, settle: options.settle, deletes: options.deletes)
    } catch {
      throw CommandFailure(.spool(error))
    }
    waiter = SpoolWaiter(folder, signals: signals)
    report = ConsumerReport(options)
  }

  func run() async throws(CommandFailure) {
    TrustOptions.announce(options.trust)
    if let limitation = waiter.limitation { log.warning("spool_not_watched", limitation) }
    while !isDone {
      do throws(PipelineFailure) {
        try await session()
        isDone = true
      } catch {
        guard case .state(let failure) = error, failure.kind == .diskFull else { throw CommandFailure(error) }
        if !isDiskFull { log.error("disk_full", "\(failure); nothing is taken until there is room") }
        isDiskFull = true
        manager.status("The disk is full")
        waitForRoom()
      }
    }
    log.info("stopped", "everything that was taken is committed")
  }

  /// Opens the state and consumes until asked to end. If a session fails, the next one reads again what was not
  /// committed, as after a crash.
  private func session() async throws(PipelineFailure) {
    let start = ContinuousClock.now
    let tables: Tables
    do throws(StateFailure) {
      let state = try State(options.state, settings: options.tables.settings)
      tables = try Tables(options.tables, state, trust: options.trust)
    } catch {
      throw .state(error)
    }
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
      into: tables,
      progress: { _ in self.beat(source, tables) },
      committed: { commit in self.finish(commit, source, tables) },
      idle: { () throws(PipelineFailure) in try self.idle(source, tables) }
    )
    do throws(SpoolFailure) { try folder.synchronize() } catch { throw .spool(error) }
  }

  /// Records the settings in the state, and logs the ones that changed.
  private func use(_ models: Models, in tables: Tables) throws(PipelineFailure) {
    let settings: RunSettings
    do throws(LibcryptoFailure) {
      settings = try RunSettings(
        trust: options.trust,
        limits: options.limits,
        format: options.tables,
        models: models,
        program: Main.version
      )
    } catch {
      throw .libcrypto(error)
    }
    let changes: [RunSettings.Change]
    do throws(StateFailure) { changes = try tables.use(settings) } catch { throw .state(error) }
    if !changes.isEmpty, changes != announced {
      log.warning("settings_changed", RunSettings.Change.sentence(changes))
    }
    announced = changes
  }

  private func finish(_ commit: Tables.Commit, _ source: SpoolSource, _ tables: Tables) {
    for ended in commit.ends {
      if case .failed(let reason) = ended.end {
        log.warning("input_failed", "\(ended.input.path): \(reason)", ["path": .text(ended.input.path)])
      }
      source.putAway(ended)
    }
    report.add(commit)
    log.info(
      "committed",
      "\(commit.tally.read) records of \(commit.ends.count) finished files",
      [
        "read": .integer(Int64(commit.tally.read)), "accepted": .integer(Int64(commit.tally.accepted)),
        "rejected": .integer(Int64(commit.tally.rejected)), "files": .integer(Int64(commit.ends.count)),
        "commit_ms": .integer(Int64(commit.duration / .milliseconds(1))),
      ]
    )
    beat(source, tables)
  }

  /// Waits for input, at most until the next regular task is due.
  private func idle(_ source: SpoolSource, _ tables: Tables) throws(PipelineFailure) {
    beat(source, tables)
    if options.leavesWhenEmpty, source.isEmpty { return source.stop() }
    let limit = min(options.rescan, manager.watchdogInterval.map { $0 / 2 } ?? options.rescan, .seconds(1))
    do throws(SpoolFailure) { try source.wait(upTo: limit) } catch { throw .spool(error) }
  }

  private func beat(_ source: SpoolSource, _ tables: Tables) {
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
        // Committed postbacks stay so; the others are read again at the next start.
        if .now - stoppedAt > Self.patienceWhenStopping { _exit(ExitStatus.inputOutput.rawValue) }
        return
      }
      log.info("stopping", "asked to leave; committing what was taken")
      stoppedAt = .now
      manager.stopping()
      options.hooks.stopping()
    } else {
      reload()
    }
  }

  private func reload() {
    manager.reloading()
    models.reload(options.models, log) { models throws(CommandFailure) in
      guard let tables else { return }
      do throws(PipelineFailure) { try use(models, in: tables) } catch { throw CommandFailure(error) }
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
    check: (Models) throws(CommandFailure) -> Void = { _ in }
  ) {
    do throws(CommandFailure) {
      let models = try Models(checking: paths)
      try check(models)
      value = models
      log.info("models_loaded", "the models were loaded again")
    } catch {
      log.error("models_wrong", "the models stay as they were: \(error.line)")
    }
  }
}
