package import DurableFiles
package import Spool
internal import Dispatch
internal import Synchronization

/// Makes postbacks, or events, durable in groups: while one group is written and fsynced, the next one gathers.
///
/// Lines that may gather wait for others, so that they share a page of the disk: until `gathering` after the start of the
/// last write, or until they fill a page. After a longer pause they are written at once.
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
    /// The error of the last failed write or probe; nil once writes have succeeded for `calm` after it.
    var failure: FileFailure?
    var failedAt = ContinuousClock.now
    /// The number of bytes of the last write that failed.
    var failedBytes = 0
    /// The start of the write or probe that is in progress; nil if there is none.
    var writingSince: ContinuousClock.Instant?
    /// The start of the last write of a group; nil before the first.
    var startedAt: ContinuousClock.Instant?

    /// Returns the next group to write, and the time that lines may still gather; zero if there are none.
    mutating func next(gathering: Duration) -> (CommitQueue<Waiter>.Group?, Duration) {
      let rest = startedAt.map { gathering - (.now - $0) } ?? .zero
      let mayGather = rest > .zero && !isStopping && failure == nil
      let group = queue.take(gathering: mayGather)
      return (group, mayGather && !queue.isEmpty ? rest : .zero)
    }
  }

  private let state: Mutex<State>
  private let work = DispatchSemaphore(value: 0)
  private let stopped = DispatchSemaphore(value: 0)
  private let attempted = DispatchSemaphore(value: 0)
  private let gathering: Duration
  private let metrics: ServerMetrics
  private let report: @Sendable (Event) -> Void

  /// The time without requests after which the place of the files is looked at.
  private static let idleInterval = DispatchTimeInterval.seconds(5)
  /// The interval of write attempts while the spool is failing and no request arrives.
  private static let probeInterval = DispatchTimeInterval.seconds(2)
  /// The size of the first write attempt: what a postback takes on a disk.
  private static let firstBytes = 4096
  /// The time without a failure after which the spool counts as recovered. On a disk that is nearly full small writes
  /// succeed between large ones that fail.
  private static let calm = Duration.seconds(5)
  /// The time after which a write that has not finished counts as hanging.
  private static let patience = Duration.seconds(5)

  /// Starts to write submitted lines into the spool, on a queue of its own, after a first attempt. Lines gather for up to `gathering`.
  package init(
    _ writer: some DurableLineWriter,
    groupBytes: Int = 4 << 20,
    waitingBytes: Int,
    gathering: Duration = .zero,
    metrics: ServerMetrics,
    report: @escaping @Sendable (Event) -> Void
  ) {
    state = Mutex(State(queue: CommitQueue(groupBytes: groupBytes, waitingLimit: waitingBytes)))
    self.gathering = gathering
    self.metrics = metrics
    self.report = report
    DispatchQueue(label: "postback.commit", qos: .userInitiated).async { self.run(writer) }
    // So that the first answer about the health is right. A write that hangs is waited for no longer.
    _ = attempted.wait(timeout: .now() + .seconds(5))
  }

  /// Queues whole lines. `whenDone` is called on another thread with the outcome. Returns false, without a call, if the
  /// queue is full or the commit is stopping. With `mayGather` the lines may wait for others.
  package func submit(
    _ lines: [UInt8],
    mayGather: Bool = false,
    whenDone: @escaping @Sendable (_ isDurable: Bool) -> Void
  ) -> Bool {
    let isTaken = state.withLock { $0.isStopping ? false : $0.queue.append(lines, mayGather: mayGather, whenDone) }
    if isTaken { work.signal() }
    return isTaken
  }

  /// Changes the number of bytes that may wait to be made durable.
  package func use(waitingBytes: Int) { state.withLock { $0.queue.waitingLimit = waitingBytes } }

  /// Writes the queued lines and stops; returns false if that takes longer than `limit`.
  package func stop(within limit: Duration) -> Bool {
    state.withLock { $0.isStopping = true }
    work.signal()
    let milliseconds = Int(clamping: Int64(limit / .milliseconds(1)))
    return stopped.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }

  /// The reason that postbacks cannot be acknowledged now; nil if the spool can be written.
  package var failure: String? {
    state.withLock { state in
      if let since = state.writingSince, .now - since > Self.patience {
        let seconds = Int((.now - since) / .seconds(1))
        return "The spool has not finished a write for \(seconds) s. Check the disk."
      }
      return state.failure.map { "\($0)" }
    }
  }

  /// Indicates that the last failure was a lack of room.
  package var isDiskFull: Bool { state.withLock { $0.failure?.kind == .diskFull } }

  /// The time since the start of the write that is in progress; zero if there is none.
  package var writingTime: Duration {
    state.withLock { state in state.writingSince.map { .now - $0 } ?? .zero }
  }

  /// The number of bytes that wait to be made durable.
  package var waitingBytes: Int { state.withLock { $0.queue.waitingBytes } }

  private func run(_ writer: some DurableLineWriter) {
    var writer = writer
    // Before the first request nothing else would show that the spool cannot be written.
    note(Self.firstBytes) { () throws(FileFailure) in try writer.attempt(byteCount: Self.firstBytes) }
    attempted.signal()
    while true {
      let ((group, gathers), isStopping, isFailing) = state.withLock {
        ($0.next(gathering: gathering), $0.isStopping, $0.failure != nil)
      }
      if let group {
        commit(group, &writer)
      } else if isStopping {
        stopped.signal()
        return
      } else if gathers > .zero {
        _ = work.wait(timeout: .now() + .microseconds(Int(gathers / .microseconds(1)) + 1))
      } else if !isFailing {
        // Without requests nothing else would show that the place of the files is gone.
        if work.wait(timeout: .now() + Self.idleInterval) == .timedOut {
          note(0) { () throws(FileFailure) in try writer.reach() }
        }
      } else if work.wait(timeout: .now() + Self.probeInterval) == .timedOut {
        // A load balancer that sees the failure sends no more requests, so none would show that the spool works again.
        let byteCount = state.withLock { $0.failedBytes }
        note(byteCount) { () throws(FileFailure) in try writer.probe(byteCount: byteCount) }
      }
    }
  }

  private func commit(_ group: CommitQueue<Waiter>.Group, _ writer: inout some DurableLineWriter) {
    let start = ContinuousClock.now
    state.withLock { $0.startedAt = start }
    let isDurable = note(group.bytes.count) { () throws(FileFailure) in try writer.write(group.bytes) }
    metrics.add(
      commit: .now - start,
      synchronization: writer.synchronizationTime,
      bytes: group.bytes.count,
      succeeded: isDurable
    )
    state.withLock { $0.queue.finish(group) }
    for notify in group.waiters { notify(isDurable) }
  }

  /// Runs an operation on the spool, records its error, and reports the change between failure and recovery. Returns
  /// true if it succeeded.
  @discardableResult
  private func note(_ byteCount: Int, _ operation: () throws(FileFailure) -> Void) -> Bool {
    state.withLock { $0.writingSince = .now }
    var failure: FileFailure?
    do throws(FileFailure) { try operation() } catch { failure = error }
    let event: Event? = state.withLock { state in
      state.writingSince = nil
      if let failure {
        defer { (state.failure, state.failedAt, state.failedBytes) = (failure, .now, byteCount) }
        return state.failure == nil ? .failing("\(failure)") : nil
      }
      guard state.failure != nil, .now - state.failedAt >= Self.calm else { return nil }
      state.failure = nil
      return .recovered
    }
    if let event { report(event) }
    return failure == nil
  }
}

