internal import Base
internal import Glibc

/// The failure of an operation on a file or folder: the path, the event, its cause and the advice.
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
  /// The event, as a sentence without its full stop, as in `The file cannot be opened`.
  package let event: String
  /// The value of `errno` that the failed system call left; nil if no system call failed.
  package let code: Int32?
  /// The advice, as sentences without the last full stop; nil if there is none.
  package let advice: String?

  /// Indicates that the disk or the system failed, and not that something is wrong with the file: a later attempt may
  /// succeed. Where a permission is missing or the content is damaged, it would fail again.
  package var isOfSystem: Bool {
    guard let code else { return false }
    return code != EACCES && code != EPERM && (kind == .io || kind == .exhausted || kind == .diskFull)
  }

  /// The event, its cause and the advice as sentences, without the path.
  package var reason: String {
    let cause = code.map { ": \(unsafe String(cString: strerror($0)))" } ?? ""
    return ([event + cause] + (advice.map { [$0] } ?? [])).map { $0.hasSuffix(".") ? $0 : "\($0)." }
      .joined(separator: " ")
  }

  /// The path and the reason, for a person.
  package var description: String { "\(path.withControlCharactersEscaped): \(reason)" }

  /// A failure that no system call has reported, unless `code` is given.
  package init(_ kind: Kind, _ path: String, _ event: String, code: Int32? = nil, advice: String? = nil) {
    self.kind = kind
    self.path = path
    self.event = event
    self.code = code
    self.advice = advice
  }

  /// Returns the failure of a system call that set `errno` to `code`, with the advice for this code. `kind` applies to
  /// codes without a category of their own.
  package static func system(
    _ kind: Kind,
    _ path: String,
    _ event: String,
    _ code: Int32 = errno,
    access: Access = .write
  ) -> FileFailure {
    func failure(_ kind: Kind, _ advice: String? = nil) -> FileFailure {
      FileFailure(kind, path, event, code: code, advice: advice)
    }
    return switch code {
    case ENOSPC, EDQUOT, EFBIG: failure(.diskFull, "Make room, then run again")
    case EACCES, EPERM, EROFS:
      switch access {
      case .read: failure(kind, "Give this user permission to read it")
      case .write: failure(.cannotCreate, "Give this user permission to write there")
      case .listAndWrite: failure(.cannotCreate, "Give this user permission to list it and to write there")
      }
    case ENOENT where access == .read: failure(kind, "Check the path")
    case EMFILE, ENFILE: failure(.exhausted, "Raise the limit of open files (ulimit -n)")
    case ENOMEM: failure(.exhausted)
    case EIO: failure(.io, "Check the disk, then run again")
    default: failure(kind)
    }
  }

  /// Returns the failure for a file that is not as it was committed. `finding` is a sentence about the file, without
  /// its full stop.
  package static func damaged(_ path: String, _ finding: String) -> FileFailure {
    FileFailure(.damaged, path, finding, advice: "Restore the state folder and the tables from the same backup")
  }
}
