internal import Synchronization

/// A value in use by several threads, which may be replaced as a whole at any time.
@available(iOS 18.0, *)
package final class Replaceable<Value: Sendable>: Sendable {
  private let stored: Mutex<Value>

  /// Starts with a value.
  package init(_ value: Value) { stored = Mutex(value) }

  /// The value to use now.
  package var value: Value {
    get { stored.withLock { $0 } }
    set { stored.withLock { $0 = newValue } }
  }
}
