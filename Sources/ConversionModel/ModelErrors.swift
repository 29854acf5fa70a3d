/// Everything that is wrong with the model files, in the order of the files.
public struct ModelErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// One or more.
  public let problems: [ModelProblem]

  /// A line for each problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
