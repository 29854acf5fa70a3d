package import DurableFiles
internal import Glibc

/// A folder into which other programs put files, which are taken one after the other in the order of their names.
///
/// The caller scans, opens every entry of the scan in turn, and puts each file away: with `file` once its content is
/// committed, with `fail` if it cannot be read. Then it scans again. A problem with one file does not stop the others.
package final class SpoolFolder {
  /// The path of the spool, without slashes at its end.
  package let path: String
  /// The arrangement of folders in the spool.
  package let layout: SpoolLayout
  /// The path of the folder in which files wait, and which a `SpoolWaiter` watches.
  package var waitingPath: String { layout.waiting(in: path) }

  /// The lock that keeps other consumers out. Receivers do not take it.
  private let lock: LockFile
  let deletesFiled: Bool
  let rename: SpoolRename
  var setAside = SpoolSetAside()
  /// The names of files that could not be put away at the last attempt, and are still there.
  package internal(set) var notPutAway: Set<String> = []
  /// The folders whose entries have changed since the last `synchronize`.
  var unsynchronized: Set<String> = []
  /// The next number to try for a name that is taken already, by `done/NAME` or `failed/NAME`.
  var numbers: [String: Int] = [:]

  /// The time for the folders of what is put away, in milliseconds since 1970; nil for that of the clock.
  package var stamp: Int64?
  /// The folder in `done/` that is in use, and the number of it in its hour.
  var hour = (name: "", number: 1)

  private var settling: SpoolSettling?

  /// Opens an existing spool, locks it against other consumers, and creates the folders that are missing in it. Throws
  /// `.locked` if another process consumes it.
  ///
  /// Without `settle` the spool has Maildir's layout: `tmp/`, in which producers write, `new/`, into which they rename,
  /// `done/`, with a folder for each hour, and `failed/`. With `settle` files lie directly in the spool, and are taken once they have not changed for
  /// that time. If `deletes` is true, files that are done are deleted instead of moved to `done/`.
  package convenience init(_ path: String, settle: Duration? = nil, deletes: Bool = false) throws(FileFailure) {
    try self.init(path, settle: settle, deletes: deletes, rename: .atOnce)
  }

  init(_ path: String, settle: Duration? = nil, deletes: Bool = false, rename: SpoolRename) throws(FileFailure) {
    let path = path.withoutTrailingSlashes
    self.path = path
    self.rename = rename
    layout = try SpoolLayout(opening: path, settle: settle)
    // Scans leave hidden files out.
    lock = try LockFile("\(path)/.lock") { holder in
      FileFailure(
        .locked,
        path,
        "The spool is consumed by \(holder)",
        advice: "A spool has one consumer: wait for that one to end, or give this one another spool"
      )
    }
    settling = settle.map { SpoolSettling($0) }
    deletesFiled = deletes
    Self.removeLeftReasons(in: path)
  }

  /// Returns the files that can be taken now, sorted by the bytes of their names, without hidden files.
  ///
  /// In Maildir's layout only names are read. In the plain layout every file is looked at, and folders are left out.
  package func scan(at now: ContinuousClock.Instant = .now) throws(FileFailure) -> [SpoolEntry] {
    let folder = waitingPath
    var names = try SpoolListing.names(in: folder)
    if settling != nil {
      var identities: [String: SpoolIdentity] = [:]
      for name in names {
        var status = stat()
        guard unsafe lstat(name.path(in: folder), &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { continue }
        identities[name.text] = SpoolIdentity(status)
      }
      let settled = settling?.settled(identities, at: now) ?? []
      names = names.filter { settled.contains($0.text) }
    }
    if !notPutAway.isEmpty { notPutAway.formIntersection(names.map(\.text)) }
    names = setAside.others(of: names, at: now)
    return names.map { SpoolEntry(folder: folder, fileName: $0) }
  }

  /// The time of the next scan that can find a file without any event: one that settles, or one that was left alone.
  /// Nil if there is no such file.
  package var nextScan: ContinuousClock.Instant? {
    [settling?.nextSettles, setAside.next].compactMap(\.self).min()
  }

  /// Opens a file of the last scan. Never blocks, even if the file is a pipe.
  package func open(_ entry: SpoolEntry) throws(SpoolRefusal) -> SpoolFile {
    guard entry.fileName.raw == nil else {
      throw SpoolRefusal(.unusableName, entry.path, "The name is not UTF-8. Rename the file, then move it back.")
    }
    var status = stat()
    // Opening a device can have an effect, so the name is checked before the open, and the descriptor after it.
    guard unsafe lstat(entry.path, &status) == 0 else { throw .system(entry, errno) }
    if let refusal = SpoolRefusal(entry, mode: status.st_mode) { throw refusal }
    var descriptor: Int32
    repeat {
      descriptor = unsafe Glibc.open(entry.path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    } while descriptor < 0 && errno == EINTR
    guard descriptor >= 0 else { throw .system(entry, errno) }
    guard unsafe fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .system(entry, code)
    }
    if let refusal = SpoolRefusal(entry, mode: status.st_mode) {
      close(descriptor)
      throw refusal
    }
    return SpoolFile(descriptor: descriptor, path: entry.path, SpoolIdentity(status))
  }
}

/// The arrangement of folders in a spool, and the sign that a file is complete.
package enum SpoolLayout: Hashable, Sendable {
  /// Maildir's layout: producers write a file in `tmp/`, make it durable and rename it into `new/`, where it is
  /// complete.
  case maildir
  /// Producers write files directly into the spool. A file is complete once it has not changed for the settle time.
  case plain(settle: Duration)

  /// Chooses the layout for the spool at `path`, Maildir's if `settle` is nil, and creates the missing folders. Throws
  /// if the contents of the spool belong to the other layout.
  init(opening path: String, settle: Duration?) throws(FileFailure) {
    guard try Self.isDirectory(path) else {
      throw FileFailure(.notFound, path, "The spool directory does not exist", advice: "Create it, or check the path")
    }
    let hasNew = try Self.isDirectory("\(path)/new")
    switch settle {
    case let settle?:
      guard !hasNew else {
        throw FileFailure(
          .incompatible,
          path,
          "The spool has a directory new/, into which producers rename complete files",
          advice: "Leave the settle time out, or remove new/"
        )
      }
      self = .plain(settle: settle)
    case nil:
      let holdsFiles = hasNew ? false : try Self.holdsFiles(path)
      guard !holdsFiles else {
        throw FileFailure(
          .incompatible,
          path,
          "The spool holds files, and no directory new/",
          advice: "Create new/ and rename complete files into it, or give a settle time"
        )
      }
      self = .maildir
    }
    for name in folders {
      _ = try DurableFolder(making: "\(path)/\(name)")
      guard try Self.isDirectory("\(path)/\(name)") else {
        throw FileFailure(.cannotCreate, "\(path)/\(name)", "This is not a directory", advice: "Move it away")
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

  private static func isDirectory(_ path: String) throws(FileFailure) -> Bool {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return status.st_mode & S_IFMT == S_IFDIR }
    guard errno == ENOENT || errno == ENOTDIR else { throw .system(.io, path, "The status of the file cannot be read") }
    return false
  }

  private static func holdsFiles(_ path: String) throws(FileFailure) -> Bool {
    for name in try SpoolListing.names(in: path) {
      var status = stat()
      if unsafe lstat(name.path(in: path), &status) == 0, status.st_mode & S_IFMT == S_IFREG { return true }
    }
    return false
  }
}
