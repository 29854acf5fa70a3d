internal import Base
package import DurableFiles
internal import Glibc

/// A writer of files into a spool of Maildir's layout. A file is complete and its content durable before it appears in
/// `new/`.
///
/// One instance must not be used by several threads at once.
package struct SpoolWriter: Sendable {
  private let spool: String
  /// The time in the last file name, in microseconds since 1970. It always grows, so names ascend even if the clock
  /// goes back.
  private var lastTime: Int64 = 0
  private var sequence: UInt32 = 0
  /// The time that the last write spent in fsync, of the file and of its folder.
  package private(set) var synchronizationTime = Duration.zero

  /// The age at which a file in `tmp/` that nobody writes to is considered left over from a killed process.
  private static let patience = Duration.seconds(600)

  /// Creates a writer for the spool at `path`, which must exist, and creates the folders that are missing in it.
  ///
  /// Removes files that killed writers have left in `tmp/`. No sender was told that they are durable.
  package init(_ path: String) throws(FileFailure) {
    spool = path.withoutTrailingSlashes
    _ = try SpoolLayout(opening: spool, settle: nil)
    removeLeftFiles()
  }

  /// Writes a file with these bytes. On return the file is in `new/` and survives a loss of power.
  ///
  /// If this throws, the file is removed as far as possible, and its content must not be relied on.
  package mutating func write(_ bytes: [UInt8]) throws(FileFailure) {
    let name = nextName()
    try write(bytes, named: name, into: "\(spool)/new/\(name)")
  }

  private mutating func write(_ bytes: [UInt8], named name: String, into complete: String) throws(FileFailure) {
    let written = "\(spool)/tmp/\(name)"
    synchronizationTime = .zero
    try makeDurable(bytes, at: written)
    guard unsafe rename(written, complete) == 0 else {
      let code = errno
      unsafe unlink(written)
      throw .system(.io, complete, "The file cannot be renamed into place", code)
    }
    let start = ContinuousClock.now
    defer { synchronizationTime += .now - start }
    do throws(FileFailure) {
      try DurableFolder("\(spool)/new").synchronize()
    } catch {
      // A reader may have taken the file already. A postback that is sent again is then found to be a duplicate.
      unsafe unlink(complete)
      throw error
    }
  }

  /// Tests if a file of this size can be written now, with all steps of `write`. The file gets a hidden name in `new/`, which
  /// readers leave out, and is removed. Throws if a step fails.
  package mutating func probe(byteCount: Int) throws(FileFailure) {
    let complete = "\(spool)/new/.probe"
    try write([UInt8](repeating: UInt8(ascii: "\n"), count: max(byteCount, 1)), named: nextName(), into: complete)
    unsafe unlink(complete)
  }

  /// Tests if a file of this size can be made durable, in `tmp/`, whose files nobody reads. Throws if not.
  package mutating func attempt(byteCount: Int) throws(FileFailure) {
    let path = "\(spool)/tmp/\(nextName())"
    try makeDurable([UInt8](repeating: UInt8(ascii: "\n"), count: byteCount), at: path)
    unsafe unlink(path)
  }

  /// Tests if the folders of the spool are there and may be written to. Throws if not.
  package func reach() throws(FileFailure) {
    for name in ["tmp", "new"] where unsafe access("\(spool)/\(name)", W_OK) != 0 {
      throw .system(.io, "\(spool)/\(name)", "The folder cannot be written to")
    }
  }

  private mutating func makeDurable(_ bytes: [UInt8], at path: String) throws(FileFailure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o640)
    guard descriptor >= 0 else { throw .system(.io, path, "The file cannot be created") }
    var failure: FileFailure?
    if !bytes.writeAll(to: descriptor) {
      failure = .system(.io, path, "The file cannot be written")
    } else {
      let start = ContinuousClock.now
      // fsync is not tried again: the kernel reports a failure once, and may have dropped the data.
      if fsync(descriptor) != 0 { failure = .system(.io, path, "The file cannot be made durable") }
      synchronizationTime += .now - start
    }
    close(descriptor)
    guard let failure else { return }
    unsafe unlink(path)
    throw failure
  }

  // MARK: - File names

  private static let prefix = "serve-"
  private static let suffix = ".jsonl"

  /// Returns a new name: `serve-`, the time in microseconds since 1970, a sequence number and eight random hexadecimal
  /// digits. Names sort by time, and the random digits keep the names of different processes apart.
  private mutating func nextName() -> String {
    lastTime = max(Timestamp.now.milliseconds * 1000, lastTime + 1)
    sequence &+= 1
    let number = sequence.digits(10)
    let chance = UInt32.random(in: 0...UInt32.max).digits(8, radix: 16)
    return Self.prefix + "\(lastTime.digits(17))-\(number)-\(chance)" + Self.suffix
  }

  /// Returns true if a name has the form that `nextName` gives.
  static func isOwn(_ name: String) -> Bool {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return false }
    let parts = name.dropFirst(prefix.count).dropLast(suffix.count).split(
      separator: "-",
      omittingEmptySubsequences: false
    )
    return parts.map(\.utf8.count) == [17, 10, 8] && parts.allSatisfy { $0.allSatisfy(\.isHexDigit) }
  }

  private func removeLeftFiles() {
    let folder = DurableFolder("\(spool)/tmp")
    for name in (try? folder.names()) ?? [] where Self.isOwn(name) {
      var status = stat()
      guard unsafe lstat("\(folder.path)/\(name)", &status) == 0 else { continue }
      let modified = Timestamp(milliseconds: FileStatus.modified(status))
      if Timestamp.now.since(modified) > Self.patience { try? folder.remove(name) }
    }
  }
}
