internal import Glibc

/// A file or a folder that a path named when it was opened, by its device and inode.
///
/// A process goes on writing to a file that somebody has removed, moved or replaced, and nothing of it is kept. So the
/// files of a commit are compared with what their paths name now.
package struct NamedFile: Sendable {
  package let path: String
  private let device: UInt64
  private let inode: UInt64

  /// Notes what a path names now; nil if it names nothing.
  package init?(_ path: String) throws(FileFailure) {
    guard let status = try Self.status(of: path) else { return nil }
    self.init(path, status)
  }

  /// Notes the file that a descriptor has open, and the path under which it was opened.
  package init(_ path: String, descriptor: Int32) throws(FileFailure) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      throw .system(.io, path, "The status of the file cannot be read")
    }
    self.init(path, status)
  }

  private init(_ path: String, _ status: stat) {
    self.path = path
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// Throws `.damaged` unless the path still names the file.
  package func verify() throws(FileFailure) {
    guard let status = try Self.status(of: path) else {
      throw .damaged(path, "The file or directory was removed or moved away while it was in use")
    }
    guard UInt64(status.st_dev) == device, UInt64(status.st_ino) == inode else {
      throw .damaged(path, "The file or directory was replaced by another one while it was in use")
    }
  }

  /// Indicates that both are one file or folder.
  package func isSame(as other: NamedFile) -> Bool { device == other.device && inode == other.inode }

  private static func status(of path: String) throws(FileFailure) -> stat? {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return status }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw .system(.io, path, "The status of the file cannot be read")
    }
    return nil
  }
}
