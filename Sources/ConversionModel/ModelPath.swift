internal import Glibc

/// Where models are: a file, or a directory with files.
struct ModelPath {
  /// Why something could not be read, for a person.
  struct Failure: Error {
    let reason: String

    init(reason: String) { self.reason = reason }

    /// What the C library says about the call that has just failed.
    fileprivate init() { reason = "cannot be read: \(unsafe String(cString: strerror(errno)))" }
  }

  /// No model file comes near it; what does is something else.
  static let largestFile = 16 << 20

  let path: String

  /// The file itself, or every `*.json` in the directory that is not hidden, sorted by name.
  func files() throws(Failure) -> [String] {
    guard let directory = unsafe opendir(path) else {
      if errno == ENOTDIR { return [path] }
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
      if name.hasSuffix(".json"), !name.hasPrefix(".") { names.append(name) }
    }
    names.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let files = names.map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }.filter(Self.isNoPipe)
    guard !files.isEmpty else {
      throw Failure(reason: "is a directory without a *.json file; name one that has models")
    }
    return files
  }

  /// A pipe in a directory would be waited for; what is not there by now is told when it is read.
  private static func isNoPipe(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }

  /// The bytes of a file.
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
        throw Failure(reason: "is larger than \(Self.largestFile >> 20) MiB; split the models over several files")
      }
    }
  }
}
