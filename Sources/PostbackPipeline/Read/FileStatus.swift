internal import Glibc

/// What the file system says of a path, symbolic links followed.
struct FileStatus {
  enum Kind {
    case regular
    case directory
    case socket
    /// A pipe or a device.
    case stream
  }

  let kind: Kind
  /// Milliseconds since 1970.
  let modified: Int64
  let byteCount: Int64

  /// Throws where there is nothing at `path`.
  init(path: String) throws(ReadFailure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw ReadFailure(.noInput, path: path, doing: "find it", code: errno)
    }
    self.init(status)
  }

  /// Nil where an entry of a directory is gone by now, or a symbolic link leads nowhere.
  init?(entry path: String) throws(ReadFailure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      let code = errno
      if code == ENOENT || code == ELOOP { return nil }
      throw ReadFailure(.noInput, path: path, doing: "find it", code: code)
    }
    self.init(status)
  }

  private init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFSOCK: .socket
      default: .stream
      }
    modified = Self.modified(status)
    byteCount = Int64(status.st_size)
  }

  /// When it was last changed, in milliseconds since 1970.
  static func modified(_ status: stat) -> Int64 {
    // A file system may say anything; the year 30 000 is as good as any later.
    let seconds = min(max(Int64(status.st_mtim.tv_sec), -1_000_000_000_000), 1_000_000_000_000)
    return seconds * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
  }
}
