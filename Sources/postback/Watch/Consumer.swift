internal import ConversionModel
internal import Glibc
internal import PostbackPipeline
internal import Signatures

/// What a consumer of a spool is told.
struct ConsumerOptions: Sendable {
  var spool: String
  var settle: Duration?
  var deletes: Bool
  /// Whether to leave when nothing waits.
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
  var neighbour = ConsumerNeighbour()
}

/// What runs beside a consumer in the same process, and is told of it.
struct ConsumerNeighbour: Sendable {
  /// The consumer was asked to end: called once, before it commits what it took and leaves.
  var stopping: @Sendable () -> Void = {}
  /// Takes the consumer's metrics, once a second.
  var metrics: (@Sendable (String) -> Void)?
}

/// Consumes a spool until it is asked to end, also over times in which the disk is full.
final class Consumer {
  private let options: ConsumerOptions
  private let log: Log
  /// The models in use, which a signal exchanges.
  private let models: CurrentModels
  private let signals: Signals
  private let folder: SpoolFolder
  private let waiter: SpoolWaiter
  private let manager = ServiceManager()
  private var report: ConsumerReport
  /// The tables of the session that runs.
  private var tables: Tables?
  /// What was said of settings that are not as they were.
  private var announced: [RunSettings.Change] = []
  /// When it was asked to end.
  private var stoppedAt: ContinuousClock.Instant?
  private var isDone = false
  /// Whether the disk was full when the last session ended.
  private var isDiskFull = false

  /// For so long a second request to end changes nothing.
  private static let patienceWhenStopping = Duration.seconds(1)
  private static let pauseWhenFull = Duration.seconds(5)

  /// A consumer with models that it may share with others.
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

  /// Opens the state and consumes until somebody asks to end. What was not committed when a session failed is read again by
  /// the next one, as after a crash.
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
    pipeline.passesFailures = true
    _ = try await pipeline.run(
      source,
      into: tables,
      progress: { _ in self.beat(source, tables) },
      committed: { commit in self.finish(commit, source, tables) },
      idle: { () throws(PipelineFailure) in try self.idle(source, tables) }
    )
    do throws(SpoolFailure) { try folder.synchronize() } catch { throw .spool(error) }
  }

  /// Takes note of the settings, and says once what of them is not as it was.
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

  /// Waits for input, no longer than until something else is due.
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
      // Who ends a group of processes often tells each of them twice at once.
      if let stoppedAt {
        // All that is committed stays so; the rest is read again.
        if .now - stoppedAt > Self.patienceWhenStopping { _exit(ExitStatus.inputOutput.rawValue) }
        return
      }
      log.info("stopping", "asked to leave; committing what was taken")
      stoppedAt = .now
      manager.stopping()
      options.neighbour.stopping()
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
  /// Loads the models again; where they are wrong, or `check` throws, the old ones stay.
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
