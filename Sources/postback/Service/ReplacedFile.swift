internal import Glibc
internal import PostbackPipeline

/// A file that is replaced whole, again and again: who reads it sees one text or the next, never half of one.
///
/// That it cannot be written is told once, and again when it could be in between. It is not made durable.
struct ReplacedFile: Sendable {
  let path: String
  private var isFailing = false

  init(_ path: String) { self.path = path }

  /// Puts a text in the place of the last one. A failure is a warning, and stops nothing.
  mutating func replace(with text: String, _ log: Log) {
    do throws(WriteFailure) {
      try write(text)
      isFailing = false
    } catch {
      if !isFailing { log.warning("file_not_written", "\(error)", ["path": .text(path)]) }
      isFailing = true
    }
  }

  private func write(_ text: String) throws(WriteFailure) {
    var status = stat()
    // A device would be replaced too.
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw WriteFailure(kind: .cannotCreate, path: path, reason: "is no regular file; give another path")
    }
    let file = try UnfinishedFile(path)
    try file.allowReading()
    try file.write(Array(text.utf8))
    try file.publish()
  }
}
