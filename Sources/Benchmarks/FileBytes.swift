internal import DurableFiles
internal import Glibc
internal import PostbackPipeline

/// A file that is open for reading, or for writing from its start.
struct FileBytes: ~Copyable {
  private let path: String
  private let descriptor: Int32

  /// Opens a file for reading.
  init(reading path: String) throws(BenchmarkFailure) {
    try self.init(path, unsafe open(path, O_RDONLY | O_CLOEXEC))
  }

  /// Creates a file for writing, or empties it if it exists.
  init(writing path: String) throws(BenchmarkFailure) {
    try self.init(path, unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644))
  }

  private init(_ path: String, _ descriptor: Int32) throws(BenchmarkFailure) {
    guard descriptor >= 0 else { throw .system("\(path) cannot be opened") }
    self.path = path
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Appends up to `count` bytes from `offset` on. Returns their number, 0 at the end of the file.
  func append(_ count: Int, at offset: Int, to bytes: inout [UInt8]) throws(BenchmarkFailure) -> Int {
    let start = bytes.count
    bytes += repeatElement(0, count: count)
    let got = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress.map { unsafe $0 + start }, count, offset)
    }
    bytes.removeLast(count - max(got, 0))
    guard got >= 0 else { throw .system("\(path) cannot be read") }
    return got
  }

  /// Appends bytes to the file.
  func write(_ bytes: [UInt8]) throws(BenchmarkFailure) {
    guard bytes.writeAll(to: descriptor) else { throw .system("\(path) cannot be written") }
  }

  /// Returns all bytes of a small file.
  static func all(of path: String) throws(BenchmarkFailure) -> [UInt8] {
    let file = try FileBytes(reading: path)
    var bytes: [UInt8] = []
    while try file.append(65536, at: bytes.count, to: &bytes) > 0 {}
    return bytes
  }
}
