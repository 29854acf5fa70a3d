internal import Glibc
internal import Signatures

/// An input that cannot be read: stops the run, says nothing about the postbacks.
package struct ReadFailure: Error, Hashable, CustomStringConvertible {
  /// What kind of failure it is: the command's exit code follows from it.
  package enum Kind: Sendable {
    /// There is no such input, or it may not be read (`EX_NOINPUT`).
    case noInput
    /// Reading began and did not succeed (`EX_IOERR`).
    case inputOutput
  }

  /// The kind of failure.
  package let kind: Kind
  /// The input as it was given.
  package let path: String
  /// What happened and, where there is something, what to do about it.
  package let reason: String

  /// The failure for a person.
  package var description: String { "\(path): \(reason)" }

  /// An input that is not what it should be.
  package init(path: String, reason: String) { self.init(.noInput, path: path, reason: reason) }

  init(_ kind: Kind, path: String, reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// The failure of a system call that left `code` in `errno`.
  init(_ kind: Kind, path: String, doing action: String, code: Int32) {
    let meaning = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    let advice =
      switch code {
      case ENOENT: "; check the path"
      case EACCES, EPERM: "; give this user permission to read it"
      case EMFILE, ENFILE: "; raise the limit of open files (ulimit -n)"
      case EIO: "; check the disk, then run again"
      default: ""
      }
    self.init(kind, path: path, reason: "cannot \(action): \(meaning)\(advice)")
  }

  /// The failure of a library that is needed for reading: it has no memory left.
  init(path: String, library failure: LibcryptoFailure) {
    self.init(.inputOutput, path: path, reason: failure.description)
  }
}
