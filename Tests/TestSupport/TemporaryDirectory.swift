import Foundation
import Glibc

/// A temporary directory, removed with its content.
package final class TemporaryDirectory {
  package let path: String

  package init() throws {
    var template = Array("/tmp/postback-read-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw Failure(code: errno) }
    path = unsafe String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and returns its path.
  @discardableResult
  package func write(_ bytes: [UInt8], to name: String = "input") throws -> String {
    let path = "\(path)/\(name)"
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    defer { close(descriptor) }
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw Failure(code: errno) }
    return path
  }

  /// A system call that failed.
  package struct Failure: Error {
    let code: Int32

    /// A failure with the current value of `errno`.
    package init(code: Int32) { self.code = code }
  }
}
