internal import Base
internal import Ledger
internal import Spool
internal import Glibc
internal import Metrics
internal import PostbackPipeline

/// The status file and the metrics of a consumer, written at most once a second.
struct ConsumerReport {
  private let spool: String
  private var statusFile: StatusFile
  private var metricsFile: ReplacedFile?
  private let takeMetrics: (@Sendable (String) -> Void)?
  private let startedAt = Timestamp.now
  private var metrics: ConsumerMetrics
  private var rate = MovingRate()
  private var read: Int64 = 0
  private var written: ContinuousClock.Instant?

  private static let interval = Duration.seconds(1)

  init(_ options: ConsumerOptions) {
    spool = options.spool
    statusFile = StatusFile(folder: options.state)
    metricsFile = options.metricsFile
    takeMetrics = options.hooks.metrics
    metrics = ConsumerMetrics(version: options.version)
  }

  /// Starts a session with the counters of its state.
  mutating func begin(_ tables: TableWriter) {
    read = (try? tables.ledger.counts()[.read]) ?? 0
    rate.add(read, at: .now)
    written = nil
  }

  /// Counts a commit.
  mutating func add(_ commit: TableWriter.Commit) {
    metrics.commitDurations.observe(commit.duration)
    read += Int64(commit.tally.read)
  }

  /// Indicates that a second has passed since the last `write`, or that the session has had none.
  var isDue: Bool { written.map { .now - $0 >= Self.interval } ?? true }

  /// Writes the status file and the metrics file, and passes the metrics to the receiver in the same process.
  mutating func write(_ backlog: SpoolBacklog, _ tables: TableWriter, _ log: Log) {
    let now = ContinuousClock.now
    written = now
    rate.add(read, at: now)
    let usage = ProcessUsage.now()
    let oldest = backlog.oldest.map { Timestamp(milliseconds: $0) }
    statusFile.replace(
      with: ConsumerStatus(
        pid: getpid(),
        startedAt: startedAt,
        updatedAt: .now,
        spool: spool,
        waitingFiles: backlog.count,
        oldestWaitingAt: oldest,
        recordsPerSecond1m: rate.perSecond(over: .seconds(60)),
        recordsPerSecond15m: rate.perSecond(over: MovingRate.longest),
        residentBytes: usage.residentBytes,
        openDescriptors: usage.openDescriptors
      ),
      log
    )
    guard metricsFile != nil || takeMetrics != nil else { return }
    metrics.totals = Totals((try? tables.ledger.counts()) ?? [:])
    metrics.commits = tables.ledger.commits
    metrics.committedAt = tables.ledger.committedAt
    metrics.waitingFiles = backlog.count
    metrics.oldestWaiting = oldest.map { max(Timestamp.now.since($0), .zero) } ?? .zero
    metrics.indexKeys = Int(tables.seenCount)
    metrics.process = usage
    let text = metrics.exposition
    metricsFile?.replace(with: text, log)
    takeMetrics?(text)
  }
}
