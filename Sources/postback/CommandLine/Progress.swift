internal import PostbackPipeline
internal import Synchronization
internal import TableReading

/// A line on a terminal's standard error that shows the progress of an analysis. Does nothing if standard error is not
/// a terminal, or with `--quiet`.
final class AnalysisProgressLine: Sendable {
  private let lastShown = Mutex<ContinuousClock.Instant?>(nil)

  /// The handler that shows progress; nil if progress is not to be shown.
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

/// A line on a terminal's standard error that shows the progress of opening a large state. Does nothing if standard error is
/// not a terminal, with `--quiet`, or in the first half second.
final class OpeningLine {
  private let isShown = Terminal.isWatched
  private var next = ContinuousClock.now + .milliseconds(500)
  private var isAny = false

  /// Shows the share that is done, at most ten times a second.
  func show(_ share: Double) {
    guard isShown, .now >= next else { return }
    (next, isAny) = (.now + .milliseconds(100), true)
    Terminal.overwrite("opening the state, \(Int(share * 100)) %")
  }

  /// Erases the line.
  func clear() {
    if isAny { Terminal.overwrite("") }
  }
}

/// A line on a terminal's standard error that shows the progress of a run. Does nothing if standard error is not a
/// terminal, or with `--quiet`.
final class ProgressBar {
  private let isShown = Terminal.isWatched
  private let start = ContinuousClock.now
  /// The size of all inputs in bytes; nil if an input has no size, such as a pipe.
  private let total: Int64?
  private var lastShown: ContinuousClock.Instant?
  private var current: InputFile?
  private var currentBytes: Int64 = 0
  private var finishedBytes: Int64 = 0

  init(inputs: [InputFile]) {
    total = inputs.allSatisfy { $0.byteCount != nil } ? inputs.reduce(0) { $0 + ($1.byteCount ?? 0) } : nil
  }

  /// Shows the progress, at most ten times a second.
  func show(_ progress: TableWriter.Progress) {
    guard isShown else { return }
    if current != progress.input {
      finishedBytes += currentBytes
      current = progress.input
    }
    currentBytes = progress.consumed
    let now = ContinuousClock.now
    if let lastShown, now - lastShown < .milliseconds(100) { return }
    lastShown = now
    Terminal.overwrite(line(progress.tally, after: now - start))
  }

  /// Erases the line.
  func clear() {
    if lastShown != nil { Terminal.overwrite("") }
  }

  private func line(_ tally: Tally, after elapsed: Duration) -> String {
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
