internal import CLinux
package import DurableFiles
internal import Glibc

/// A waiter for new files in a spool, or a signal, based on inotify(7).
///
/// Create it before the first scan. Files that come after that end the next wait, even if they come between two waits.
package final class SpoolWaiter {
  /// A sentence for the log that explains the need to scan from time to time; nil if inotify reports all new files.
  package private(set) var limitation: String?

  private let path: String
  private let signals: UnixSignals?
  private var watch: Int32 = -1

  /// Starts to watch the folder in which files wait. If that fails, sets `limitation`, and new files do not end a wait.
  package init(_ folder: SpoolFolder, signals: UnixSignals?) {
    path = folder.waitingPath
    self.signals = signals
    watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    if unsafe watch < 0 || inotify_add_watch(watch, path, WatchEvents.mask) < 0 {
      let code = errno
      let advice =
        code == ENOSPC || code == EMFILE
        ? " Raise fs.inotify.max_user_watches or fs.inotify.max_user_instances (sysctl)." : ""
      limitation = """
        \(SpoolName.printable(path.utf8)): The directory cannot be watched: \(unsafe String(cString: strerror(code))). \
        It is scanned from time to time instead.\(advice)
        """
      if watch >= 0 { close(watch) }
      watch = -1
    } else if Self.isShared(path) {
      limitation = """
        \(SpoolName.printable(path.utf8)): The file system does not report the files that other machines put there. \
        The directory is scanned from time to time instead.
        """
    }
  }

  deinit {
    if watch >= 0 { close(watch) }
  }

  /// Waits for input or a signal, at most for `limit`. If both have come, returns the signal.
  package func wait(upTo limit: Duration) throws(FileFailure) -> Wakeup {
    let deadline = ContinuousClock.now + limit
    while true {
      if let signal = signals?.next() { return .signal(signal) }
      if try hasInput() { return .input }
      // poll(2) ignores a negative descriptor.
      var requests = [watch, signals?.readEnd ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return .timeout }
      guard unsafe poll(&requests, nfds_t(requests.count), Self.milliseconds(left)) >= 0 || errno == EINTR else {
        throw .system(.exhausted, path, "The directory cannot be waited for")
      }
    }
  }

  /// Returns a duration in whole milliseconds, rounded up, so that the rest of a wait does not become a loop of zero
  /// waits.
  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Reads all pending events, and returns true if one of them announces input. Throws if the folder is gone.
  private func hasInput() throws(FileFailure) -> Bool {
    guard watch >= 0 else { return false }
    var events = WatchEvents()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe read(watch, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno != EAGAIN { throw .system(.io, path, "The directory cannot be watched any more") }
      guard count > 0 else { break }
      events.add(buffer.span.extracting(first: count))
    }
    guard !events.isGone else {
      throw FileFailure(
        .notFound,
        path,
        "The directory was moved, removed or unmounted",
        advice: "Put it back, then run again"
      )
    }
    return events.hasInput
  }

  /// Tells if the folder is on a file system to which other machines can write without an event of inotify.
  private static func isShared(_ path: String) -> Bool {
    var status = statfs()
    guard unsafe statfs(path, &status) == 0 else { return false }
    // NFS, SMB, CIFS, SMB2, FUSE, 9P, Ceph, AFS, as statfs(2) numbers them.
    let shared: Set<UInt32> = [
      0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x00C3_6400, 0x5346_414F,
    ]
    return shared.contains(UInt32(truncatingIfNeeded: status.f_type))
  }
}

/// The reason for the end of a wait.
package enum Wakeup: Hashable, Sendable {
  /// Files may have come: a scan is due.
  case input
  /// A signal has come.
  case signal(ReceivedSignal)
  /// The time is over, and nothing has come.
  case timeout
}

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
