internal import CLinux
package import DurableFiles
internal import Glibc

/// The attributes of a file in `done/` or `failed/` that mean something, and that a file which replaces it gets too: its
/// owner, its mode, the time of its last modification, which is the time of receipt of records without an envelope, and the
/// time at which it was put away.
package struct SpoolFileAttributes {
  /// The time at which the file was put away, in milliseconds since 1970.
  package let putAway: Int64
  /// The time of the last modification, in milliseconds since 1970.
  package let modified: Int64
  private let status: stat

  /// The extended attribute with the time, of a file that replaces another one; other files have it in the time of their
  /// last change of status.
  private static let name = "user.postback.put_away"

  /// Reads the attributes of a file; nil if it is a folder, or is gone.
  package init?(_ path: [CChar]) {
    var status = stat()
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
    self.status = status
    modified = FileStatus.modified(status)
    let changed = Int64(status.st_ctim.tv_sec) * 1000 + Int64(status.st_ctim.tv_nsec) / 1_000_000
    putAway = min(changed, Self.kept(path) ?? changed)
  }

  private static func kept(_ path: [CChar]) -> Int64? {
    let limit = 20
    var text = [UInt8](repeating: 0, count: limit)
    let count = unsafe lgetxattr(path, name, &text, limit)
    return count > 0 ? Int64(String(decoding: text.prefix(count), as: UTF8.self)) : nil
  }

  /// Throws `.cannotCreate` unless this process may give the file to its owner.
  package func requireOwner(_ path: String) throws(FileFailure) {
    guard geteuid() == 0 || geteuid() == status.st_uid else {
      throw FileFailure(
        .cannotCreate,
        path,
        "The file belongs to another user, and would not after it is written anew",
        advice: "Run as that user, or as root"
      )
    }
  }

  /// Gives a file these attributes, durably. A file system without extended attributes loses the time at which the file was
  /// put away, so that it is kept for longer.
  package func apply(to path: String) throws(FileFailure) {
    let file = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard file >= 0 else { throw .system(.io, path, "The file cannot be opened") }
    defer { close(file) }
    let text = Array(String(putAway).utf8)
    if unsafe fsetxattr(file, Self.name, text, text.count, 0) != 0, errno != EOPNOTSUPP, errno != EPERM {
      throw .system(.io, path, "The time at which the file was put away cannot be kept")
    }
    let times = [status.st_atim, status.st_mtim]
    guard fchown(file, status.st_uid, status.st_gid) == 0, fchmod(file, status.st_mode & 0o7777) == 0,
      unsafe futimens(file, times) == 0, fsync(file) == 0
    else { throw .system(.io, path, "The owner, mode and times of the file cannot be kept") }
  }
}
