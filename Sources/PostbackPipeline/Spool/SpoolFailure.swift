internal import Glibc

/// An error that makes a spool unusable. Never about a single file of the spool.
package struct SpoolFailure: Error, Hashable, CustomStringConvertible {
  /// The category of a failure, from the view of the person who runs the command.
  package enum Kind: Sendable {
    /// The spool does not exist, or is not a folder.
    case noSpool
    /// The folders in the spool do not match the layout that was chosen.
    case wrongLayout
    /// A folder cannot be created, for example on a full disk, or this user may not list it or write there.
    case cannotCreate
    /// A folder existed, and was moved, removed or unmounted.
    case gone
    /// The process has too many files open, or the system has no memory left.
    case exhausted
    /// The disk or another system call failed.
    case io
  }

  /// The category.
  package let kind: Kind
  /// The path of the folder or file that the failure is about; `signals` for the signal handler.
  package let path: String
  /// The event and the advice, as the rest of a sentence that begins with the path.
  package let reason: String

  /// The path and the reason, for a person.
  package var description: String { "\(SpoolName.printable(path.utf8)): \(reason)" }

  init(_ kind: Kind, _ path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// Returns the failure of a system call that set `errno` to `code`. `kind` applies to codes without a category of
  /// their own.
  static func system(_ kind: Kind, _ path: String, _ operation: String, _ code: Int32 = errno) -> SpoolFailure {
    let meaning = "\(operation): \(unsafe String(cString: strerror(code)))"
    return switch code {
    case EACCES, EPERM, EROFS:
      SpoolFailure(.cannotCreate, path, "\(meaning); give this user permission to list it and to write there")
    case EMFILE, ENFILE: SpoolFailure(.exhausted, path, "\(meaning); raise the limit of open files (ulimit -n)")
    case ENOMEM: SpoolFailure(.exhausted, path, meaning)
    case EIO: SpoolFailure(.io, path, "\(meaning); check the disk, then run again")
    default: SpoolFailure(kind, path, meaning)
    }
  }

  /// Converts a failure of `DurableFolder`.
  init(_ failure: StateFailure) {
    switch failure.kind {
    case .cannotCreate, .diskFull: self.init(.cannotCreate, failure.path, failure.reason)
    case .missing, .locked, .damaged, .incompatible, .io: self.init(.io, failure.path, failure.reason)
    }
  }
}
