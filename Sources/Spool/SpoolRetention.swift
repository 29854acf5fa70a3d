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
    for folder in try PutAwayFolders(of: spool, upTo: time).folders where isComplete {
      let before = removed
      for file in try SpoolListing.reading(folder.path, skipsFolders: true).names() where isComplete {
        guard folder.holdsOld(file, before: time) else { continue }
        guard unsafe unlink(file.path(in: folder.path)) == 0 || errno == ENOENT else {
          throw .system(.io, "\(folder.path)/\(file.text)", "The file cannot be removed")
        }
        removed += 1
        if !file.text.hasSuffix(".reason") { count += 1 }
        isComplete = removed < Self.mostFiles
      }
      if removed > before { try DurableFolder(folder.path).synchronize() }
      folder.removeIfEmpty(before: time)
    }
  }

  /// Counts the files that were put away, and those of them that would be removed.
  package static func share(before time: Int64, in spool: String) throws(FileFailure) -> (old: Int64, all: Int64) {
    var share: (old: Int64, all: Int64) = (0, 0)
    for folder in try PutAwayFolders(of: spool).folders {
      for file in try SpoolListing.reading(folder.path, skipsFolders: true).names() {
        share.all += 1
        if folder.holdsOld(file, before: time) { share.old += 1 }
      }
    }
    return share
  }
}

extension PutAwayFolders.Folder {
  /// Indicates that a file was put away before a time.
  fileprivate func holdsOld(_ file: SpoolName, before time: Int64) -> Bool {
    // The name of the folder says when, also where a file was written anew since.
    if let end { return end <= time }
    // An old file that was put away today was read today.
    return SpoolFileAttributes(file.path(in: path)).map { max($0.modified, $0.putAway) < time } ?? false
  }

  /// Removes an hour without files, and its day if that was the last.
  fileprivate func removeIfEmpty(before time: Int64) {
    guard let end, end <= time, unsafe rmdir(path) == 0 else { return }
    unsafe rmdir(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
  }
}
