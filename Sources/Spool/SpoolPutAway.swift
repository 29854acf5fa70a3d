internal import Base
package import DurableFiles
internal import Glibc

extension SpoolFolder {
  /// Moves a file whose postbacks are durably committed to `done/`, or deletes it if the spool was opened with
  /// `deletes`.
  ///
  /// Only the file that was read, in the state in which it was read, is put away. If the name now belongs to another
  /// file, or the file has grown, that file keeps waiting. No file in `done/` is replaced: the second of a name in an hour
  /// becomes `NAME.2`.
  package func archive(
    _ entry: SpoolEntry,
    _ identity: SpoolIdentity,
    at now: ContinuousClock.Instant = .now
  ) -> ArchiveResult {
    var status = stat()
    guard unsafe lstat(entry.systemPath, &status) == 0 else {
      return errno == ENOENT ? .done : stuck(entry, "looked at", errno, now)
    }
    guard SpoolIdentity(status) == identity else {
      return .changed("\(entry.shown): changed after it was read; it is read again. Put complete files there only")
    }
    if deletesFiled {
      guard unsafe unlink(entry.systemPath) == 0 || errno == ENOENT else { return stuck(entry, "removed", errno, now) }
      unsynchronized.insert(entry.folder)
      return .done
    }
    let code = putAwayDone(entry)
    return code == 0 ? .done : stuck(entry, "moved to \(path)/done", code, now)
  }

  /// Moves a file to the folder of the hour. Returns 0 or `errno`.
  private func putAwayDone(_ entry: SpoolEntry) -> Int32 {
    let time = stamp ?? Timestamp.now.milliseconds
    let name = PutAwayFolders.name(at: time, number: 1)
    if hour.name != name { hour = (name, 1) }
    let code = putAway(entry, in: "done/\(PutAwayFolders.name(at: time, number: hour.number))", beside: nil)
    // A file of an earlier version has the name of the day.
    if code == ENOTDIR { return putAway(entry, in: "done", beside: nil) }
    // The disk may have room, and only the index of the directory has not.
    guard code == ENOSPC else { return code }
    let next = putAway(entry, in: "done/\(PutAwayFolders.name(at: time, number: hour.number + 1))", beside: nil)
    if next == 0 { hour.number += 1 }
    return next
  }

  /// Moves a file that cannot be read to `failed/`, and writes the reason on one line to `NAME.reason` beside it.
  ///
  /// No file there is replaced. The reason is durable before the file is moved. If it cannot be written, the file is
  /// moved without it.
  package func fail(
    _ entry: SpoolEntry,
    reason: String,
    at now: ContinuousClock.Instant = .now
  ) -> ArchiveResult {
    let hidden = "\(path)/failed/\(Self.hiddenStart)\(getpid())\(Self.hiddenEnd)"
    let line = Array((SpoolName.printable(reason.utf8) + "\n").utf8)
    let isWritten = Self.write(line, to: hidden)
    let code = putAway(entry, in: "failed", beside: isWritten ? hidden : nil)
    return code == 0 ? .done : stuck(entry, "moved to \(path)/failed", code, now)
  }

  /// Makes the changes of folders since the last call durable: which files were put away.
  ///
  /// The call may come late or never, because files are put away only after their content is committed. If a crash
  /// brings a file back, the ledger knows it by its identity, and the file is only put away again.
  package func synchronize() throws(FileFailure) {
    // The folder with waiting files comes last: a crash before it can leave a file with two names, but never with none.
    for folder in unsynchronized.sorted(by: { ($0 == waitingPath ? 1 : 0) < ($1 == waitingPath ? 1 : 0) }) {
      try DurableFolder(folder).synchronize()
      unsynchronized.remove(folder)
    }
  }

  /// Moves a file to the first free name in a folder, and its reason to that name with `.reason`. Returns 0 or `errno`.
  ///
  /// The reason is moved first, so that a person who sees the file also finds its reason.
  private func putAway(_ entry: SpoolEntry, in folder: String, beside hidden: String?) -> Int32 {
    let target = "\(path)/\(folder)"
    let key = "\(folder)/\(entry.name)"
    var number = numbers[key] ?? 1
    var reason = hidden
    var isMoved = false
    defer { if !isMoved, let reason { unsafe unlink(reason) } }
    while true {
      let suffix = number == 1 ? "" : ".\(number)"
      let name = "\(target)/\(SpoolName.fitting(entry.name, suffix))"
      var code = moveReason(&reason, to: "\(target)/\(SpoolName.fitting(entry.name, "\(suffix).reason"))", of: name)
      if code == 0 { code = rename(entry.systemPath, to: name) }
      switch code {
      case 0:
        isMoved = true
        unsynchronized.formUnion([target, entry.folder])
        if number > 1 { remember(number, of: key) }
        return 0
      case EEXIST:
        guard SpoolRename.isSame(entry.systemPath, name) else {
          number += 1
          continue
        }
        // A crash left both names on one file. Only the old name is to be removed; a reason that was moved now stays.
        isMoved = reason != hidden
        unsynchronized.formUnion([target, entry.folder])
        return unsafe unlink(entry.systemPath) == 0 ? 0 : errno
      case ENOENT:
        // Either another process has put the file away, or the target folder was removed.
        var status = stat()
        if unsafe lstat(entry.systemPath, &status) != 0, errno == ENOENT { return 0 }
        let made = make(folder)
        guard made == 0 else { return made }
      default:
        return code
      }
    }
  }

