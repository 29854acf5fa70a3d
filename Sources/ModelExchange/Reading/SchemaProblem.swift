internal import Base

/// A reason for which a schema cannot be imported, and its place in the file.
package struct SchemaProblem: Equatable, Sendable, CustomStringConvertible {
  /// The path of the file.
  package let file: String
  /// The number of the line, from 1; nil where the reason is about the whole file.
  package let line: Int?
  /// The place as an RFC 6901 JSON pointer; empty for the whole text.
  package let pointer: String
  /// The problem and its correction, as complete sentences.
  package let reason: String

  /// The problem on one line, with control characters escaped: `FILE: line 7: POINTER: REASON`.
  package var description: String {
    [file, line.map { "line \($0)" } ?? "", pointer, reason].filter { !$0.isEmpty }.joined(separator: ": ")
      .withControlCharactersEscaped
  }
}

/// The error thrown for a schema that cannot be imported, with all its problems in the order in which they were found.
package struct SchemaErrors: Error, Sendable, CustomStringConvertible {
  /// The problems, at least one.
  package let problems: [SchemaProblem]

  /// The problems as text, one on each line.
  package var description: String { problems.map(\.description).joined(separator: "\n") }
}
