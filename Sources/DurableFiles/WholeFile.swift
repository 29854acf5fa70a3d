internal import Glibc

/// The content of a small file, read or replaced as a whole.
package enum WholeFile {
  /// Returns all bytes of a file. Throws if it has more than `limit` bytes.
  package static func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
    let bytes = try read(path, atMost: limit + 1)
    guard bytes.count <= limit else {
      throw FileFailure(.incompatible, path, "The file has more than \(limit) bytes")
    }
    return bytes
  }

  /// Returns the first bytes of a file, `count` at most; nil if there is no regular file at the path.
  package static func opening(_ path: String, _ count: Int) throws(FileFailure) -> [UInt8]? {
    (try? FileStatus(path: path))?.kind == .regular ? try read(path, atMost: count) : nil
  }

  private static func read(_ path: String, atMost limit: Int) throws(FileFailure) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw .system(.notFound, path, "The file cannot be opened", errno, access: .read)
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: min(limit, 1 << 16))
    while bytes.count < limit {
      let count = unsafe Glibc.read(descriptor, &piece, min(piece.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(.io, path, "The file cannot be read", errno, access: .read) }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  /// Replaces the content of a file, which all users can read. A reader sees the old content or the new one, never a
  /// mixture. Unless the content is to be durable, the file can be empty or old after a crash of the system.
  package static func replace(_ path: String, with bytes: [UInt8], isDurable: Bool = false) throws(FileFailure) {
    // The rename would replace a device or a named pipe as well.
    if let status = try? FileStatus(path: path), status.kind != .regular {
      throw FileFailure(.cannotCreate, path, "This is not a regular file", advice: "Give another path")
    }
    let file = try UnfinishedFile(path)
    try file.allowReading()
    try file.write(bytes)
    if isDurable { try file.synchronize() }
    try file.publish()
    if isDurable, let folder = DurableFolder.parent(of: path) { try DurableFolder(folder).synchronize() }
  }

  /// Overwrites a file in place, without taking more room on the disk: the content must not be longer than the old one,
  /// and is followed by spaces up to its length. Returns false if that is not possible.
  package static func overwrite(_ path: String, with bytes: [UInt8]) -> Bool {
    let descriptor = unsafe open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_size >= bytes.count, status.st_size < 1 << 20 else {
      return false
    }
    let padded = bytes + [UInt8](repeating: UInt8(ascii: " "), count: Int(status.st_size) - bytes.count)
    return padded.writeAll(to: descriptor)
  }
}
