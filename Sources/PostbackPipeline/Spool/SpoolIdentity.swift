internal import Glibc

/// Which file it is, and in which state: another one of the same name, or one that grew, has another identity.
package struct SpoolIdentity: Hashable, Sendable {
  /// The file system it is on.
  package let device: UInt64
  /// Its number there.
  package let inode: UInt64
  /// Its size.
  package let byteCount: Int64
  /// When it was last changed, in milliseconds since 1970.
  package let modified: Int64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    byteCount = Int64(status.st_size)
    modified = FileStatus.modified(status)
  }
}
