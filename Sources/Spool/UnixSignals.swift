internal import CLinux
package import DurableFiles
internal import Glibc
internal import Synchronization

/// A receiver of `SIGTERM`, `SIGINT` and `SIGHUP`: the program asks for pending signals instead of being interrupted.
///
/// A signal handler writes their numbers to a pipe. Blocking the signals and reading them from signalfd(2) would not
/// work: the first thread of a program whose `main` is asynchronous waits in libdispatch with no signal blocked, and
/// the system delivers signals of the process to that thread.
package final class UnixSignals {
  /// The read end of the pipe, which poll(2) reports as readable after a signal.
  package let readEnd: Int32
  private let writeEnd: Int32
  private var queue: [ReceivedSignal] = []

  private static let numbers = [SIGTERM, SIGINT, SIGHUP]

  /// Installs the handler for `SIGTERM`, `SIGINT` and `SIGHUP`. Create one instance only in a process, early.
  package init() throws(FileFailure) {
    var ends: [Int32] = [-1, -1]
    let code = unsafe pipe2(&ends, O_NONBLOCK | O_CLOEXEC)
    (readEnd, writeEnd) = (ends[0], ends[1])
    guard code == 0 else { throw .system(.io, "signals", "The pipe for signals cannot be created") }
    signalPipe.store(writeEnd, ordering: .sequentiallyConsistent)
    for number in Self.numbers {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { tell($0) }
      action.sa_flags = SA_RESTART
      guard unsafe sigaction(number, &action, nil) == 0 else {
        throw .system(.io, "signals", "The handlers of signals cannot be installed")
      }
    }
  }

  /// Restores the default actions: each of the signals ends the process again.
  deinit {
    for number in Self.numbers { _ = signal(number, SIG_DFL) }
    signalPipe.store(-1, ordering: .sequentiallyConsistent)
    for end in [readEnd, writeEnd] where end >= 0 { close(end) }
  }

  /// Returns the signals that have come and were not returned yet, without waiting.
  package func pending() -> [ReceivedSignal] {
    receive()
    defer { queue = [] }
    return queue
  }

  /// Returns the first signal that has come and was not returned yet; nil if there is none.
  func next() -> ReceivedSignal? {
    receive()
    return queue.isEmpty ? nil : queue.removeFirst()
  }

  /// Waits for signals, at most for `limit`, and returns them; empty if none came.
  package func wait(upTo limit: Duration) -> [ReceivedSignal] {
    let signals = pending()
    guard signals.isEmpty else { return signals }
    var request = pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&request, 1, Int32(clamping: Int64(limit / .milliseconds(1))))
    return pending()
  }

  private func receive() {
    var numbers = [UInt8](repeating: 0, count: 64)
    while true {
      let count = unsafe read(readEnd, &numbers, numbers.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      for number in numbers.prefix(count) { queue.append(ReceivedSignal(number: Int32(number))) }
    }
  }
}

/// The descriptor of the pipe's write end, for the handler; -1 if no handler is installed.
private let signalPipe = Atomic<Int32>(-1)

/// The handler. Does only what signal-safety(7) allows, and keeps `errno` for the code that it interrupts.
private func tell(_ number: Int32) {
  let code = errno
  var byte = UInt8(truncatingIfNeeded: number)
  // A full pipe already holds enough signals, so a failed write does no harm.
  _ = unsafe write(signalPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
  errno = code
}

/// A signal that the process received.
package struct ReceivedSignal: Hashable, Sendable {
  /// `SIGTERM`, `SIGINT` or `SIGHUP`.
  package let number: Int32
  /// True if the signal asks the program to end: `SIGTERM` or `SIGINT`.
  package var asksToEnd: Bool { number == SIGTERM || number == SIGINT }
}
