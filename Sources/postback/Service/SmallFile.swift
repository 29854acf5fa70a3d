internal import Glibc

/// Files that are read whole: settings of the system, and what the consumer says of itself.
enum SmallFile {
  private static let limit = 4 << 20

  /// The bytes of a file, nil where it cannot be read; not more than some megabytes.
  static func bytes(_ path: String) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < limit {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }
}
