internal import ConversionModel
internal import Glibc
internal import PostbackPipeline
internal import PostbackServer

/// What a consumer shows of itself: the status file in the state's folder, and the metrics file.
struct ConsumerReport {
  private let spool: String
  private var statusFile: StatusFile
  private var metricsFile: ReplacedFile?
  private let takeMetrics: (@Sendable (String) -> Void)?
  private let startedAt = Timestamp.now
  private var metrics = Metrics()
  private var rates = Rates()
  private var read: Int64 = 0
  private var written: ContinuousClock.Instant?

  private static let interval = Duration.seconds(1)

  init(_ options: ConsumerOptions) {
    spool = options.spool
    statusFile = StatusFile(folder: options.state)
    metricsFile = options.metricsFile
    takeMetrics = options.neighbour.metrics
  }

  /// Begins with the counts of a state.
  mutating func begin(_ tables: Tables) {
    read = (try? tables.ledger.counts()["read"]) ?? 0
    rates.add(read, at: .now)
    written = nil
  }

  /// Takes a commit in.
  mutating func add(_ commit: Tables.Commit) {
    metrics.commitDurations.observe(commit.duration)
    read += Int64(commit.tally.read)
  }

  /// Whether it is time to write.
  var isDue: Bool { written.map { .now - $0 >= Self.interval } ?? true }

  /// Writes both files, and hands the metrics over.
  mutating func write(_ backlog: SpoolBacklog, _ tables: Tables, _ log: Log) {
    let now = ContinuousClock.now
    written = now
    rates.add(read, at: now)
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
        recordsPerSecond1m: rates.perSecond(over: .seconds(60)),
        recordsPerSecond15m: rates.perSecond(over: Rates.longest),
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
