internal import Glibc
internal import Signatures

/// The failure to read an input. It says nothing about the postbacks in the input.
package struct ReadFailure: Error, Hashable, CustomStringConvertible {
  /// The kind of failure, which decides the exit code of the command.
  package enum Kind: Sendable {
    /// The input does not exist, or cannot be opened (`EX_NOINPUT`).
    case noInput
    /// The input was opened, and reading it failed (`EX_IOERR`).
    case inputOutput
  }

  /// The kind of failure.
  package let kind: Kind
  /// The path of the input as it was given.
  package let path: String
  /// The reason in words, with advice if there is any.
  package let reason: String

  /// The failure as text for a person.
  package var description: String { "\(path): \(reason)" }

  /// The failure of an input that exists and is not of the expected kind.
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

  /// The failure of libcrypto, which hashes long records.
  init(path: String, library failure: LibcryptoFailure) {
    self.init(.inputOutput, path: path, reason: failure.description)
  }
}
