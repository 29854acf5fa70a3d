/// All problems found in the model files, in the order in which the checks found them.
public struct ModelErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, at least one.
  public let problems: [ModelProblem]

  /// The problems as text, one on each line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
