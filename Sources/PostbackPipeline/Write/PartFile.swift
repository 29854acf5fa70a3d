internal import Glibc

/// A file of a table that readers do not see until it is complete: hidden while it is written, renamed at the end.
final class PartFile {
  private let folder: String
  private let name: String
  private let descriptor: Int32
  private var isPublished = false

  private var hiddenPath: String { "\(folder)/.\(name).inprogress" }

  /// Makes the hidden file `name` in `folder`. One that a run left behind when it was killed is written anew.
  init(_ name: String, in folder: String) throws(WriteFailure) {
    self.name = name
    self.folder = folder
    let path = "\(folder)/.\(name).inprogress"
    let opened = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard opened >= 0 else { throw .system(.cannotCreate, path, "cannot be created") }
    descriptor = opened
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw WriteFailure(kind: .isLocked, path: path, reason: "another process is writing it; wait for it to end")
    }
    guard ftruncate(descriptor, 0) == 0 else { throw .system(.io, path, "cannot be emptied") }
  }

  deinit {
    if !isPublished { unsafe unlink(hiddenPath) }
    close(descriptor)
  }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws(WriteFailure) {
    var start = 0
    while start < bytes.count {
      let written = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw .system(.io, hiddenPath, "cannot be written") }
      start += written
    }
  }

  /// Makes what was written durable.
  func synchronize() throws(WriteFailure) {
    guard fsync(descriptor) == 0 else { throw .system(.io, hiddenPath, "cannot be made durable") }
  }

  /// Gives the file its name: now readers see it.
  func publish() throws(WriteFailure) {
    let path = "\(folder)/\(name)"
    guard unsafe rename(hiddenPath, path) == 0 else { throw .system(.io, path, "cannot be renamed into place") }
    isPublished = true
  }
}
