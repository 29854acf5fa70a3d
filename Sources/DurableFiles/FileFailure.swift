internal import Base
internal import Glibc

/// The failure of an operation on a file or folder: the operation, the path, the cause and the advice.
///
/// It never says anything about a single postback.
package struct FileFailure: Error, Hashable, CustomStringConvertible {
  /// The category of a failure, which decides the exit status of the command.
  package enum Kind: Sendable {
    /// The file or folder does not exist, or cannot be opened for reading.
    case notFound
    /// The file or folder cannot be created or opened for writing, often for lack of permission.
    case cannotCreate
    /// Another process uses the file or folder.
    case locked
    /// A file is not as it was committed. It is never repaired by guessing.
    case damaged
    /// The file or folder belongs to another program, another version, another layout, or a run with other settings.
    case incompatible
    /// The disk is full, or a quota is used up.
    case diskFull
    /// The process has too many files open, or the system has no memory left.
    case exhausted
    /// The disk or another system call failed.
    case io
  }

  /// The access that an operation needs. It decides the advice when a permission is missing.
  package enum Access: Sendable {
    /// The operation reads a file or lists a folder.
    case read
    /// The operation writes to a file or folder.
    case write
    /// The operation lists a folder and writes to it.
    case listAndWrite
  }

  /// The category.
  package let kind: Kind
  /// The path of the file or folder as it was given; `signals` for the signal handler.
  package let path: String
  /// The event and the advice, as the rest of a sentence that begins with the path.
  package let reason: String

  /// The path and the reason, for a person.
  package var description: String { "\(path.withControlCharactersEscaped): \(reason)" }

  /// A failure that no system call has reported.
  package init(_ kind: Kind, _ path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// Returns the failure of a system call that set `errno` to `code`. `kind` applies to codes without a category of
  /// their own.
  package static func system(
    _ kind: Kind,
    _ path: String,
    _ operation: String,
    _ code: Int32 = errno,
    access: Access = .write
  ) -> FileFailure {
    let meaning = "\(operation): \(unsafe String(cString: strerror(code)))"
    return switch code {
    case ENOSPC, EDQUOT, EFBIG: FileFailure(.diskFull, path, "\(meaning); make room, then run again")
    case EACCES, EPERM, EROFS:
      switch access {
      case .read: FileFailure(kind, path, "\(meaning); give this user permission to read it")
      case .write: FileFailure(.cannotCreate, path, "\(meaning); give this user permission to write there")
      case .listAndWrite:
        FileFailure(.cannotCreate, path, "\(meaning); give this user permission to list it and to write there")
      }
    case ENOENT where access == .read: FileFailure(kind, path, "\(meaning); check the path")
    case EMFILE, ENFILE: FileFailure(.exhausted, path, "\(meaning); raise the limit of open files (ulimit -n)")
    case ENOMEM: FileFailure(.exhausted, path, meaning)
    case EIO: FileFailure(.io, path, "\(meaning); check the disk, then run again")
    default: FileFailure(kind, path, meaning)
    }
  }

  /// Returns the failure for a file that is not as it was committed. `finding` is the rest of a sentence about the
  /// file.
  package static func damaged(_ path: String, _ finding: String) -> FileFailure {
    FileFailure(.damaged, path, "\(finding); restore the state folder and the tables from the same backup")
  }
}
