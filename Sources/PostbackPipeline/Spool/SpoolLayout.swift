internal import Glibc

/// The arrangement of folders in a spool, and the sign that a file is complete.
package enum SpoolLayout: Hashable, Sendable {
  /// Maildir's layout: producers write a file in `tmp/`, make it durable and rename it into `new/`, where it is
  /// complete.
  case maildir
  /// Producers write files directly into the spool. A file is complete once it has not changed for the settle time.
  case plain(settle: Duration)

  /// Chooses the layout for the spool at `path`, Maildir's if `settle` is nil, and creates the missing folders. Throws
  /// if the contents of the spool belong to the other layout.
  init(opening path: String, settle: Duration?) throws(SpoolFailure) {
    guard try Self.isDirectory(path) else {
      throw SpoolFailure(.noSpool, path, "is no folder that is there; make it, or check the path")
    }
    let hasNew = try Self.isDirectory("\(path)/new")
    switch settle {
    case let settle?:
      guard !hasNew else {
        throw SpoolFailure(
          .wrongLayout,
          path,
          "has a folder new/, into which producers rename what is complete: leave the settle time out, or remove new/"
        )
      }
      self = .plain(settle: settle)
    case nil:
      let holdsFiles = hasNew ? false : try Self.holdsFiles(path)
      guard !holdsFiles else {
        throw SpoolFailure(
          .wrongLayout,
          path,
          "holds files and no folder new/: make new/ and rename complete files into it, or give a settle time"
        )
      }
      self = .maildir
    }
    for name in folders {
      do { _ = try DurableFolder(making: "\(path)/\(name)") } catch { throw SpoolFailure(error) }
      guard try Self.isDirectory("\(path)/\(name)") else {
        throw SpoolFailure(.cannotCreate, "\(path)/\(name)", "is no folder; move it away")
      }
    }
  }

  /// Returns the folder in which files wait, for the spool at `path`.
  func waiting(in path: String) -> String {
    switch self {
    case .maildir: "\(path)/new"
    case .plain: path
    }
  }

  private var folders: [String] {
    switch self {
    case .maildir: ["tmp", "new", "done", "failed"]
    case .plain: ["done", "failed"]
    }
  }

  private static func isDirectory(_ path: String) throws(SpoolFailure) -> Bool {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
    guard errno == ENOENT || errno == ENOTDIR else { throw .system(.io, path, "cannot be looked at") }
    return false
  }

  private static func holdsFiles(_ path: String) throws(SpoolFailure) -> Bool {
    for name in try SpoolListing.names(in: path) {
      var status = stat()
      if unsafe lstat(name.path(in: path), &status) == 0, status.st_mode & S_IFMT == S_IFREG { return true }
    }
    return false
  }
}
