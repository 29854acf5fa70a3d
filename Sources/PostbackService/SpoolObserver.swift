internal import Base
internal import Metrics
internal import Spool
internal import Synchronization

/// An observer of a spool, for the consumer and for a receiver alone: it counts the waiting files and the room on the disks
/// about once a second.
final class SpoolObserver: Sendable {
  /// The results of the last count.
  struct Sample: Sendable {
    var backlog = SpoolBacklog()
    var disks: [DiskPlace: DiskSpace] = [:]

    /// The age of the oldest waiting file; zero if none waits.
    var oldestAge: Duration {
      // The clock may have gone back since the file came.
      backlog.oldest.map { max(Timestamp.now.since(Timestamp(milliseconds: $0)), .zero) } ?? .zero
    }
  }

  /// The members that the task shares with the observer.
  private final class Shared: Sendable {
    let sample = Mutex(Sample())
    let notPutAway = Mutex<Set<String>>([])
  }

  private let shared: Shared
  private let task: RepeatedTask

  /// Makes an observer of a spool and of the disks of the folders in `paths`.
  init(_ spool: String, _ paths: [DiskPlace: String]) {
    let shared = Shared()
    self.shared = shared
    // A large spool takes time to list. It may take a twentieth of a core.
    task = RepeatedTask("sample", longestShare: 0.05) {
      let notPutAway = shared.notPutAway.withLock { $0 }
      let backlog = try? SpoolBacklog(of: spool, without: notPutAway)
      let disks = paths.compactMapValues { DiskSpace.of($0) }
      shared.sample.withLock { sample in
        if let backlog { sample.backlog = backlog }
        sample.disks = disks
      }
    }
  }

  /// The results of the last count.
  var sample: Sample { shared.sample.withLock { $0 } }

  /// Begins to count.
  func start() { task.start() }

  /// Counts a last time, and then calls `done`.
  func finish(_ done: @escaping @Sendable () -> Void) { task.finish(done) }

  /// Sets the names of the files that were read and cannot be put away. They do not count as waiting.
  func use(notPutAway: Set<String>) { shared.notPutAway.withLock { $0 = notPutAway } }
}

extension Exposition {
  /// Adds the files that wait in a spool.
  mutating func addWaiting(_ sample: SpoolObserver.Sample) {
    begin("postback_spool_waiting_files", .gauge, "Files that wait in the spool, those included that are being read.")
    add(Int64(sample.backlog.count))
    begin("postback_spool_oldest_seconds", .gauge, "Age of the oldest waiting file in the spool; 0 if none waits.")
    add(sample.oldestAge.seconds)
  }
}
