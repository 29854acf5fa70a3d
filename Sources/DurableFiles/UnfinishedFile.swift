internal import Glibc

/// A file that is invisible to readers until it is complete. It is hidden and locked while it is written, then renamed;
/// it is removed if it is never published.
package final class UnfinishedFile {
  /// The path under which the file is published.
  package let path: String
  private let hiddenPath: String
  private let descriptor: Int32
  private var isPublished = false

  /// Makes the hidden file beside `path`. Overwrites a hidden file that a killed process left there.
  package init(_ path: String) throws(FileFailure) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let hiddenPath = "\(path[..<slash]).\(path[slash...]).inprogress"
    let descriptor = try Self.openLocked(hiddenPath, for: path)
    // From here on `deinit` removes the file. Before it is locked it may belong to another process.
    self.path = path
    self.hiddenPath = hiddenPath
    self.descriptor = descriptor
    guard ftruncate(descriptor, 0) == 0 else { throw .system(.io, hiddenPath, "The file cannot be emptied") }
  }

  deinit {
    if !isPublished { unsafe unlink(hiddenPath) }
    close(descriptor)
  }

  private static func openLocked(_ path: String, for published: String) throws(FileFailure) -> Int32 {
    while true {
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
      guard descriptor >= 0 else { throw .system(.cannotCreate, path, "The file cannot be created") }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        close(descriptor)
        throw FileFailure(.locked, published, "Another process is writing this file", advice: "Wait for it to end")
      }
      // Another process may have published the file before this one got the lock. Then the path names another file now.
      var opened = stat()
      var named = stat()
      let isSame = unsafe fstat(descriptor, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino
      if isSame { return descriptor }
      close(descriptor)
    }
  }

  /// Appends bytes.
  package func write(_ bytes: [UInt8]) throws(FileFailure) {
    guard bytes.writeAll(to: descriptor) else { throw .system(.io, path, "The file cannot be written") }
  }

  /// Makes the file readable for all users, regardless of the process's file mode creation mask.
  package func allowReading() throws(FileFailure) {
    guard fchmod(descriptor, 0o644) == 0 else {
      throw .system(.io, path, "The file cannot be made readable for all users")
    }
  }

  /// Makes what was written durable.
  package func synchronize() throws(FileFailure) {
    guard fsync(descriptor) == 0 else { throw .system(.io, path, "The file cannot be made durable") }
  }

  /// Publishes the file under its name, so that readers see it.
  package func publish() throws(FileFailure) {
    guard unsafe rename(hiddenPath, path) == 0 else {
      throw .system(.io, path, "The file cannot be renamed into place")
    }
    isPublished = true
  }
}

extension [UInt8] {
  /// Writes all bytes, in as many calls as needed. Returns false, with `errno` set, if that fails.
  package func writeAll(to descriptor: Int32) -> Bool { span.writeAll(to: descriptor) }
}

extension Span where Element: BitwiseCopyable {
  /// Writes all bytes, in as many calls as needed. Returns false, with `errno` set, if that fails.
  package func writeAll(to descriptor: Int32) -> Bool {
    var start = 0
    while start < count * MemoryLayout<Element>.stride {
      let written = unsafe withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if written > 0 { start += written }
      if written > 0 || written < 0 && errno == EINTR { continue }
      guard written < 0, errno == EAGAIN else { return false }
      // Standard output may be non-blocking because another process that shares it has set it so.
      var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      _ = unsafe poll(&request, 1, -1)
    }
    return true
  }
}
