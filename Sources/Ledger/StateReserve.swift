package import DurableFiles
internal import Glibc

/// A file of a state that keeps room on its disk, so that old parts can be removed when nothing is free.
///
/// A removal writes to the ledger before it deletes a file: 512 parts take about 150 KiB of its write-ahead log. The file has
/// room and no content. That it is there is never assumed.
package enum StateReserve {
  /// The name of the file.
  package static let name = "reserve"
  /// The room that the file keeps, in bytes.
  static let byteCount = 256 << 10

  /// Makes the file if it is missing and the disk has room for it.
  package static func make(in folder: DurableFolder) {
    let path = "\(folder.path)/\(name)"
    guard (try? folder.byteCount(of: name)) ?? 0 < byteCount, freeBytes(in: folder).map({ $0 > 2 * byteCount }) ?? false
    else { return }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    if posix_fallocate(descriptor, 0, off_t(byteCount)) != 0 { unsafe unlink(path) }
  }

  /// Gives the room back if the disk has not much else. The next call of `make` takes it again.
  package static func release(in folder: DurableFolder) {
    guard let free = freeBytes(in: folder), free < byteCount else { return }
    unsafe unlink("\(folder.path)/\(name)")
  }

  private static func freeBytes(in folder: DurableFolder) -> Int? {
    var status = statvfs()
    guard unsafe statvfs(folder.path, &status) == 0 else { return nil }
    return Int(clamping: UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize)).partialValue)
  }
}
