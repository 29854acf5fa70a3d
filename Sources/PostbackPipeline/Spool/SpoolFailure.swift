internal import Glibc

/// Why a spool cannot be used, or not any more. Never about one of its files.
package struct SpoolFailure: Error, Hashable, CustomStringConvertible {
  /// What went wrong, from the point of view of who runs the command.
  package enum Kind: Sendable {
    /// There is no such folder.
    case noSpool
    /// It is laid out in another way than was said.
    case wrongLayout
    /// A folder cannot be made in it, or not be looked into.
    case cannotCreate
    /// It was there, and was moved, removed or unmounted.
    case gone
    /// The process has too many files open, or the system no memory.
    case exhausted
    /// The disk failed.
    case io
  }

  /// What went wrong.
  package let kind: Kind
  /// The folder.
  package let path: String
  /// What happened, and what to do.
  package let reason: String

  /// The failure for a person.
  package var description: String { "\(SpoolName.printable(path.utf8)): \(reason)" }

  init(_ kind: Kind, _ path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// The failure of a system call that left `code` in `errno`; `kind` is for codes that do not tell more.
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

  /// The failure of what `DurableFolder` was asked for.
  init(_ failure: StateFailure) {
    switch failure.kind {
    case .cannotCreate, .diskFull: self.init(.cannotCreate, failure.path, failure.reason)
    case .missing, .locked, .damaged, .incompatible, .io: self.init(.io, failure.path, failure.reason)
    }
  }
}
