internal import Glibc

/// A file that holds settings: the configuration, or a secret.
enum SettingFile {
  /// The reason that a file cannot be used, as the end of a sentence that begins with the file's name.
  struct Failure: Error {
    let reason: String
  }

  /// Reads a whole file; throws if it cannot be read or has more than `limit` bytes.
  static func bytes(of path: String, upTo limit: Int) throws(Failure) -> [UInt8] {
    func failure() -> Failure { Failure(reason: "cannot be read: \(unsafe String(cString: strerror(errno)))") }
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure() }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let more = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count)
      }
      if more < 0, errno == EINTR { continue }
      guard more >= 0 else { throw failure() }
      if more == 0 { return Array(bytes[..<count]) }
      count += more
    }
    throw Failure(reason: "has more than \(limit) bytes")
  }
}
