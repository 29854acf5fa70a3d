internal import Glibc

extension SpoolFolder {
  /// Puts a file away whose postbacks are durably committed: to `done/`, or out of the world where that was chosen.
  ///
  /// Only the file that was read, as it was read, is put away: where its name leads to another by now, or it has grown,
  /// that waits on. In `done/` no file is replaced: the second of a name becomes `NAME.2`.
  package func file(
    _ entry: SpoolEntry,
    _ identity: SpoolIdentity,
    at now: ContinuousClock.Instant = .now
  ) -> SpoolFiling {
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
    let code = putAway(entry, in: "done", beside: nil)
    return code == 0 ? .done : stuck(entry, "moved to \(path)/done", code, now)
  }

  /// Puts a file away that cannot be read: to `failed/`, with a file `NAME.reason` beside it that says why on one line.
  ///
  /// No file is replaced there. Where the reason cannot be written the file is moved without; a power cut can lose a
  /// reason too.
  package func fail(
    _ entry: SpoolEntry,
    reason: String,
    at now: ContinuousClock.Instant = .now
  ) -> SpoolFiling {
    let hidden = "\(path)/failed/\(Self.hiddenStart)\(getpid())\(Self.hiddenEnd)"
    let line = Array((SpoolName.printable(reason.utf8) + "\n").utf8)
    let isWritten = Self.write(line, to: hidden)
    let code = putAway(entry, in: "failed", beside: isWritten ? hidden : nil)
    return code == 0 ? .done : stuck(entry, "moved to \(path)/failed", code, now)
  }

  /// Makes durable which files were put away since the last time.
  ///
  /// It may come long after, or never: files are put away when what they hold is committed. One that is back where it was
  /// after a crash is known to the ledger by its identity, and is only put away again.
  package func synchronize() throws(SpoolFailure) {
    // Where files went before where they were: so that a crash in between leaves one name too many, not one too few.
    for folder in unsynchronized.sorted(by: { ($0 == waitingPath ? 1 : 0) < ($1 == waitingPath ? 1 : 0) }) {
      do { try DurableFolder(folder).synchronize() } catch { throw SpoolFailure(error) }
      unsynchronized.remove(folder)
    }
  }

  /// Moves a file to the first name that is free in the folder, and the reason to that with `.reason`; 0, or `errno`.
  ///
  /// The reason is first, so that whoever sees the file sees why it is there.
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
        number += 1
      case ENOENT:
        // Of the file, that somebody else has put it away; of the folder, that somebody has removed it.
        var status = stat()
        if unsafe lstat(entry.systemPath, &status) != 0, errno == ENOENT { return 0 }
        guard unsafe mkdir(target, 0o777) == 0 else { return ENOENT }
        unsynchronized.insert(path)
      default:
        return code
      }
    }
  }

  /// Moves the reason, if there is one; 0 or `EEXIST`. A file goes without rather than stay.
  ///
  /// One of the same words, of a file that is not there, was left by a crash before that file was moved: it serves.
  private func moveReason(_ reason: inout String?, to path: String, of file: String) -> Int32 {
    guard let old = reason else { return 0 }
    var code = rename(Array(old.utf8CString), to: path)
    if code == EEXIST, Self.isFree(file), Self.holdsSame(old, path) {
      code = unsafe Glibc.rename(old, path) == 0 ? 0 : errno
    }
    switch code {
    case 0:
      reason = path
    case EEXIST:
      return EEXIST
    default:
      unsafe unlink(old)
      reason = nil
    }
    return 0
  }

  /// So that a producer who uses a name again and again does not have all of the numbers tried each time.
  private func remember(_ number: Int, of key: String) {
    if numbers.count >= 10_000 { numbers = [:] }
    numbers[key] = number + 1
  }

  private func stuck(
    _ entry: SpoolEntry,
    _ action: String,
    _ code: Int32,
    _ now: ContinuousClock.Instant
  ) -> SpoolFiling {
    setAside.add(entry.name, at: now)
    let meaning = unsafe String(cString: strerror(code))
    let advice =
      switch code {
      case EACCES, EPERM, EROFS: "give this user permission to write there"
      case EXDEV: "have the folders of the spool on one file system"
      case ENOSPC, EDQUOT: "make room"
      default: "check the disk"
      }
    let seconds = SpoolSetAside.pause.components.seconds
    return .stuck("\(entry.shown): cannot be \(action): \(meaning); \(advice). It is tried again in \(seconds) s")
  }

  private static func isFree(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) != 0 && errno == ENOENT
  }

  private static func holdsSame(_ path: String, _ other: String) -> Bool {
    func bytes(_ path: String) -> [UInt8]? {
      var status = stat()
      guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size < 1 << 20,
        let file = try? StateFile(path, .reading)
      else { return nil }
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
      return (try? file.read(into: &bytes, at: 0)).map { Array(bytes.prefix($0)) }
    }
    return bytes(path).map { $0 == bytes(other) } ?? false
  }

  private static let hiddenStart = ".reason-"
  private static let hiddenEnd = ".inprogress"

  /// Removes the reasons that were being written by processes that are gone. Not worth a failure.
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
    let descriptor = unsafe Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    guard bytes.writeAll(to: descriptor) else {
      unsafe unlink(path)
      return false
    }
    return true
  }
}
