internal import Glibc

/// A signal that the process received.
package struct ReceivedSignal: Hashable, Sendable {
  /// `SIGTERM`, `SIGINT` or `SIGHUP`.
  package let number: Int32
  /// True if this signal asks the program to end and an earlier one did too: the program should now end at once.
  package let isRepeated: Bool
  /// True if the signal asks the program to end: `SIGTERM` or `SIGINT`.
  package var asksToEnd: Bool { number == SIGTERM || number == SIGINT }
}

/// A memory of earlier signals, which tells a repeated request to end from the first one.
struct SignalHistory {
  private var wasAskedToEnd = false

  /// Records a signal, and returns it with `isRepeated` filled in.
  mutating func receive(_ number: Int32) -> ReceivedSignal {
    let signal = ReceivedSignal(number: number, isRepeated: false)
    guard signal.asksToEnd else { return signal }
    defer { wasAskedToEnd = true }
    return ReceivedSignal(number: number, isRepeated: wasAskedToEnd)
  }
}
