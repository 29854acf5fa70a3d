internal import Glibc

/// The temporary folder for dumps and tables.
enum TemporaryFolder {
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
