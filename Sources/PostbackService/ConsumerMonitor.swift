internal import Base
internal import Dispatch
internal import DurableFiles
internal import Glibc
internal import Ledger
internal import Metrics
package import PostbackServer
internal import PostbackPipeline
internal import Spool
internal import Synchronization

/// The condition of a consumer as other threads see it, right in every state: also while the consumer reads one large
/// file, waits for a disk, or hangs.
///
/// Each second the waiting files are counted, and the status file and the metrics file are written. Each of these tasks has a
/// queue, so that a disk that does not respond delays only the files on it.
package final class ConsumerMonitor: ObservedConsumer {
  private struct State: Sendable {
    var metrics: ConsumerMetrics
    var phase = ConsumerPhase.starting
    /// The reason for the failing phase; nil in other phases.
    var failure: String?
    /// The reason why what is too old is not removed; nil if it is.
    var refusal: String?
    var rate = MovingRate()
    var progressedAt = ContinuousClock.now
    /// Indicates that the consumer has opened the state, and so may write its status beside it.
    var ownsStatus = false
  }

  private let state: Mutex<State>
  private let statusFile: Mutex<StatusFile>
  private let metricsFile: Mutex<ReplacedFile?>
  private let spool: String
  private let paths: [DiskPlace: String]
  private let log: Log
  private let startedAt = Timestamp.now
  private let observer: SpoolObserver
  /// The tasks that write the status file and the metrics file; empty before `start` and after `stop`.
  private let writing = Mutex<[RepeatedTask]>([])

  /// The time without progress after which a running consumer counts as stuck.
  private static let patience = Duration.seconds(30)

  /// Creates the monitor of a consumer with these settings.
  package init(_ options: ConsumerOptions) {
    state = Mutex(State(metrics: ConsumerMetrics(version: options.version)))
    statusFile = Mutex(StatusFile(folder: options.state))
    metricsFile = Mutex(options.metricsFile)
    spool = options.spool
    paths = [.spool: options.spool, .state: options.state, .output: options.tables.folder]
    observer = SpoolObserver(spool, paths)
    log = options.log
  }

  // MARK: - Calls of the consumer

  /// Begins to count and to write.
  func start() {
    observer.start()
    writing.withLock { tasks in
      tasks = [RepeatedTask("metrics") { self.writeMetrics() }, RepeatedTask("status") { self.writeStatus() }]
      for task in tasks { task.start() }
    }
  }

  /// Writes the last status and metrics, and ends.
  func stop() {
    state.withLock { $0.phase = .stopped }
    let tasks = writing.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    let done = DispatchSemaphore(value: 0)
    observer.finish {
      for task in tasks { task.finish { done.signal() } }
    }
    // A disk that does not respond must not keep the process from ending.
    let deadline = DispatchTime.now() + .seconds(2)
    for _ in tasks { _ = done.wait(timeout: deadline) }
  }

  /// Records that the consumer has done something.
  func progress() { state.withLock { $0.progressedAt = .now } }

  /// Records that the state is open.
  func begin() {
    state.withLock { state in
      state.progressedAt = .now
      state.ownsStatus = true
      if state.phase == .starting { state.phase = .running }
    }
    writing.withLock { tasks in for task in tasks { task.runSoon() } }
  }

  /// Records that everything works; returns true if something was failing before.
  func succeed() -> Bool {
    state.withLock { state in
      guard state.phase != .running else { return false }
      defer { (state.phase, state.failure, state.metrics.fullDisks) = (.running, nil, []) }
      return state.phase == .failing
    }
  }

  /// Records that the consumer cannot work for now; returns true if that is news.
  func fail(_ failure: FileFailure) -> Bool {
    state.withLock { state in
      let reason = "\(failure)"
      let isNews = state.phase != .failing || state.failure != reason
      if state.phase != .failing { state.metrics.failures += 1 }
      (state.phase, state.failure, state.progressedAt) = (.failing, reason, .now)
      if failure.kind == .diskFull { state.metrics.fullDisks.insert(place(of: failure.path)) }
      return isNews
    }
  }

  /// Counts a commit.
  func add(_ commit: TableWriter.Commit) {
    state.withLock { state in
      state.metrics.commitDurations.observe(commit.duration)
      state.metrics.synchronizationDurations.observe(commit.synchronization)
      state.metrics.count(commit.tally.rejectedByForwarder)
    }
  }

  /// Records the number of open parts whose committed rows are missing; returns true if that is news.
  func miss(_ parts: Int) -> Bool {
    state.withLock { state in
      defer { state.metrics.missingParts = parts }
      return state.metrics.missingParts != parts
    }
  }

  /// Records the reasons why what is too old is not removed; none if it is.
  func refuse(_ refusals: [RemovalRefusal]) {
    state.withLock { state in
      state.metrics.refusedRemovals = Set(refusals.map(\.reason))
      state.refusal = refusals.first?.description
    }
  }

  /// Takes over the followers whose reading the removal of old rows waits for.
  func update(retentionWaiting followers: [String: Duration]) {
    state.withLock { $0.metrics.retentionWaiting = followers }
  }

  /// Counts a file that could not be opened.
  func addRefusedInput() { state.withLock { $0.metrics.refusedInputs += 1 } }

  /// Counts a reload on SIGHUP.
  func add(reloadSucceeded: Bool) { state.withLock { $0.metrics.reloads.add(succeeded: reloadSucceeded) } }

  /// Sets the names of the files that were read and cannot be moved out of the spool's folder of waiting files.
  func use(notPutAway: Set<String>) { observer.use(notPutAway: notPutAway) }

  /// Takes the counters of the ledger over.
  func update(from tables: TableWriter) {
    let counts = try? tables.ledger.counts()
    state.withLock { state in
      if let counts { state.metrics.totals = LedgerTotals(counts) }
      state.metrics.commits = tables.ledger.commits
      state.metrics.committedAt = tables.ledger.committedAt
      state.metrics.indexKeys = Int(tables.seenCount)
      state.rate.add(state.metrics.totals.read, at: .now)
    }
  }

  // MARK: - The condition

  /// The phase and the reason for a failure, for health checks.
  package var health: ConsumerHealth {
    state.withLock { state in
      let phase = Self.phase(of: state)
      let reason =
        phase == .stuck ? "The consumer has made no progress for \(Self.patience.components.seconds) s." : nil
      return ConsumerHealth(state: phase.rawValue, failure: state.failure ?? reason)
    }
  }

  /// Returns the metrics in Prometheus' text format. `full` are the disks that others have found full.
  package func exposition(full: Set<DiskPlace> = []) -> String { metrics(full: full).exposition(of: .process) }

  private func metrics(full: Set<DiskPlace> = []) -> ConsumerMetrics {
    let (usage, sample) = (ProcessUsage.now(), observer.sample)
    return state.withLock { state in
      var metrics = state.metrics
      metrics.phase = Self.phase(of: state)
      metrics.progressAge = .now - state.progressedAt
      metrics.spool = sample
      metrics.fullDisks.formUnion(full)
      metrics.process = usage
      metrics.startedAt = startedAt
      metrics.writtenAt = .now
      return metrics
    }
  }

  private var status: ConsumerStatus {
    let (usage, sample) = (ProcessUsage.now(), observer.sample)
    return state.withLock { state in
      state.rate.add(state.metrics.totals.read, at: .now)
      let full = DiskPlace.allCases.filter {
        state.metrics.fullDisks.contains($0) || sample.disks[$0]?.isFull == true
      }
      return ConsumerStatus(
        pid: getpid(),
        startedAt: startedAt,
        updatedAt: .now,
        phase: Self.phase(of: state),
        failure: state.failure,
        refusedRemoval: state.refusal,
        fullDisks: full,
        spool: spool,
        waitingFiles: sample.backlog.count,
        oldestWaitingAt: sample.backlog.oldest.map { Timestamp(milliseconds: $0) },
        recordsPerSecond1m: state.rate.perSecond(over: .seconds(60)),
        recordsPerSecond15m: state.rate.perSecond(over: MovingRate.longest),
        residentBytes: usage.residentBytes,
        openDescriptors: usage.openDescriptors
      )
    }
  }

  private static func phase(of state: State) -> ConsumerPhase {
    state.phase == .running && .now - state.progressedAt > patience ? .stuck : state.phase
  }

  /// Returns the place of a path. The state may be inside the output, so it comes first.
  private func place(of path: String) -> DiskPlace {
    let places: [DiskPlace] = [.state, .spool]
    return places.first { place in paths[place].map { path == $0 || path.hasPrefix("\($0)/") } ?? false } ?? .output
  }

  // MARK: - Regular tasks

  private func writeMetrics() {
    metricsFile.withLock { file in
      if file != nil { file?.replace(with: metrics().exposition(of: .file), log) }
    }
  }

  private func writeStatus() {
    guard state.withLock({ $0.ownsStatus }) else { return }
    let status = status
    statusFile.withLock { $0.replace(with: status, log) }
  }
}
