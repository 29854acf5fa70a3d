internal import Dispatch
package import PostbackPipeline
internal import Synchronization

/// Makes postbacks durable together: while one group is written to the spool and fsynced, the next one gathers.
package final class GroupCommit: Sendable {
  /// What it tells the operator.
  package enum Event: Sendable {
    /// The spool cannot be written; nothing is acknowledged until it can.
    case failing(String)
    /// The spool can be written again.
    case recovered
  }

  private typealias Waiter = @Sendable (_ isDurable: Bool) -> Void

  private struct State: Sendable {
    var queue: CommitQueue<Waiter>
    var isStopping = false
    /// Why the last attempt failed; nil where it did not.
    var failure: String?
  }

  private let state: Mutex<State>
  private let work = DispatchSemaphore(value: 0)
  private let stopped = DispatchSemaphore(value: 0)
  private let metrics: ServerMetrics
  private let tell: @Sendable (Event) -> Void

  /// While the spool cannot be written and nobody asks, it is tried so often.
  private static let probeInterval = DispatchTimeInterval.seconds(2)

  /// Begins to write what comes into a spool.
  package init(
    _ writer: SpoolWriter,
    groupBytes: Int = 4 << 20,
    waitingBytes: Int,
    metrics: ServerMetrics,
    tell: @escaping @Sendable (Event) -> Void
  ) {
    state = Mutex(State(queue: CommitQueue(groupBytes: groupBytes, waitingLimit: waitingBytes)))
    self.metrics = metrics
    self.tell = tell
    DispatchQueue(label: "postback.commit", qos: .userInitiated).async { self.run(writer) }
  }

  /// Takes whole lines; `whenDone` is told, on another thread, whether they are durable. False, and nobody is told, where too
  /// much waits already.
  package func submit(_ lines: [UInt8], whenDone: @escaping @Sendable (_ isDurable: Bool) -> Void) -> Bool {
    let isTaken = state.withLock { $0.isStopping ? false : $0.queue.append(lines, whenDone) }
    if isTaken { work.signal() }
    return isTaken
  }

  /// Writes what waits, and ends; false where that takes longer than `limit`.
  package func stop(within limit: Duration) -> Bool {
    state.withLock { $0.isStopping = true }
    work.signal()
    let milliseconds = Int(clamping: Int64(limit / .milliseconds(1)))
    return stopped.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// Why nothing can be acknowledged; nil where it can.
  package var failure: String? { state.withLock { $0.failure } }

  /// Bytes that wait to be made durable.
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
        // A balancer that hears of the failure sends nobody any more, so that no request would show that it is over.
        note { () throws(SpoolFailure) in try writer.probe() }
      }
    }
  }

  private func commit(_ group: CommitQueue<Waiter>.Group, _ writer: inout SpoolWriter) {
    let start = ContinuousClock.now
    let isDurable = note { () throws(SpoolFailure) in try writer.write(group.bytes) }
    metrics.add(commit: .now - start, bytes: group.bytes.count, succeeded: isDurable)
    state.withLock { $0.queue.finish(group) }
    for tell in group.waiters { tell(isDurable) }
  }

  /// Does something with the spool, and keeps whether that works; told once when it changes.
  @discardableResult
  private func note(_ operation: () throws(SpoolFailure) -> Void) -> Bool {
    var failure: String?
    do throws(SpoolFailure) { try operation() } catch { failure = "\(error)" }
    let before = state.withLock { state in
      defer { state.failure = failure }
      return state.failure
    }
    if let failure, before == nil { tell(.failing(failure)) }
    if failure == nil, before != nil { tell(.recovered) }
    return failure == nil
  }
}
