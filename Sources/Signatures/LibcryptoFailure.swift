/// libcrypto itself failed (no memory, a provider missing): says nothing about the input.
public struct LibcryptoFailure: Error, Hashable, CustomStringConvertible {
  /// What was being done.
  public let operation: String

  /// The failure for a person.
  public var description: String { "libcrypto failed: \(operation)" }
}
