internal import Glibc

/// A folder into which others put files, to be taken one after the other in the order of their names.
///
/// Who takes them scans, opens every entry of the scan in turn, and puts each away — `file` when what it holds is
/// committed, `fail` when it cannot be read — and then scans again. Nothing of one file stops the others.
package final class SpoolFolder {
  /// The spool.
  package let path: String
  /// Where in it what is.
  package let layout: SpoolLayout
  /// Where files wait: what a waiter watches.
  package var waitingPath: String { layout.waiting(in: path) }

  let deletesFiled: Bool
  let rename: SpoolRename
  var setAside = SpoolSetAside()
  /// The folders whose entries changed since the last synchronization.
  var unsynchronized: Set<String> = []
  /// Of names that were taken in `done/` or `failed/` already, the number that was free last.
  var numbers: [String: Int] = [:]

  private var settling: SpoolSettling?
  private var scanned: [SpoolEntry] = []
  private var takenCount = 0

  /// Opens a spool that is there, and makes the folders in it that are not.
  ///
  /// Without `settle` it is one of Maildir's layout: `tmp/`, where producers write, `new/`, into which they rename,
  /// `done/` and `failed/`. With it files lie directly in the spool and are taken once they have not changed for so long.
  /// `deletes` removes files that are done with instead of keeping them in `done/`.
  package convenience init(_ path: String, settle: Duration? = nil, deletes: Bool = false) throws(SpoolFailure) {
    try self.init(path, settle: settle, deletes: deletes, rename: .atOnce)
  }

  init(_ path: String, settle: Duration? = nil, deletes: Bool = false, rename: SpoolRename) throws(SpoolFailure) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    self.rename = rename
    layout = try SpoolLayout(opening: path, settle: settle)
    settling = settle.map { SpoolSettling($0) }
    deletesFiled = deletes
    Self.removeLeftReasons(in: path)
  }

  /// What can be taken now, sorted by the bytes of the names; hidden files are not.
  ///
  /// In Maildir's layout no file is looked at. In the plain one each is, and folders are not for taking.
  package func scan(at now: ContinuousClock.Instant = .now) throws(SpoolFailure) -> [SpoolEntry] {
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
    names = setAside.others(of: names, at: now)
    let entries = names.enumerated().map { SpoolEntry(folder: folder, fileName: $1, position: $0) }
    scanned = entries
    takenCount = 0
    return entries
  }

  /// When a scan can bring something that no producer announces: a file that settles, or one that was left alone.
  package var nextScan: ContinuousClock.Instant? {
    [settling?.nextSettles, setAside.next].compactMap(\.self).min()
  }

  /// Opens a file of the last scan, without waiting for anything, whatever it is.
  package func open(_ entry: SpoolEntry) throws(SpoolRefusal) -> SpoolFile {
    takenCount = max(takenCount, entry.position + 1)
    guard entry.fileName.raw == nil else {
      throw SpoolRefusal(.unusableName, entry.path, "has a name that is not UTF-8; rename it, then move it back")
    }
    var status = stat()
    // Opening a device can do something to it, so the name is looked at before; then what was opened is.
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

  /// What waits: the entries of the last scan that were not opened yet.
  package func backlog() -> SpoolBacklog {
    let waiting = scanned.dropFirst(takenCount)
    var oldest: Int64?
    for index in stride(from: waiting.startIndex, to: waiting.endIndex, by: max(1, (waiting.count + 999) / 1000)) {
      var status = stat()
      guard unsafe lstat(waiting[index].systemPath, &status) == 0 else { continue }
      let modified = FileStatus.modified(status)
      oldest = min(oldest ?? modified, modified)
    }
    return SpoolBacklog(count: waiting.count, oldest: oldest, setAside: setAside.count)
  }
}
