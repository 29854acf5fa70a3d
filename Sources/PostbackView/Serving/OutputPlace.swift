internal import DurableFiles
internal import Glibc
internal import Ledger

/// The output that is at a path at a moment: another one has another directory, or another id.
struct OutputPlace: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let id: OutputID?

  /// Looks at a path; nil if there is no directory.
  init?(_ path: String) throws(FileFailure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    id = try OutputID.read(in: path)
  }
}
