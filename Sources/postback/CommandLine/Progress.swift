internal import PostbackPipeline
internal import Synchronization
internal import TableReading

/// A line on a terminal's standard error that shows progress, at most ten times a second. Does nothing if standard error is not
/// a terminal, or with `--quiet`.
final class ProgressLine: Sendable {
  fileprivate let isShown = Terminal.isWatched
  /// The time of the next change of the line, and if there was one before.
  private let state: Mutex<(next: ContinuousClock.Instant, isAny: Bool)>

  /// Makes a line that is not shown in the first `pause`.
  init(after pause: Duration = .zero) { state = Mutex((.now + pause, false)) }

  /// Shows a text, unless one was shown just before.
  func show(_ text: @autoclosure () -> String) {
    guard isShown else { return }
    let isDue = state.withLock { state in
      guard .now >= state.next else { return false }
      state = (.now + .milliseconds(100), true)
      return true
    }
    if isDue { Terminal.overwrite(text()) }
  }

  /// Erases the line.
  func clear() {
    if state.withLock(\.isAny) { Terminal.overwrite("") }
  }
}

extension ProgressLine {
  /// The handler that shows the progress of an analysis; nil if progress is not to be shown.
  var handler: AnalysisProgress.Handler? {
    guard isShown else { return nil }
    return { self.show(Self.text($0)) }
  }

  private static func text(_ progress: AnalysisProgress) -> String {
    let share = progress.total.flatMap { $0 > 0 ? "\(min(progress.done * 100 / $0, 100)) %  " : nil } ?? ""
    switch progress.task {
    case .reading(let table):
      return "\(share)reading \(table), \(progress.done / 1_000_000) MB"
    case .diagnosing:
      return "\(share)diagnosing, \(progress.done)" + (progress.total.map { " of \($0) rejects" } ?? " rejects")
    }
  }
}

/// The line that shows the progress of a run.
final class ProgressBar {
  private let line = ProgressLine()
  private let start = ContinuousClock.now
  /// The size of all inputs in bytes; nil if an input has no size, such as a pipe.
  private let total: Int64?
  private var current: InputFile?
  private var currentBytes: Int64 = 0
  private var finishedBytes: Int64 = 0

  init(inputs: [InputFile]) {
    total = inputs.allSatisfy { $0.byteCount != nil } ? inputs.reduce(0) { $0 + ($1.byteCount ?? 0) } : nil
  }

  /// Shows the progress.
  func show(_ progress: TableWriter.Progress) {
    if current != progress.input {
      finishedBytes += currentBytes
      current = progress.input
    }
    currentBytes = progress.consumed
    line.show(text(progress.tally, after: .now - start))
  }

  /// Erases the line.
  func clear() { line.clear() }

  private func text(_ tally: Tally, after elapsed: Duration) -> String {
    let bytes = finishedBytes + currentBytes
    let milliseconds = max(Int64(elapsed / .milliseconds(1)), 1)
    var parts: [String] = []
    if let total, total > 0 { parts.append("\(min(Int(Double(bytes) / Double(total) * 100), 100)) %") }
    parts.append(Self.megabytes(bytes) + (total.map { " of " + Self.megabytes($0) } ?? ""))
    parts.append("\(Int64(tally.read) * 1000 / milliseconds) postbacks/s")
    parts.append("\(tally.accepted) accepted, \(tally.rejected) rejected")
    if let total, bytes > 0, total > bytes {
      let seconds = Double(total - bytes) / Double(bytes) * Double(milliseconds) / 1000
      if seconds < 1e9 { parts.append(Self.clock(Int64(seconds)) + " left") }
    }
    return parts.joined(separator: "  ")
  }

  private static func megabytes(_ bytes: Int64) -> String {
    "\(bytes / 1_000_000).\(bytes / 100_000 % 10) MB"
  }

  private static func clock(_ seconds: Int64) -> String {
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
  }
}
