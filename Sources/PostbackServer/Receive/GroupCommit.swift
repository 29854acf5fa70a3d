internal import DurableFiles
package import Spool
internal import Dispatch
internal import PostbackPipeline
internal import Synchronization

/// Makes postbacks durable in groups: while one group is written to the spool and fsynced, the next one gathers.
package final class GroupCommit: Sendable {
  /// A change in the state of the spool that an operator needs to know.
  package enum Event: Sendable {
    /// The spool cannot be written, for this reason; nothing is acknowledged until it can.
    case failing(String)
    /// The spool can be written again.
    case recovered
  }

  private typealias Waiter = @Sendable (_ isDurable: Bool) -> Void

  private struct State: Sendable {
    var queue: CommitQueue<Waiter>
    var isStopping = false
    /// The error of the last write or probe; nil if it succeeded.
    var failure: String?
  }

  private let state: Mutex<State>
  private let work = DispatchSemaphore(value: 0)
  private let stopped = DispatchSemaphore(value: 0)
  private let metrics: ServerMetrics
  private let report: @Sendable (Event) -> Void

  /// The interval of write attempts while the spool is failing and no request arrives.
  private static let probeInterval = DispatchTimeInterval.seconds(2)

  /// Starts to write submitted lines into the spool, on a queue of its own.
  package init(
    _ writer: SpoolWriter,
    groupBytes: Int = 4 << 20,
    waitingBytes: Int,
    metrics: ServerMetrics,
    report: @escaping @Sendable (Event) -> Void
  ) {
    state = Mutex(State(queue: CommitQueue(groupBytes: groupBytes, waitingLimit: waitingBytes)))
    self.metrics = metrics
    self.report = report
    DispatchQueue(label: "postback.commit", qos: .userInitiated).async { self.run(writer) }
  }

  /// Queues whole lines. `whenDone` is called on another thread with the outcome. Returns false, without a call, if the
  /// queue is full or the commit is stopping.
  package func submit(_ lines: [UInt8], whenDone: @escaping @Sendable (_ isDurable: Bool) -> Void) -> Bool {
    let isTaken = state.withLock { $0.isStopping ? false : $0.queue.append(lines, whenDone) }
    if isTaken { work.signal() }
    return isTaken
  }

  /// Writes the queued lines and stops; returns false if that takes longer than `limit`.
  package func stop(within limit: Duration) -> Bool {
    state.withLock { $0.isStopping = true }
    work.signal()
    let milliseconds = Int(clamping: Int64(limit / .milliseconds(1)))
    return stopped.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// The reason that no postback can be acknowledged now; nil if the spool can be written.
  package var failure: String? { state.withLock { $0.failure } }

  /// The number of bytes that wait to be made durable.
  package var waitingBytes: Int { state.withLock { $0.queue.waitingBytes } }

  private func run(_ writer: SpoolWriter) {
    var writer = writer
    while true {
      let (group, isStopping, isFailing) = state.withLock { ($0.queue.take(), $0.isStopping, $0.failure != nil) }
      if let group {
        commit(group, &writer)
      } else if isStopping {
        stopped.signal()
        return
      } else if !isFailing {
        work.wait()
      } else if work.wait(timeout: .now() + Self.probeInterval) == .timedOut {
        // A load balancer that sees the failure sends no more requests, so none would show that the spool works again.
        note { () throws(FileFailure) in try writer.probe() }
      }
    }
  }

  private func commit(_ group: CommitQueue<Waiter>.Group, _ writer: inout SpoolWriter) {
    let start = ContinuousClock.now
    let isDurable = note { () throws(FileFailure) in try writer.write(group.bytes) }
    metrics.add(commit: .now - start, bytes: group.bytes.count, succeeded: isDurable)
    state.withLock { $0.queue.finish(group) }
    for notify in group.waiters { notify(isDurable) }
  }

  /// Runs an operation on the spool, records its error, and reports the change between success and failure. Returns
  /// true if it succeeded.
  @discardableResult
  private func note(_ operation: () throws(FileFailure) -> Void) -> Bool {
    var failure: String?
    do throws(FileFailure) { try operation() } catch { failure = "\(error)" }
    let before = state.withLock { state in
      defer { state.failure = failure }
      return state.failure
    }
    if let failure, before == nil { report(.failing(failure)) }
    if failure == nil, before != nil { report(.recovered) }
    return failure == nil
  }
}

/// The queue of lines that wait to be made durable, in groups of bounded size. A pure struct: its owner holds the lock
/// and writes the files.
struct CommitQueue<Waiter: Sendable>: Sendable {
  /// The lines of one file, with the requests that wait for it.
  struct Group: Sendable {
    fileprivate(set) var bytes: [UInt8] = []
    /// The waiters to notify when the group has been written or has failed.
    fileprivate(set) var waiters: [Waiter] = []
  }

  private let groupBytes: Int
  private let waitingLimit: Int
  private var groups: [Group] = []
  /// The number of bytes in waiting groups, including the group that is being written.
  private(set) var waitingBytes = 0

  /// Creates an empty queue. A group has at most `groupBytes` bytes, unless a single request has more; at most
  /// `waitingLimit` bytes may wait together.
  init(groupBytes: Int, waitingLimit: Int) {
    self.groupBytes = groupBytes
    self.waitingLimit = waitingLimit
  }

  /// Indicates that no group waits to be written.
  var isEmpty: Bool { groups.isEmpty }

  /// Adds the lines of a request, which stay in one group; returns false if there is no room.
  mutating func append(_ lines: [UInt8], _ waiter: Waiter) -> Bool {
    guard waitingBytes + lines.count <= waitingLimit else { return false }
    waitingBytes += lines.count
    if groups.last.map({ $0.bytes.count + lines.count > groupBytes }) ?? true { groups.append(Group()) }
    if groups[groups.count - 1].bytes.isEmpty {
      // Moves the array instead of copying it, because it may be large.
      groups[groups.count - 1].bytes = lines
    } else {
      groups[groups.count - 1].bytes += lines
    }
    groups[groups.count - 1].waiters.append(waiter)
    return true
  }

  /// Removes the next group to write; nil if there is none. Its bytes count as waiting until `finish`.
  mutating func take() -> Group? { groups.isEmpty ? nil : groups.removeFirst() }

  /// Ends the wait of a group that was written or has failed.
  mutating func finish(_ group: Group) { waitingBytes -= group.bytes.count }
}