/// A writer that makes whole lines durable.
package protocol DurableLineWriter: Sendable {
  /// Writes whole lines. On return they survive a loss of power; if this throws, they must not be relied on.
  mutating func write(_ bytes: [UInt8]) throws(FileFailure)
  /// Tests if this number of bytes can be made durable, without any file that a reader sees.
  mutating func attempt(byteCount: Int) throws(FileFailure)
  /// Tests if this number of bytes can be written now, with all steps of a write.
  mutating func probe(byteCount: Int) throws(FileFailure)
  /// Tests if the place of the files is there and may be written to, without writing.
  func reach() throws(FileFailure)
  /// The time that the last write spent in fsync.
  var synchronizationTime: Duration { get }
}

extension SpoolWriter: DurableLineWriter {}

/// The queue of lines that wait to be made durable, in groups of bounded size. A pure struct: its owner holds the lock
/// and writes the files.
struct CommitQueue<Waiter: Sendable>: Sendable {
  /// The lines of one file, with the requests that wait for it.
  struct Group: Sendable {
    fileprivate(set) var bytes: [UInt8] = []
    /// The waiters to notify when the group has been written or has failed.
    fileprivate(set) var waiters: [Waiter] = []
    /// Indicates that all lines may wait for others.
    fileprivate var mayGather = true
  }

  /// The bytes from which a group gains nothing by more lines: each further one takes room on the disk of its own.
  private static var pageBytes: Int { 4096 }

  private let groupBytes: Int
  /// The number of bytes that may wait together.
  var waitingLimit: Int
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

  /// Adds the lines of a request, which stay in one group; returns false if there is no room. A group of which a request
  /// may not gather does not wait for more.
  mutating func append(_ lines: [UInt8], mayGather: Bool = false, _ waiter: Waiter) -> Bool {
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
    if !mayGather { groups[groups.count - 1].mayGather = false }
    return true
  }

  /// Removes the next group to write; nil if there is none, or with `gathering` if it may wait for more lines and fills no
  /// page yet. Its bytes count as waiting until `finish`.
  mutating func take(gathering: Bool = false) -> Group? {
    guard let first = groups.first else { return nil }
    if gathering, groups.count == 1, first.mayGather, first.bytes.count < Self.pageBytes { return nil }
    return groups.removeFirst()
  }

  /// Ends the wait of a group that was written or has failed.
  mutating func finish(_ group: Group) { waitingBytes -= group.bytes.count }
}
