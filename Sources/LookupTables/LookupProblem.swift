internal import Base

/// A problem, or a remark, about a lookup table: the file, the place in it, and what to do.
package struct LookupProblem: Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  package let file: String
  /// The number of the line on which the row begins, from 1; nil for the whole file.
  package let line: Int?
  /// The name of the column; nil for the whole row.
  package let column: String?
  /// The problem and its correction, as complete sentences.
  package let reason: String

  package init(file: String, line: Int?, column: String?, reason: String) {
    (self.file, self.line, self.column, self.reason) = (file, line, column, reason)
  }

  /// The problem on one line, with control characters escaped: `FILE: line LINE, column COLUMN: REASON`.
  package var description: String {
    let place = [line.map { "line \($0)" }, column.map { "column \($0)" }].compactMap(\.self).joined(separator: ", ")
    return [file, place, reason].filter { !$0.isEmpty }.joined(separator: ": ").withControlCharactersEscaped
  }
}

/// The error thrown for wrong lookup tables, with the problems of all of them.
package struct LookupErrors: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problems, at least one.
  package let problems: [LookupProblem]
  /// The number of problems that are not among `problems`.
  package let unlisted: Int

  /// The problems as text, one on each line.
  package var description: String {
    let lines = problems.map(\.description)
    return (unlisted == 0 ? lines : lines + ["\(unlisted) more problems are not listed."]).joined(separator: "\n")
  }
}

/// The problems and warnings that were found in lookup tables so far.
package struct LookupFindings {
  /// The number of problems, and of warnings, that are listed.
  static let listed = 1000

  private(set) var problems: [LookupProblem] = []
  package private(set) var warnings: [LookupProblem] = []
  /// The number of all problems.
  private(set) var problemCount = 0

  /// Nothing was found yet.
  package init() {}

  /// Adds a problem, which makes the tables unusable.
  package mutating func add(_ problem: LookupProblem) {
    problemCount += 1
    if problems.count < Self.listed { problems.append(problem) }
  }

  /// Adds a remark that does not make the tables unusable.
  mutating func warn(_ warning: LookupProblem) {
    if warnings.count < Self.listed { warnings.append(warning) }
  }

  /// Throws all problems, sorted by file and line.
  package func throwIfAny() throws(LookupErrors) {
    guard problemCount > 0 else { return }
    let sorted = problems.enumerated().sorted {
      ($0.element.file, $0.element.line ?? 0, $0.offset) < ($1.element.file, $1.element.line ?? 0, $1.offset)
    }
    throw LookupErrors(problems: sorted.map(\.element), unlisted: problemCount - problems.count)
  }
}
