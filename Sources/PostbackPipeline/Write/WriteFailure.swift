internal import Glibc

/// A table, or a part of it, that could not be written.
package struct WriteFailure: Error, CustomStringConvertible {
  /// What went wrong, from the point of view of who runs the command.
  package enum Kind: Sendable {
    /// The output cannot be created, or is there already: sysexits' `EX_CANTCREAT`.
    case cannotCreate
    /// Another process is writing there.
    case isLocked
    /// The disk failed or is full.
    case io
  }

  /// What went wrong.
  package let kind: Kind
  /// The file or folder.
  package let path: String
  /// What happened, and what to do.
  package let reason: String

  /// The failure for a person.
  package var description: String { "\(path): \(reason)" }

  /// A failure that no system call tells of.
  package init(kind: Kind, path: String, reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  static func system(_ kind: Kind, _ path: String, _ operation: String, _ code: Int32 = errno) -> WriteFailure {
    WriteFailure(kind: kind, path: path, reason: "\(operation): \(unsafe String(cString: strerror(code)))")
  }
}
