internal import Metrics
internal import PostbackServer
internal import Synchronization

/// The text of all metrics of a process with a receiver.
final class MetricsText: Sendable {
  private let metrics: ServerMetrics
  private let commits: GroupCommit
  /// The commits of apps' events; nil if the server does not take them.
  private let events: GroupCommit?
  private let consumer: ConsumerMonitor?
  /// The observer of the spool if there is no consumer in the process.
  private let observer: SpoolObserver
  private let version: String
  /// The results of reloads, which are those of the consumer if there is one.
  private let reloads = Mutex(ReloadResults())

  init(
    _ metrics: ServerMetrics,
    _ commits: GroupCommit,
    _ events: GroupCommit?,
    _ consumer: ConsumerMonitor?,
    spool: String,
    version: String
  ) {
    self.metrics = metrics
    self.commits = commits
    self.events = events
    self.consumer = consumer
    observer = SpoolObserver(spool, [.spool: spool])
    self.version = version
  }

  /// Begins to count the waiting files, of which a consumer in the same process would tell.
  func observeSpool() { observer.start() }

  func add(reloadSucceeded: Bool) { reloads.withLock { $0.add(succeeded: reloadSucceeded) } }

  /// The HTTP route of the text.
  var route: Route {
    Route(
      "metrics",
      "GET",
      "/metrics",
      isRateLimited: { _ in false },
      action: .answer { _ in
        HTTPResponse(
          200,
          headers: [.init("Content-Type", "text/plain; version=0.0.4; charset=utf-8")],
          body: Array(self.value.utf8)
        )
      }
    )
  }

  private var value: String {
    let full: Set<DiskPlace> = commits.isDiskFull ? [.spool] : []
    let text = metrics.exposition(commits, events: events)
    if let consumer { return text + consumer.exposition(full: full) }
    var process = Exposition()
    let sample = observer.sample
    process.addWaiting(sample)
    process.add(sample.disks, full: full, of: [.spool])
    process.add(reloads.withLock { $0 })
    process.add(ProcessUsage.now(), of: .process, version: version)
    return text + process.text
  }
}
