/// The times of commits: changes wait for others, but not for long.
struct CommitSchedule {
  private let interval: Duration
  private let trickleInterval: Duration
  /// The time of the oldest change that is not committed; nil if there is none.
  private var waitingSince: ContinuousClock.Instant?
  private var committedAt: ContinuousClock.Instant?

  /// Makes the schedule of a writer that has no changes. While input comes, a change waits at most for `interval`; otherwise
  /// commits are at least `trickleInterval` apart.
  init(interval: Duration, trickleInterval: Duration) {
    (self.interval, self.trickleInterval) = (interval, trickleInterval)
  }

  /// Indicates that a change is not committed.
  var isWaiting: Bool { waitingSince != nil }

  /// True after a batch if its commit is due, or nothing has changed: inputs of known content need not wait.
  var isDue: Bool { waitingSince.map { .now - $0 >= interval } ?? true }

  /// The time at which a commit is due if no more input comes; nil if nothing has changed.
  var trickleDue: ContinuousClock.Instant? {
    waitingSince.map { changed in committedAt.map { max(changed, $0 + trickleInterval) } ?? changed }
  }

  /// Records a change.
  mutating func change() { waitingSince = waitingSince ?? .now }

  /// Records that all changes are committed.
  mutating func commit() { (waitingSince, committedAt) = (nil, .now) }
}
