internal import Glibc

/// An open directory, closed when it goes out of scope.
@safe
package struct Directory: ~Copyable {
  private let path: String
  private let stream: OpaquePointer

  /// Returns the names of all entries of the directory at `path` but `.` and `..`, sorted by their bytes. Throws if a
  /// name is not UTF-8.
  package static func names(in path: String) throws(ReadFailure) -> [String] {
    let directory = try Directory(path: path)
    var names: [String] = []
    while let name = try directory.next() {
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private init(path: String) throws(ReadFailure) {
    guard let stream = unsafe opendir(path) else {
      throw ReadFailure(.noInput, path: path, doing: "list this directory", code: errno)
    }
    self.path = path
    unsafe self.stream = stream
  }

  deinit { unsafe closedir(stream) }

  private func next() throws(ReadFailure) -> String? {
    errno = 0
    guard let entry = unsafe readdir(stream) else {
      guard errno == 0 else { throw ReadFailure(.noInput, path: path, doing: "list this directory", code: errno) }
      return nil
    }
    return try unsafe name(of: entry)
  }

  private func name(of entry: UnsafeMutablePointer<dirent>) throws(ReadFailure) -> String {
    let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
    let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
    guard let name = unsafe String(validatingCString: start) else {
      let shown = unsafe String(cString: start)
      throw ReadFailure(.noInput, path: path, reason: "has a file whose name is not UTF-8 (\(shown)); rename it")
    }
    return name
  }
}
