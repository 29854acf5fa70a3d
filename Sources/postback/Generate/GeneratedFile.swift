internal import Glibc

/// A file that `generate` writes, hidden until it is complete, or standard output.
final class GeneratedFile {
  /// The path that stands for standard output.
  static let standardOutput = "-"

  private let path: String
  /// Where the file is until it is complete; nil for standard output.
  private let hiddenPath: String?
  private let descriptor: Int32

  /// Makes the hidden file. Refuses a path where something is already.
  init(_ path: String) throws(CommandFailure) {
    self.path = path
    guard path != Self.standardOutput else {
      hiddenPath = nil
      descriptor = STDOUT_FILENO
      return
    }
    guard unsafe access(path, F_OK) != 0 else {
      throw CommandFailure(.cannotCreate, "\(path): is there already; remove it, or give another name")
    }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let hidden = "\(path[..<slash]).\(path[slash...]).inprogress"
    let opened = unsafe open(hidden, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard opened >= 0 else { throw Self.failure(.cannotCreate, path, "cannot be created") }
    guard flock(opened, LOCK_EX | LOCK_NB) == 0 else {
      close(opened)
      throw CommandFailure(.cannotCreate, "\(path): another process is writing it")
    }
    // From here on deinit takes it away again.
    hiddenPath = hidden
    descriptor = opened
    guard ftruncate(descriptor, 0) == 0 else { throw Self.failure(.inputOutput, path, "cannot be emptied") }
  }

  deinit {
    guard let hiddenPath else { return }
    unsafe unlink(hiddenPath)
    close(descriptor)
  }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws(CommandFailure) {
    var start = 0
    while start < bytes.count {
      let written = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(descriptor, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if written < 0, errno == EINTR { continue }
      if written < 0, errno == EAGAIN {
        waitForRoom()
        continue
      }
      guard written > 0 else {
        throw Self.failure(.inputOutput, hiddenPath == nil ? "standard output" : path, "cannot be written")
      }
      start += written
    }
  }

  /// Gives the file its name: now readers see it, whole.
  func publish() throws(CommandFailure) {
    guard let hiddenPath else { return }
    guard fsync(descriptor) == 0 else { throw Self.failure(.inputOutput, path, "cannot be made durable") }
    guard unsafe rename(hiddenPath, path) == 0 else {
      throw Self.failure(.inputOutput, path, "cannot be renamed into place")
    }
  }

  /// Standard output may be non-blocking because of who else has it.
  private func waitForRoom() {
    var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    _ = unsafe poll(&request, 1, -1)
  }

  private static func failure(_ status: ExitStatus, _ path: String, _ problem: String) -> CommandFailure {
    CommandFailure(status, "\(path): \(problem): \(unsafe String(cString: strerror(errno)))")
  }
}
