internal import Analysis
internal import Synchronization

/// A line on a terminal's standard error that shows the progress of an analysis. Does nothing if standard error is not
/// a terminal, or with `--quiet`.
final class AnalysisProgressLine: Sendable {
  private let lastShown = Mutex<ContinuousClock.Instant?>(nil)

  /// The handler that shows progress; nil if there is nobody to show it to.
  var handler: AnalysisProgress.Handler? {
    guard Terminal.isWatched else { return nil }
    return { self.show($0) }
  }

  /// Erases the line.
  func clear() {
    if lastShown.withLock({ $0 }) != nil { Terminal.overwrite("") }
  }

  /// Shows the progress, at most ten times a second.
  private func show(_ progress: AnalysisProgress) {
    let isDue = lastShown.withLock { last in
      let now = ContinuousClock.now
      if let last, now - last < .milliseconds(100) { return false }
      last = now
      return true
    }
    if isDue { Terminal.overwrite(Self.line(progress)) }
  }

  private static func line(_ progress: AnalysisProgress) -> String {
    let share = progress.total.flatMap { $0 > 0 ? "\(min(progress.done * 100 / $0, 100)) %  " : nil } ?? ""
    switch progress.task {
    case .reading(let table):
      return "\(share)reading \(table), \(progress.done / 1_000_000) MB"
    case .diagnosing:
      return "\(share)diagnosing, \(progress.done)" + (progress.total.map { " of \($0) rejects" } ?? " rejects")
    }
  }
}
