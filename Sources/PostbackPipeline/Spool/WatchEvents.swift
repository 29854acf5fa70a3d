internal import Glibc

/// A summary of events of inotify(7), from “Reading events from an inotify file descriptor”.
struct WatchEvents: Equatable {
  /// True if a file has come, or if the event queue has overflowed and some events are lost.
  var hasInput = false
  /// True if the watched folder was deleted, moved or unmounted.
  var isGone = false

  /// The events to watch a folder for: new files, and the end of the folder itself.
  static let mask = UInt32(IN_MOVED_TO | IN_CREATE | IN_CLOSE_WRITE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

  /// The bytes of an event's header: watch, mask, cookie and the length of the name that follows, 32 bits each.
  private static let headerCount = 16

  init() {}

  /// Adds the events in a buffer that read(2) has filled. It holds whole events.
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
