/// Something that is wrong with a file of rates.
public struct RatesProblem: Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let file: String
  /// The line where the record begins, from 1; nil for the whole file.
  public let line: Int?
  /// What is wrong, and what would be right.
  public let reason: String

  /// `FILE: line LINE: REASON`, on one line, control characters escaped.
  public var description: String {
    ModelProblem(file: file, pointer: line.map { "line \($0)" } ?? "", reason: reason).description
  }
}

/// Everything that is wrong with a file of rates, in its order.
public struct RatesErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// One or more.
  public let problems: [RatesProblem]

  /// A line for each problem.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
