package import Glibc

/// An open directory, closed when it goes out of scope.
@safe
package struct Directory: ~Copyable {
  private let path: String
  private let stream: OpaquePointer

  /// Returns the names of all entries of the directory at `path` but `.` and `..`, sorted by their bytes. Throws if a
  /// name is not UTF-8.
  package static func names(in path: String) throws(FileFailure) -> [String] {
    let directory = try Directory(path: path)
    var names: [String] = []
    while let name = try directory.next() {
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private init(path: String) throws(FileFailure) {
    guard let stream = unsafe opendir(path) else {
      throw FileFailure.system(.notFound, path, "The directory cannot be listed", errno, access: .read)
    }
    self.path = path
    unsafe self.stream = stream
  }

  deinit { unsafe closedir(stream) }

  private func next() throws(FileFailure) -> String? {
    errno = 0
    guard let entry = unsafe readdir(stream) else {
      guard errno == 0 else {
        throw FileFailure.system(.notFound, path, "The directory cannot be listed", errno, access: .read)
      }
      return nil
    }
    return try unsafe name(of: entry)
  }

  private func name(of entry: UnsafeMutablePointer<dirent>) throws(FileFailure) -> String {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
    guard let name = unsafe String(validatingCString: start) else {
      let shown = unsafe String(cString: start)
      throw FileFailure(
        .notFound,
        path,
        "The directory has a file whose name is not UTF-8 (\(shown))",
        advice: "Rename the file"
      )
    }
    return name
  }
}

/// The kind, modification time and size of the file at a path, as `stat` gives them: symbolic links are followed.
package struct FileStatus {
  /// The kind of a file.
  package enum Kind {
    case regular
    case directory
    case socket
    /// A pipe or a device.
    case stream
  }

  /// The kind of the file.
  package let kind: Kind
  /// The time of the last modification, in milliseconds since 1970.
  package let modified: Int64
  /// The size in bytes.
  package let byteCount: Int64
  /// The number of the file system's device.
  package let device: UInt64
  /// The inode number in the file system.
  package let inode: UInt64

  /// The status of the file at `path`; throws if there is no such file.
  package init(path: String) throws(FileFailure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      throw FileFailure.system(.notFound, path, "The path cannot be found", errno, access: .read)
    }
    self.init(status)
  }

  /// The status of a directory's entry; nil if it no longer exists, or is a symbolic link to no file.
  package init?(entry path: String) throws(FileFailure) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else {
      let code = errno
      if code == ENOENT || code == ELOOP { return nil }
      throw FileFailure.system(.notFound, path, "The path cannot be found", code, access: .read)
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
    (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
  }

  /// Returns the time of the last modification in milliseconds since 1970, limited to about 31,700 years before and
  /// after 1970.
  package static func modified(_ status: stat) -> Int64 {
    // A file system can report any time; limits keep the multiplication below from overflowing.
    let seconds = min(max(Int64(status.st_mtim.tv_sec), -1_000_000_000_000), 1_000_000_000_000)
    return seconds * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
  }
}
