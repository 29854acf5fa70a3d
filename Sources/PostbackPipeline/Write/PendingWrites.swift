internal import DurableFiles
internal import Tables

/// The writes of rows that have their places already. They run on other threads while the next rows get theirs, and
/// must be finished before a commit.
struct PendingWrites {
  /// The oldest first.
  private var tasks: [Task<Result<Void, FileFailure>, Never>] = []

  /// The number of writes that may wait, each with the rows of a table in one batch.
  private static let limit = 16

  /// Begins to write rows in all their formats. Waits for the oldest writes if there are many.
  mutating func begin(_ writes: [PartWrite]) async throws(FileFailure) {
    guard !writes.isEmpty else { return }
    tasks.append(
      Task.detached {
        Result { () throws(FileFailure) in for write in writes { try write.perform() } }
      }
    )
    while tasks.count > Self.limit { try await tasks.removeFirst().value.get() }
  }

  /// Waits for all writes. Throws if one has failed, after all of them have ended.
  mutating func finish() async throws(FileFailure) {
    var results: [Result<Void, FileFailure>] = []
    for task in tasks { results.append(await task.value) }
    tasks = []
    for result in results { try result.get() }
  }
}
