internal import CLinux
internal import Glibc

/// Waits until something comes into a spool, or a signal.
///
/// To be made before the first scan: what comes after it was made wakes it, also while nobody waits.
package final class SpoolWaiter {
  /// Why input is noticed late, by scanning from time to time only, in a sentence for the log; nil where it is not.
  package private(set) var limitation: String?

  private let path: String
  private let signals: Signals?
  private var watch: Int32 = -1

  /// Watches where files wait in the spool. Where that cannot be, waiting goes by time alone.
  package init(_ folder: SpoolFolder, signals: Signals?) {
    path = folder.waitingPath
    self.signals = signals
    watch = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    if unsafe watch < 0 || inotify_add_watch(watch, path, WatchEvents.mask) < 0 {
      let code = errno
      let advice =
        code == ENOSPC || code == EMFILE
        ? ". Raise fs.inotify.max_user_watches or fs.inotify.max_user_instances (sysctl)" : ""
      limitation = """
        \(SpoolName.printable(path.utf8)): cannot be watched: \(unsafe String(cString: strerror(code))); \
        it is scanned from time to time instead\(advice)
        """
      if watch >= 0 { close(watch) }
      watch = -1
    } else if Self.isShared(path) {
      limitation = """
        \(SpoolName.printable(path.utf8)): is on a file system that does not tell what other machines put there; \
        that is found by scanning from time to time
        """
    }
  }

  deinit {
    if watch >= 0 { close(watch) }
  }

  /// Waits for input or a signal, and no longer than told. Signals come first.
  package func wait(upTo limit: Duration) throws(SpoolFailure) -> Wakeup {
    let deadline = ContinuousClock.now + limit
    while true {
      if let signal = signals?.next() { return .signal(signal) }
      if try hasInput() { return .input }
      // A descriptor below zero is one that poll does not look at.
      var requests = [watch, signals?.readEnd ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return .timeout }
      guard unsafe poll(&requests, nfds_t(requests.count), Self.milliseconds(left)) >= 0 || errno == EINTR else {
        throw .system(.exhausted, path, "cannot be waited for")
      }
    }
  }

  /// Rounded up, so that waiting is not done in many turns of nothing at the end.
  private static func milliseconds(_ duration: Duration) -> Int32 {
    let (seconds, attoseconds) = duration.components
    guard seconds < 1_000_000 else { return 1_000_000_000 }
    return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Takes all that was told so far.
  private func hasInput() throws(SpoolFailure) -> Bool {
    guard watch >= 0 else { return false }
    var events = WatchEvents()
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = unsafe read(watch, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count < 0, errno != EAGAIN { throw .system(.io, path, "cannot be watched any more") }
      guard count > 0 else { break }
      events.add(buffer.span.extracting(first: count))
    }
    guard !events.isGone else {
      throw SpoolFailure(.gone, path, "was moved, removed or unmounted; put it back, then run again")
    }
    return events.hasInput
  }

  /// Whether others can put files there that this system hears nothing of.
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
