internal import Glibc

/// Why a file of a spool is not read.
package struct SpoolRefusal: Error, Hashable, CustomStringConvertible {
  /// Whose fault it is, and so what the consumer does.
  package enum Kind: Hashable, Sendable {
    /// It is not there any more, somebody else took it: the next one's turn.
    case vanished
    /// Its name is not UTF-8: it belongs in `failed/`.
    case unusableName
    /// It is a symbolic link, a pipe, a socket, a device or a directory: it belongs in `failed/`.
    case notRegular
    /// This user may not read it, or the like: it belongs in `failed/`.
    case unreadable
    /// Not the file's fault: it stays where it is.
    case failure(SpoolFailure)
  }

  /// Whose fault it is.
  package let kind: Kind
  /// The file.
  package let path: String
  /// What happened, and what to do.
  package let reason: String

  /// The refusal for a person.
  package var description: String { "\(SpoolName.printable(path.utf8)): \(reason)" }

  init(_ kind: Kind, _ path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// The refusal of a file that could not be opened, with `code` in `errno`.
  static func system(_ entry: SpoolEntry, _ code: Int32) -> SpoolRefusal {
    let meaning = "cannot be opened: \(unsafe String(cString: strerror(code)))"
    switch code {
    case ENOENT, ESTALE:
      return SpoolRefusal(.vanished, entry.path, "is not there any more; somebody else took it")
    case EMFILE, ENFILE, ENOMEM, EIO, ENOTDIR:
      let failure = SpoolFailure.system(.gone, entry.folder, "a file in it cannot be opened", code)
      return SpoolRefusal(.failure(failure), entry.path, failure.reason)
    case EACCES, EPERM:
      return SpoolRefusal(
        .unreadable,
        entry.path,
        "\(meaning); give this user permission to read it, then move it back"
      )
    default:
      return SpoolRefusal(.unreadable, entry.path, meaning)
    }
  }

  /// The refusal of what is not a regular file; nil for what is.
  init?(_ entry: SpoolEntry, mode: mode_t) {
    let kind =
      switch mode & S_IFMT {
      case S_IFREG: String?.none
      case S_IFLNK: "a symbolic link"
      case S_IFDIR: "a directory"
      case S_IFIFO: "a named pipe"
      case S_IFSOCK: "a socket"
      case S_IFBLK, S_IFCHR: "a device"
      default: "of a kind that is not known"
      }
    guard let kind else { return nil }
    self.init(.notRegular, entry.path, "is \(kind), and only regular files are read; put the file itself there")
  }
}
