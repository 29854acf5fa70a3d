/// The id and the version of a model, written as `revenue@2`.
public struct ModelLabel: Hashable, Sendable, CustomStringConvertible {
  /// The model's id: 1 to 64 of `A`–`Z`, `a`–`z`, `0`–`9`, `.`, `_` and `-`.
  public let modelID: String
  /// The version, from 1.
  public let version: Int

  /// The label as text, such as `revenue@2`.
  public var description: String { "\(modelID)@\(version)" }
}
