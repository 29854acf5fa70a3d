internal import PostbackPipeline
internal import Tables

/// The progress of a long analysis.
package struct AnalysisProgress: Sendable {
  /// A callback that takes the progress; it is called often.
  package typealias Handler = @Sendable (AnalysisProgress) -> Void

  /// The kind of work, with the unit of its progress.
  package enum Work: Sendable, Equatable {
    /// Reading the table with this name; the unit is a byte of its files.
    case reading(String)
    /// Diagnosing rejects; the unit is a reject.
    case diagnosing
  }

  /// The kind of work.
  package let task: Work
  /// The amount of work that is done, in the unit of `task`.
  package let done: Int64
  /// The whole amount of work, in the unit of `task`; nil if it is unknown, as for a pipe.
  package let total: Int64?

  /// Makes the progress of a piece of work.
  package init(task: Work, done: Int64, total: Int64?) {
    (self.task, self.done, self.total) = (task, done, total)
  }
}

/// A meter that counts the bytes of files as they are read, and reports the progress.
struct ReadingMeter {
  private let files: TableFiles
  private let total: Int64?
  private var current: InputFile?
  private var currentBytes: Int64 = 0
  private var finishedBytes: Int64 = 0

  init(_ files: TableFiles) {
    self.files = files
    total = files.byteCount
  }

  /// Adds the origins of the next batch, in the order of reading.
  mutating func add(_ origins: [BatchOrigin]) {
    for origin in origins {
      if current != origin.input {
        finishedBytes += currentBytes
        current = origin.input
      }
      currentBytes = origin.consumed
    }
    files.progress?(
      AnalysisProgress(task: .reading(files.table.name), done: finishedBytes + currentBytes, total: total)
    )
  }
}
