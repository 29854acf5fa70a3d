internal import Glibc

/// An error for an output file that could not be written.
package struct WriteFailure: Error, CustomStringConvertible {
  /// The kind of failure, as the user of the command sees it.
  package enum Kind: Sendable {
    /// The output cannot be created, or exists already: `EX_CANTCREAT` of sysexits.
    case cannotCreate
    /// Another process is writing there.
    case isLocked
    /// The disk failed or is full.
    case io
  }

  /// The kind of failure.
  package let kind: Kind
  /// The path of the file or folder.
  package let path: String
  /// The cause, with advice for the user.
  package let reason: String

  /// The failure for a person.
  package var description: String { "\(path): \(reason)" }

  /// Makes a failure that was not reported by a system call.
  package init(kind: Kind, path: String, reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  static func system(_ kind: Kind, _ path: String, _ operation: String, _ code: Int32 = errno) -> WriteFailure {
    WriteFailure(kind: kind, path: path, reason: "\(operation): \(unsafe String(cString: strerror(code)))")
  }
}
