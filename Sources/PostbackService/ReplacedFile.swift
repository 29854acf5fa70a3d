internal import DurableFiles
internal import Glibc

/// A file whose content is replaced as a whole: a reader sees one text or the next, never a mixture.
///
/// A failure is logged once, and again only after a successful write. The file is not fsynced.
package struct ReplacedFile: Sendable {
  let path: String
  private var isFailing = false

  /// Creates the file object for a path, without writing.
  package init(_ path: String) { self.path = path }

  /// Replaces the content. A failure is logged as a warning and stops nothing.
  mutating func replace(with text: String, _ log: Log) {
    do throws(FileFailure) {
      try write(text)
      isFailing = false
    } catch {
      if !isFailing { log.warning("file_not_written", "\(error)", ["path": .text(path)]) }
      isFailing = true
    }
  }

  private func write(_ text: String) throws(FileFailure) {
    var status = stat()
    // The rename would replace a device or a named pipe as well.
    if unsafe stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw FileFailure(.cannotCreate, path, "is not a regular file; give another path")
    }
    let file = try UnfinishedFile(path)
    try file.allowReading()
    try file.write(Array(text.utf8))
    try file.publish()
  }
}
