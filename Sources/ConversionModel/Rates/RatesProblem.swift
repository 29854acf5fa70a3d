/// A problem found in a file of rates.
public struct RatesProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public let file: String
  /// The number of the line on which the record begins, from 1; nil for the whole file.
  public let line: Int?
  /// The problem and its correction, as a phrase that follows the place.
  public let reason: String

  /// The problem on one line, with control characters escaped: `FILE: line LINE: REASON`.
  public var description: String {
    ModelProblem(file: file, pointer: line.map { "line \($0)" } ?? "", reason: reason).description
  }
}

/// All problems of a file of rates.
public struct RatesErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, at least one.
  public let problems: [RatesProblem]

  /// The problems as text, one on each line.
  public var description: String { problems.map(\.description).joined(separator: "\n") }
}
