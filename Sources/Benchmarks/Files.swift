internal import DurableFiles
internal import Glibc

extension WholeFile {
  /// Returns the text of a file of any size.
  static func text(of path: String) throws(FileFailure) -> String {
    String(decoding: try read(path, upTo: 1 << 40), as: UTF8.self)
  }

  /// Creates a file with some bytes, or writes them in the place of its content.
  static func write(_ bytes: [UInt8], to path: String) throws(FileFailure) {
    try DurableFile(path, .creating).append(bytes.span)
  }
}

/// The first lines of a file, each with its line feed.
struct FileLines {
  private let file: DurableFile
  /// The offsets of the lines, and of the end of the last one.
  private var starts = [0]

  /// Finds the first `count` lines of a file. Throws if it has fewer.
  init(_ count: Int, of path: String) throws {
    file = try DurableFile(path, .reading)
    var bytes = [UInt8](repeating: 0, count: 1 << 18)
    var offset = 0
    while starts.count <= count {
      let read = try file.read(into: &bytes, at: Int64(offset))
      guard read > 0 else { throw BenchmarkFailure("\(path) has fewer than \(count) lines") }
      for (index, byte) in bytes[..<read].enumerated() where byte == UInt8(ascii: "\n") && starts.count <= count {
        starts.append(offset + index + 1)
      }
      offset += read
    }
  }

  /// Writes lines to another file, in their order here, each after a change.
  func write(_ lines: some Sequence<Int>, to path: String, _ change: (inout [UInt8]) -> Void = { _ in }) throws {
    let target = try DurableFile(path, .creating)
    var bytes: [UInt8] = []
    for line in lines {
      var text = [UInt8](repeating: 0, count: starts[line + 1] - starts[line])
      _ = try file.read(into: &text, at: Int64(starts[line]))
      change(&text)
      bytes += text
      guard bytes.count >= 1 << 18 else { continue }
      try target.append(bytes.span)
      bytes.removeAll(keepingCapacity: true)
    }
    try target.append(bytes.span)
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
