internal import CLinux
internal import Glibc
internal import Synchronization

/// The signals that ask to end or to read the settings again, as something to look at instead of something that strikes.
///
/// A handler writes their numbers to a pipe. Blocking them and reading them from signalfd(2) would not do: the first thread
/// of a program whose `main` is asynchronous waits in libdispatch with nothing blocked, and a signal to the process strikes
/// there.
package final class Signals {
  /// What can be read when a signal came.
  let readEnd: Int32
  private let writeEnd: Int32
  private var history = SignalHistory()
  private var queue: [ReceivedSignal] = []

  private static let numbers = [SIGTERM, SIGINT, SIGHUP]

  /// Takes `SIGTERM`, `SIGINT` and `SIGHUP` over. To be made early, and once in a process.
  package init() throws(SpoolFailure) {
    var ends: [Int32] = [-1, -1]
    let code = unsafe pipe2(&ends, O_NONBLOCK | O_CLOEXEC)
    (readEnd, writeEnd) = (ends[0], ends[1])
    guard code == 0 else { throw .system(.io, "signals", "no pipe can be made for them") }
    signalPipe.store(writeEnd, ordering: .sequentiallyConsistent)
    for number in Self.numbers {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { tell($0) }
      action.sa_flags = SA_RESTART
      guard unsafe sigaction(number, &action, nil) == 0 else {
        throw .system(.io, "signals", "cannot be taken over")
      }
    }
  }

  /// Gives the signals back: each ends the process again.
  deinit {
    for number in Self.numbers { _ = signal(number, SIG_DFL) }
    signalPipe.store(-1, ordering: .sequentiallyConsistent)
    for end in [readEnd, writeEnd] where end >= 0 { close(end) }
  }

  /// The signals that came and were not told yet, in no more time than it takes to look.
  package func pending() -> [ReceivedSignal] {
    receive()
    defer { queue = [] }
    return queue
  }

  /// The first signal that came and was not told yet.
  func next() -> ReceivedSignal? {
    receive()
    return queue.isEmpty ? nil : queue.removeFirst()
  }

  /// Waits for a signal, and no longer than told; those that came.
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
      for number in numbers.prefix(count) { queue.append(history.receive(Int32(number))) }
    }
  }
}

/// Where the handler writes.
private let signalPipe = Atomic<Int32>(-1)

/// The handler: does only what signal-safety(7) allows, and leaves `errno` as it was for whom it interrupts.
private func tell(_ number: Int32) {
  let code = errno
  var byte = UInt8(truncatingIfNeeded: number)
  // A pipe that is full has told enough.
  _ = unsafe write(signalPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
  errno = code
}
