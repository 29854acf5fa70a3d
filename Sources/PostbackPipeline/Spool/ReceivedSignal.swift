internal import Glibc

/// A signal that came.
package struct ReceivedSignal: Hashable, Sendable {
  /// `SIGTERM`, `SIGINT` or `SIGHUP`.
  package let number: Int32
  /// Whether it asks to end what was asked to end before: now at once.
  package let isRepeated: Bool
  /// Whether it asks to end.
  package var asksToEnd: Bool { number == SIGTERM || number == SIGINT }
}

/// Which signals came before.
struct SignalHistory {
  private var wasAskedToEnd = false

  /// The next signal.
  mutating func receive(_ number: Int32) -> ReceivedSignal {
    let signal = ReceivedSignal(number: number, isRepeated: false)
    guard signal.asksToEnd else { return signal }
    defer { wasAskedToEnd = true }
    return ReceivedSignal(number: number, isRepeated: wasAskedToEnd)
  }
}
