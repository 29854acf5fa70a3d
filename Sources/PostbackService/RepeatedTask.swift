internal import Dispatch
internal import Synchronization

/// A task that is done again and again, on a queue of its own: a disk that does not respond delays nothing else.
final class RepeatedTask: Sendable {
  private let queue: DispatchQueue
  private let longestShare: Double
  private let work: @Sendable () -> Void
  private let isStopped = Atomic<Bool>(false)

  private static let interval = Duration.seconds(1)

  /// Makes a task that is done each second, or less often if it would take more than `longestShare` of the time.
  init(_ name: String, longestShare: Double = 1, _ work: @escaping @Sendable () -> Void) {
    queue = DispatchQueue(label: "postback.\(name)")
    self.longestShare = longestShare
    self.work = work
  }

  /// Begins to do the task.
  func start() {
    queue.async { self.runAndRepeat() }
  }

  /// Does the task once more soon.
  func runSoon() { queue.async { self.work() } }

  /// Does the task a last time, and then calls `done`.
  func finish(_ done: @escaping @Sendable () -> Void) {
    isStopped.store(true, ordering: .sequentiallyConsistent)
    queue.async {
      self.work()
      done()
    }
  }

  private func runAndRepeat() {
    guard !isStopped.load(ordering: .sequentiallyConsistent) else { return }
    let start = ContinuousClock.now
    work()
    let pause = max(Self.interval, (ContinuousClock.now - start) / longestShare)
    queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause / .milliseconds(1)))) { self.runAndRepeat() }
  }
}
