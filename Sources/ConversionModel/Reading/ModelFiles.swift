#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// The path of a model file, of a directory with model files, or of a file of rates.
struct ModelPath {
  /// A file or directory that could not be read, with the reason and the correction as sentences.
  struct Failure: Error {
    let reason: String

    init(reason: String) { self.reason = reason }

    /// The failure of the last call of the C library, from `errno`.
    fileprivate init() { reason = "The path cannot be read: \(unsafe String(cString: strerror(errno)))." }
  }

  /// The largest size of a file in bytes: 16 MiB. A larger file is refused.
  static let largestFile = 16 << 20

  let path: String

  /// Returns the file itself, or every `*.json` in the directory that is not hidden, sorted by name.
  func files() throws(Failure) -> [String] {
    guard let entries = try entries() else { return [path] }
    let files = entries.filter { $0.hasSuffix(".json") && Self.isNoPipe($0) }
    guard !files.isEmpty else {
      throw Failure(reason: "The directory has no *.json file. Name one that has models.")
    }
    return files
  }

  /// Returns the directories in the directory, and the files whose names end with `.json` in capital letters; sorted.
  func unreadEntries() throws(Failure) -> [String] {
    try (entries() ?? []).filter { entry in
      Self.kind(of: entry) == S_IFDIR || !entry.hasSuffix(".json") && entry.lowercased().hasSuffix(".json")
    }
  }

  /// Returns the paths of the entries in the directory that are not hidden, sorted; nil where the path is no directory.
  private func entries() throws(Failure) -> [String]? {
    guard let directory = unsafe opendir(path) else {
      if errno == ENOTDIR { return nil }
      throw Failure()
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(directory) else {
        if errno != 0 { throw Failure() }
        break
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
          unsafe String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    return names.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
  }

  /// Tells if the path is a regular file, or its status cannot be read, which is reported when it is opened. Opening a
  /// pipe in a directory would block.
  private static func isNoPipe(_ path: String) -> Bool { kind(of: path).map { $0 == S_IFREG } ?? true }

  /// Returns the kind of a file as `st_mode` has it; nil where its status cannot be read.
  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  // The module that files are read with elsewhere is no part of the library, which stays without dependencies of its own.
  /// Reads the bytes of a file; throws where it is larger than `largestFile`.
  func bytes() throws(Failure) -> [UInt8] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure() }
    defer { close(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe block.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure() }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
      guard bytes.count <= Self.largestFile else {
        throw Failure(reason: "The file is larger than \(Self.largestFile >> 20) MiB. Split it into smaller files.")
      }
    }
  }
}