  /// Makes a folder of the spool and those above it. Returns 0 or `errno`.
  private func make(_ folder: String) -> Int32 {
    var above = path
    for name in folder.split(separator: "/") {
      let made = "\(above)/\(name)"
      if unsafe mkdir(made, 0o777) == 0 { unsynchronized.insert(above) } else if errno != EEXIST { return errno }
      above = made
    }
    return 0
  }

  /// Moves the reason, if there is one. Returns 0 or `EEXIST`; after other errors the file is moved without a reason.
  ///
  /// A crash before a file was moved can leave its reason behind. A reason with the same text beside a free name is
  /// therefore replaced.
  private func moveReason(_ reason: inout String?, to path: String, of file: String) -> Int32 {
    guard let old = reason else { return 0 }
    var code = rename(Array(old.utf8CString), to: path)
    if code == EEXIST, Self.isFree(file), Self.holdsSame(old, path) {
      code = unsafe Glibc.rename(old, path) == 0 ? 0 : errno
    }
    switch code {
    case 0:
      reason = path
      // A file whose reason cannot be made durable is moved all the same.
      try? DurableFolder("\(self.path)/failed").synchronize()
    case EEXIST:
      return EEXIST
    default:
      unsafe unlink(old)
      reason = nil
    }
    return 0
  }

  /// Stores the next number to try for a name, so that a name in frequent use does not have all its numbers tried each
  /// time. Forgets all names when there are 10 000.
  private func remember(_ number: Int, of key: String) {
    if numbers.count >= 10_000 { numbers = [:] }
    numbers[key] = number + 1
  }

  private func stuck(
    _ entry: SpoolEntry,
    _ action: String,
    _ code: Int32,
    _ now: ContinuousClock.Instant
  ) -> ArchiveResult {
    setAside.add(entry.name, at: now)
    let meaning = unsafe String(cString: strerror(code))
    let advice =
      switch code {
      case EACCES, EPERM, EROFS: "Give this user permission to write there."
      case EXDEV: "Keep the directories of the spool on one file system."
      case ENOSPC, EDQUOT: "Make room."
      default: "Check the disk."
      }
    let seconds = SpoolSetAside.pause.components.seconds
    return .stuck(
      "\(entry.shown): The file cannot be \(action): \(meaning). \(advice) It is tried again in \(seconds) s."
    )
  }

  private static func isFree(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) != 0 && errno == ENOENT
  }

  private static func holdsSame(_ path: String, _ other: String) -> Bool {
    func bytes(_ path: String) -> [UInt8]? {
      var status = stat()
      guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size < 1 << 20,
        let file = try? DurableFile(path, .reading)
      else { return nil }
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
      return (try? file.read(into: &bytes, at: 0)).map { Array(bytes.prefix($0)) }
    }
    return bytes(path).map { $0 == bytes(other) } ?? false
  }

  private static let hiddenStart = ".reason-"
  private static let hiddenEnd = ".inprogress"

  /// Removes unfinished reasons of processes that have ended. Errors are ignored.
  static func removeLeftReasons(in path: String) {
    let folder = "\(path)/failed"
    for name in (try? DurableFolder(folder).names()) ?? []
    where name.hasPrefix(hiddenStart) && name.hasSuffix(hiddenEnd) {
      guard let process = pid_t(name.dropFirst(hiddenStart.count).dropLast(hiddenEnd.count)), process > 0 else {
        continue
      }
      if process == getpid() || kill(process, 0) != 0 && errno == ESRCH { unsafe unlink("\(folder)/\(name)") }
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) -> Bool {
    let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard bytes.writeAll(to: descriptor), fsync(descriptor) == 0 else {
      unsafe unlink(path)
      return false
    }
    return true
  }
}

/// The outcome of moving a file out of the folder in which it waits.
package enum ArchiveResult: Hashable, Sendable {
  /// The file no longer waits. Another process may have put it away.
  case done
  /// The file has changed since it was read. It still waits, and is read again as another file. The value is a sentence
  /// for the log.
  case changed(String)
  /// The file cannot be moved. It waits where it is, and is left alone for a while. The value is a sentence for the
  /// log.
  case stuck(String)

  /// The sentence for the log; nil if the file no longer waits.
  package var problem: String? {
    switch self {
    case .done: nil
    case .changed(let sentence), .stuck(let sentence): sentence
    }
  }
}

/// The files that could not be moved to `done/` or `failed/`, or not be deleted. They are left alone for a while, so
/// that they do not hold up the others and are not tried again all the time.
struct SpoolSetAside {
  /// The time for which a file is left alone.
  static let pause = Duration.seconds(60)

  private var due: [String: ContinuousClock.Instant] = [:]

  /// The number of files that are left alone.
  var count: Int { due.count }
  /// The time at which the first of them is tried again; nil if there is none.
  var next: ContinuousClock.Instant? { due.values.min() }

  /// Leaves a file alone, from `now` for the length of `pause`.
  mutating func add(_ name: String, at now: ContinuousClock.Instant) { due[name] = now + Self.pause }

  /// Returns the names that are not left alone, including those whose pause is over.
  mutating func others(of names: [SpoolName], at now: ContinuousClock.Instant) -> [SpoolName] {
    guard !due.isEmpty else { return names }
    due = due.filter { $0.value > now }
    let others = names.filter { due[$0.text] == nil }
    // A file that another process has removed since then is forgotten.
    if others.count + due.count > names.count {
      let present = Set(names.map(\.text))
      due = due.filter { present.contains($0.key) }
    }
    return others
  }
}
