internal import Dispatch

extension DurableFile {
  /// The number of files that are made durable at once, each on a thread of its own.
  private static let synchronizedAtOnce = 16

  /// Makes files durable at the same time, in about the time that one takes, and leaves the cores to other tasks
  /// meanwhile. A file that fails throws at its next `synchronize`.
  package static func synchronize(_ files: [DurableFile]) async {
    guard !files.isEmpty else { return }
    let threads = min(files.count, synchronizedAtOnce)
    await withCheckedContinuation { continuation in
      let group = DispatchGroup()
      let queue = DispatchQueue(label: "fsync", attributes: .concurrent)
      for first in 0..<threads {
        queue.async(group: group) {
          for index in stride(from: first, to: files.count, by: threads) { try? files[index].synchronize() }
        }
      }
      group.notify(queue: queue) { continuation.resume() }
    }
  }
}
