internal import Dispatch
internal import DurableFiles
internal import Glibc

/// A process that runs until it is asked to end. It ends with this value too, so that a measure that fails leaves none behind.
final class ServerProcess: Sendable {
  private let pidFile: String
  private let run: Task<ProcessRun, any Error>

  /// Starts a command, whose process id is kept in a file of a folder.
  init(_ command: [String], named name: String, in folder: String) {
    pidFile = "\(folder)/\(name).pid"
    let words = ["sh", "-c", "echo $$ > '\(pidFile)'; exec \"$@\"", "sh"] + command
    // It blocks for as long as the process runs, and the threads of tasks are few.
    run = Task {
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue(label: name).async { continuation.resume(with: Result { try ProcessRun(words) }) }
      }
    }
  }

  deinit { try? signal() }

  /// Ends the process, and returns its run. Throws if it had ended before, or ends with another status than 0.
  func stop() async throws -> ProcessRun {
    try signal()
    let ended = try await run.value
    _ = unsafe unlink(pidFile)
    return ended
  }

  private func signal() throws {
    guard let process = (try? WholeFile.text(of: pidFile)).flatMap({ pid_t($0.filter { !$0.isWhitespace }) }),
      kill(process, SIGTERM) == 0
    else { throw BenchmarkFailure("the process of \(pidFile) has ended; run it by hand to see why") }
  }
}
