internal import ConversionModel
internal import Glibc

/// Puts files into a spool of Maildir's layout: each is durable and complete when it is seen.
///
/// Not for several threads at once.
package struct SpoolWriter: Sendable {
  private let spool: String
  /// When the last file was named, in microseconds since 1970: names ascend also where the clock does not.
  private var lastTime: Int64 = 0
  private var sequence: UInt32 = 0

  /// A file of `tmp/` that nobody has written to for so long was left by a process that was killed.
  private static let patience = Duration.seconds(600)

  /// A writer into the spool at `path`, which must be there; makes the folders in it that are not.
  ///
  /// Removes what writers left in `tmp/` when they were killed. Nobody was told that it is durable.
  package init(_ path: String) throws(SpoolFailure) {
    var path = path
    while path.utf8.count > 1, path.hasSuffix("/") { path.removeLast() }
    spool = path
    _ = try SpoolLayout(opening: path, settle: nil)
    removeLeftFiles()
  }

  /// Writes a file of these bytes; when this returns it is in `new/` and survives a loss of power.
  ///
  /// Where anything fails there is no file, as far as that can be had, and nothing of it may be relied on.
  package mutating func write(_ bytes: [UInt8]) throws(SpoolFailure) {
    let name = nextName()
    let (written, complete) = ("\(spool)/tmp/\(name)", "\(spool)/new/\(name)")
    try Self.makeDurable(bytes, at: written)
    guard unsafe rename(written, complete) == 0 else {
      let code = errno
      unsafe unlink(written)
      throw .system(.io, complete, "cannot be renamed into place", code)
    }
    do throws(StateFailure) {
      try DurableFolder("\(spool)/new").synchronize()
    } catch {
      // Who reads the spool may have it already; then it is there twice when it is sent again, and copies are told.
      unsafe unlink(complete)
      throw SpoolFailure(error)
    }
  }

  /// Tries whether a file could be written now, with one that nobody sees.
  package mutating func probe() throws(SpoolFailure) {
    let path = "\(spool)/tmp/\(nextName())"
    try Self.makeDurable([UInt8(ascii: "\n")], at: path)
    unsafe unlink(path)
  }

  private static func makeDurable(_ bytes: [UInt8], at path: String) throws(SpoolFailure) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw .system(.io, path, "cannot be created") }
    var failure: SpoolFailure?
    if !bytes.writeAll(to: descriptor) {
      failure = .system(.io, path, "cannot be written")
    } else if fsync(descriptor) != 0 {
      // Not tried again: the kernel tells of a failure once, and may have dropped what it could not write.
      failure = .system(.io, path, "cannot be made durable")
    }
    close(descriptor)
    guard let failure else { return }
    unsafe unlink(path)
    throw failure
  }

  // Names

  private static let prefix = "serve-"
  private static let suffix = ".jsonl"

  /// `serve-`, the time in microseconds since 1970, a number, and eight random digits: sorted by arrival, and no two
  /// processes, or starts of one, have the same.
  private mutating func nextName() -> String {
    lastTime = max(Timestamp.now.milliseconds * 1000, lastTime + 1)
    sequence &+= 1
    func digits(_ number: some BinaryInteger, radix: Int, count: Int) -> String {
      let text = String(number, radix: radix)
      return String(repeating: "0", count: max(count - text.count, 0)) + text
    }
    let number = digits(sequence, radix: 10, count: 10)
    let chance = digits(UInt32.random(in: 0...UInt32.max), radix: 16, count: 8)
    return Self.prefix + "\(digits(lastTime, radix: 10, count: 17))-\(number)-\(chance)" + Self.suffix
  }

  /// Whether a name is one that `nextName` gives.
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
