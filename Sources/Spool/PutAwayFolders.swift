internal import Base
package import DurableFiles
internal import Glibc

/// The folders in which files are kept that were put away: `failed/`, and in `done/` one for each hour, such as
/// `done/2026-11-23/14` (UTC), with files of earlier versions beside them.
///
/// The index of a directory ends long before the disk does, after 100 000 names on a small ext4. An hour whose folder can
/// take no more names goes on in `14.2`.
package struct PutAwayFolders {
  /// A folder with the files in it.
  package struct Folder: Sendable {
    /// The path of the folder.
    package let path: String
    /// The end of the hour in which its files were put away, in milliseconds since 1970; nil if only their own times tell.
    let end: Int64?
  }

  /// The folders, those of `done/` first, and in it the oldest first.
  package let folders: [Folder]

  /// Lists the folders of a spool that exist.
  package init(of spool: String) throws(FileFailure) { try self.init(of: spool, upTo: .max) }

  /// Lists the folders of a spool that exist, without the hours that begin at a time or later.
  init(of spool: String, upTo time: Int64) throws(FileFailure) {
    var folders: [Folder] = []
    let done = "\(spool)/done"
    if try Self.isThere(done) {
      folders.append(Folder(path: done, end: nil))
      for day in try SpoolListing.names(in: done).map(\.text) {
        guard let start = Timestamp(dateOrTime: day)?.milliseconds, start < time, Self.isFolder("\(done)/\(day)") else {
          continue
        }
        for name in try SpoolListing.names(in: "\(done)/\(day)").map(\.text)
        where Self.isFolder("\(done)/\(day)/\(name)") {
          guard let hour = Int64(name.prefix { $0 != "." }), (0..<24).contains(hour) else { continue }
          let begin = start + hour * 3_600_000
          if begin < time { folders.append(Folder(path: "\(done)/\(day)/\(name)", end: begin + 3_600_000)) }
        }
      }
    }
    if try Self.isThere("\(spool)/failed") { folders.append(Folder(path: "\(spool)/failed", end: nil)) }
    self.folders = folders
  }

  /// Returns the name of the folder for files that are put away at a time, in `done/`: that of the hour, with the number of
  /// a further one.
  static func name(at milliseconds: Int64, number: Int) -> String {
    let time = Timestamp(milliseconds: milliseconds).description
    return "\(time.prefix(10))/\(time.dropFirst(11).prefix(2))\(number == 1 ? "" : ".\(number)")"
  }

  private static func isThere(_ path: String) throws(FileFailure) -> Bool {
    try DurableFolder(path).byteCount(of: ".") != nil
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }
}
