internal import DurableFiles

/// A file whose content is replaced as a whole: a reader sees one text or the next, never a mixture.
///
/// While the disk is full, the old file is overwritten instead if the text fits in it; a reader may then see a mixture.
/// A failure is logged once, and again only after a successful write. The file is not fsynced.
package struct ReplacedFile: Sendable {
  let path: String
  private var isFailing = false

  /// Creates the file object for a path, without writing.
  package init(_ path: String) { self.path = path }

  /// Replaces the content. A failure is logged as a warning and stops nothing.
  package mutating func replace(with text: String, _ log: Log) {
    let bytes = Array(text.utf8)
    do throws(FileFailure) {
      do throws(FileFailure) { try WholeFile.replace(path, with: bytes) } catch {
        guard error.kind == .diskFull, WholeFile.overwrite(path, with: bytes) else { throw error }
      }
      isFailing = false
    } catch {
      if !isFailing { log.warning("file_not_written", "\(error)", ["path": .text(path)]) }
      isFailing = true
    }
  }
}
