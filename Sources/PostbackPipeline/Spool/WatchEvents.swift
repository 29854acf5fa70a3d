internal import Glibc

/// What a read of inotify has told, as far as it matters: inotify(7), “Reading events from an inotify file descriptor”.
struct WatchEvents: Equatable {
  /// Something came, or so much that some of it is not told.
  var hasInput = false
  /// The folder that was watched is no longer there.
  var isGone = false

  /// The events of a folder in which files are made.
  static let mask = UInt32(IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  /// Watch, mask, cookie and the length of the name that follows, 32 bits each.
  private static let headerCount = 16

  init() {}

  /// Adds what the bytes tell: whole events, as the system gives them.
  mutating func add(_ bytes: Span<UInt8>) {
    var start = 0
    while start + Self.headerCount <= bytes.count {
      let mask = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
      let nameCount = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: start + 12, as: UInt32.self)
      if mask & UInt32(IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE | IN_Q_OVERFLOW) != 0 { hasInput = true }
      if mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT | IN_IGNORED) != 0 { isGone = true }
      start += Self.headerCount + Int(nameCount)
    }
  }
}
