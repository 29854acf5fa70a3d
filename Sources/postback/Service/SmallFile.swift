internal import Glibc

/// A reader of small files as a whole: files of /proc and the status file of a consumer.
enum SmallFile {
  private static let limit = 4 << 20

  /// Returns the bytes of a file, of a large one about the first 4 MiB; nil if it cannot be read.
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
