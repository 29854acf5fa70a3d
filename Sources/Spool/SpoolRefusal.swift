package import DurableFiles
internal import Glibc

/// The reason for not reading a file of a spool.
package struct SpoolRefusal: Error, Hashable, CustomStringConvertible {
  /// The category of a refusal, which decides what happens to the file.
  package enum Kind: Hashable, Sendable {
    /// The file no longer exists; another process took it. The next file is read.
    case vanished
    /// The name is not UTF-8. The file belongs in `failed/`.
    case unusableName
    /// The file is a symbolic link, a pipe, a socket, a device or a directory. It belongs in `failed/`.
    case notRegular
    /// The file cannot be opened, for example for lack of permission. It belongs in `failed/`.
    case unreadable
    /// The file is not the cause, but the spool or the system. The file stays where it is.
    case failure(FileFailure)
  }

  /// The category.
  package let kind: Kind
  /// The path of the file.
  package let path: String
  /// The event and the advice, as sentences.
  package let reason: String

  /// The path and the reason, for a person.
  package var description: String { "\(SpoolName.printable(path.utf8)): \(reason)" }

  init(_ kind: Kind, _ path: String, _ reason: String) {
    self.kind = kind
    self.path = path
    self.reason = reason
  }

  /// Returns the refusal of a file for which a system call failed with the `errno` value `code`.
  static func system(_ entry: SpoolEntry, _ code: Int32) -> SpoolRefusal {
    let meaning = "The file cannot be opened: \(unsafe String(cString: strerror(code)))."
    switch code {
    case ENOENT, ESTALE:
      return SpoolRefusal(.vanished, entry.path, "The file no longer exists. Another process took it.")
    case EMFILE, ENFILE, ENOMEM, EIO, ENOTDIR, EUCLEAN, EBADMSG, EREMOTEIO, ENODEV, ENODATA, ETIMEDOUT:
      let failure = FileFailure.system(.notFound, entry.folder, "A file of the directory cannot be opened", code)
      return SpoolRefusal(.failure(failure), entry.path, failure.reason)
    case EACCES, EPERM:
      return SpoolRefusal(
        .unreadable,
        entry.path,
        "\(meaning) Give this user permission to read it, then move it back."
      )
    default:
      return SpoolRefusal(.unreadable, entry.path, meaning)
    }
  }

  /// Creates the refusal of a file that is not a regular file; nil for a regular file.
  init?(_ entry: SpoolEntry, mode: mode_t) {
    let kind =
      switch mode & S_IFMT {
      case S_IFREG: String?.none
      case S_IFLNK: "a symbolic link"
      case S_IFDIR: "a directory"
      case S_IFIFO: "a named pipe"
      case S_IFSOCK: "a socket"
      case S_IFBLK, S_IFCHR: "a device"
      default: "a file of an unknown kind"
      }
    guard let kind else { return nil }
    self.init(.notRegular, entry.path, "This is \(kind), and only regular files are read. Put the file itself there.")
  }
}
