internal import PostbackPipeline

/// How far something that takes a while is.
package struct AnalysisProgress: Sendable {
  /// Takes it, often.
  package typealias Handler = @Sendable (AnalysisProgress) -> Void

  /// Work that is counted.
  package enum Work: Sendable, Equatable {
    /// Reading a table: counted in bytes of its files.
    case reading(String)
    /// Looking for what was done to rejects: counted in rejects.
    case diagnosing
  }

  /// The work.
  package let task: Work
  /// How much of it is done.
  package let done: Int64
  /// How much there is; nil where that is not known, as of a pipe.
  package let total: Int64?
}

/// Counts the bytes of files as they are read.
struct ReadingMeter {
  private let files: TableFiles
  private let total: Int64?
  private var current: InputFile?
  private var currentBytes: Int64 = 0
  private var finishedBytes: Int64 = 0

  init(_ files: TableFiles) {
    self.files = files
    total = files.canBeReadAgain ? files.inputs.reduce(0) { $0 + ($1.byteCount ?? 0) } : nil
  }

  /// Takes the origins of a batch, in order.
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
