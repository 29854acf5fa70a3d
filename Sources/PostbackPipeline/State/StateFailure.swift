internal import Glibc

/// An error that keeps the state or the tables from being used or saved. Never about a single postback.
package struct StateFailure: Error, CustomStringConvertible {
  /// The category of a failure, from the view of the person who runs the command.
  package enum Kind: Sendable {
    /// The folder holds no state.
    case missing
    /// Another process uses the state or its database.
    case locked
    /// A file is not as it was committed. It is never repaired by guessing.
    case damaged
    /// The state belongs to another program, another version, or a run with other settings.
    case incompatible
    /// A file or folder cannot be created or opened, often for lack of permission.
    case cannotCreate
    /// The disk or another system call failed.
    case io
    /// The disk is full, or a quota is used up.
    case diskFull
  }

  /// The category.
  package let kind: Kind
  /// The path of the file or folder.
  package let path: String
  /// The event and the advice, as the rest of a sentence that begins with the path.
  package let reason: String

  /// The path and the reason, for a person.
  package var description: String { "\(path): \(reason)" }

  /// A failure.
  package init(_ kind: Kind, _ path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// Returns the failure of a system call that set `errno` to `code`. `kind` applies to codes without a category of
  /// their own.
  static func system(_ kind: Kind, _ path: String, _ operation: String, _ code: Int32 = errno) -> StateFailure {
    let meaning = "\(operation): \(unsafe String(cString: strerror(code)))"
    return switch code {
    case ENOSPC, EDQUOT, EFBIG: StateFailure(.diskFull, path, "\(meaning); make room, then run again")
    case EACCES, EPERM, EROFS:
      StateFailure(.cannotCreate, path, "\(meaning); give this user permission to write there")
    case EMFILE, ENFILE: StateFailure(.io, path, "\(meaning); raise the limit of open files (ulimit -n)")
    case EIO: StateFailure(.io, path, "\(meaning); check the disk, then run again")
    default: StateFailure(kind, path, meaning)
    }
  }

  /// Returns the failure for a folder without a state.
  static func missing(_ folder: String) -> StateFailure {
    StateFailure(.missing, folder, "holds no state (\(Ledger.name)); check the path")
  }

  /// Returns the failure for a file that is not as it was committed. `finding` is the rest of a sentence about the
  /// file.
  static func damaged(_ path: String, _ finding: String) -> StateFailure {
    StateFailure(.damaged, path, "\(finding); restore the state folder and the tables from the same backup")
  }
}
