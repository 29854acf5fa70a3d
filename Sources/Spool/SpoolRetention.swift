package import DurableFiles
internal import Glibc

/// The removal of files that were put away into `done/` and `failed/` of a spool before a time.
package struct SpoolRetention {
  /// The number of files that were removed, without those with the reasons of others.
  package private(set) var count = 0
  /// False if there are more old files, which the next removal is for.
  package private(set) var isComplete = true

  private static let mostFiles = 20_000

  /// Removes files that were last written, and put away, before a time in milliseconds since 1970, with their reasons.
  /// Files that wait are never touched.
  package init(before time: Int64, in spool: String) throws(FileFailure) {
    var removed = 0
    for name in ["done", "failed"] {
      let folder = DurableFolder("\(spool)/\(name)")
      guard isComplete, try folder.byteCount(of: ".") != nil else { continue }
      let before = removed
      for file in try SpoolListing.names(in: folder.path) where isComplete {
        let path = file.path(in: folder.path)
        // An old file that was put away today was read today.
        guard let attributes = SpoolFileAttributes(path), max(attributes.modified, attributes.putAway) < time else {
          continue
        }
        guard unsafe unlink(path) == 0 || errno == ENOENT else {
          throw .system(.io, "\(folder.path)/\(file.text)", "The file cannot be removed")
        }
        removed += 1
        if !file.text.hasSuffix(".reason") { count += 1 }
        isComplete = removed < Self.mostFiles
      }
      if removed > before { try folder.synchronize() }
    }
  }
}
