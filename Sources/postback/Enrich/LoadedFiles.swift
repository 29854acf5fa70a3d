internal import Synchronization

/// The contents of files that commands have read, such as lookup tables, costs and rates. The steps of a refresh share them, so that
/// each file is read once, and all steps have the same of it.
final class LoadedFiles: Sendable {
  private let values = Mutex<[String: any Sendable]>([:])
  private let told = Mutex<Set<String>>([])

  /// Returns the content with a key, which names its files and the options that it depends on; `load` reads it the first time.
  func value<Value: Sendable>(_ key: String, _ load: () throws -> Value) throws -> Value {
    if let known = values.withLock({ $0[key] }), let value = known as? Value { return value }
    let value = try load()
    values.withLock { $0[key] = value }
    return value
  }

  /// Prints the warnings on a content, unless they were printed before.
  func warn(_ key: String, _ warnings: [some CustomStringConvertible]) {
    guard told.withLock({ $0.insert(key).inserted }) else { return }
    for warning in warnings { Terminal.warn(warning.description) }
  }
}
