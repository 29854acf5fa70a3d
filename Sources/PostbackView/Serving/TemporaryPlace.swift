internal import DurableFiles
internal import Glibc

/// A folder of this process among temporary files.
enum TemporaryPlace {
  /// Makes a folder that nobody else may read, and returns its path.
  static func make() throws(FileFailure) -> String {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/postback-view-XXXXXX".utf8CString)
    let path = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
      guard let start = buffer.baseAddress, let made = unsafe mkdtemp(start) else { return nil }
      return unsafe String(cString: made)
    }
    guard let path else { throw .system(.cannotCreate, base, "No directory for temporary files can be made") }
    return path
  }
}
