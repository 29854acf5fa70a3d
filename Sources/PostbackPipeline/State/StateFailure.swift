internal import Glibc

/// Why the state of earlier runs cannot be used or kept. Never about a postback.
package struct StateFailure: Error, CustomStringConvertible {
  /// What went wrong, from the point of view of who runs the command.
  package enum Kind: Sendable {
    /// There is none.
    case missing
    /// Another process has it.
    case locked
    /// A file is not what was committed. It is never repaired by guessing.
    case damaged
    /// It belongs to another program, another version, or a run with other settings.
    case incompatible
    /// A file or folder cannot be made or opened.
    case cannotCreate
    /// The disk failed.
    case io
    /// There is no more room.
    case diskFull
  }

  /// What went wrong.
  package let kind: Kind
  /// The file or folder.
  package let path: String
  /// What happened, and what to do.
  package let reason: String

  /// The failure for a person.
  package var description: String { "\(path): \(reason)" }

  /// A failure.
  package init(_ kind: Kind, _ path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// The failure of a system call that left `code` in `errno`; `kind` is for codes that do not tell more.
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

  /// A folder without a state.
  static func missing(_ folder: String) -> StateFailure {
    StateFailure(.missing, folder, "holds no state (\(Ledger.name)); check the path")
  }

  /// A file that is not what was committed: what about it.
  static func damaged(_ path: String, _ finding: String) -> StateFailure {
    StateFailure(.damaged, path, "\(finding); restore the state folder and the tables from the same backup")
  }
}
