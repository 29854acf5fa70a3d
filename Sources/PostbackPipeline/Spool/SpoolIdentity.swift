internal import Glibc

/// The identity and state of a file. Another file of the same name, or the same file after it grew, has another
/// identity.
package struct SpoolIdentity: Hashable, Sendable {
  /// The device number of the file system (`st_dev`).
  package let device: UInt64
  /// The inode number of the file in its file system (`st_ino`).
  package let inode: UInt64
  /// The size in bytes.
  package let byteCount: Int64
  /// The modification time, in milliseconds since 1970.
  package let modified: Int64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    byteCount = Int64(status.st_size)
    modified = FileStatus.modified(status)
  }
}
