/// The reason for the end of a wait.
package enum Wakeup: Hashable, Sendable {
  /// Files may have come: a scan is due.
  case input
  /// A signal has come.
  case signal(ReceivedSignal)
  /// The time is over, and nothing has come.
  case timeout
}
