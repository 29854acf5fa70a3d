/// Why waiting has ended.
package enum Wakeup: Hashable, Sendable {
  /// Something may have come: time to scan.
  case input
  /// A signal came.
  case signal(ReceivedSignal)
  /// Nothing in all of the time.
  case timeout
}
