internal import Glibc

/// The kind, modification time and size of the file at a path, as `stat` gives them: symbolic links are followed.
struct FileStatus {
  enum Kind {
    case regular
    case directory
    case socket
    /// A pipe or a device.
    case stream
  }

  let kind: Kind
  /// The time of the last modification, in milliseconds since 1970.
  let modified: Int64
  let byteCount: Int64

  /// The status of the file at `path`; throws if there is no such file.
  init(path: String) throws(ReadFailure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw ReadFailure(.noInput, path: path, doing: "find it", code: errno)
    }
    self.init(status)
  }

  /// The status of a directory's entry; nil if it no longer exists, or is a symbolic link to no file.
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

  /// Returns the time of the last modification in milliseconds since 1970, limited to about 31,700 years before and
  /// after 1970.
  static func modified(_ status: stat) -> Int64 {
    // A file system can report any time; limits keep the multiplication below from overflowing.
    let seconds = min(max(Int64(status.st_mtim.tv_sec), -1_000_000_000_000), 1_000_000_000_000)
    return seconds * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
  }
}
