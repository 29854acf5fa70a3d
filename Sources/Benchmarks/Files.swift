internal import DurableFiles
internal import Glibc

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

/// The temporary folder for dumps and tables.
enum TemporaryFolder {
  /// Copies an output folder with its state. Complete tables are never changed, so that links to them suffice.
  static func copy(output: String, to copy: String) throws {
    for command in [
      ["cp", "-Rl", output, copy], ["rm", "-rf", "\(copy)/_state"], ["cp", "-R", "\(output)/_state", copy],
    ] {
      _ = try ProcessRun(command)
    }
  }

  /// Makes a folder in `$TMPDIR`, else in `/tmp`, and returns its path.
  static func make() throws(BenchmarkFailure) -> String {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/postback-benchmarks-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw .system("no folder can be made in \(parent)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes a file, or a folder with all that is in it.
  static func remove(_ path: String) throws(BenchmarkFailure) { _ = try ProcessRun(["rm", "-rf", "--", path]) }
}
