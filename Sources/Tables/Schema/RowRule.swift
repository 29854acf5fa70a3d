internal import SKAdNetwork

/// A rule for the rows of a table that ties columns to each other: if all conditions hold, so do the consequences.
package struct RowRule: Sendable {
  /// A condition on the value of a column.
  package enum Condition: Sendable {
    /// The value is null.
    case null
    /// The value is not null.
    case present
    /// The value is this word.
    case word(String)
    /// The value is one of these words.
    case words([String])
    /// The value is another one than this word, or null.
    case not(String)
    /// The value is this integer.
    case integer(Int64)
    /// The value is this Boolean.
    case boolean(Bool)
    /// The value is a text that matches a regular expression.
    case matching(String)
    /// The value is null, or a text that is not empty.
    case notEmpty
    /// The value is a list that has this word.
    case containing(String)
  }

  /// Conditions by their columns.
  package typealias Conditions = KeyValuePairs<ColumnName, Condition>

  /// The conditions under which the rule applies.
  package let conditions: Conditions
  /// The conditions that hold if the rule applies.
  package let consequences: Conditions
  /// The conditions that hold if the rule does not apply.
  package let alternatives: Conditions

  /// Makes a rule.
  package static func when(
    _ conditions: Conditions,
    then consequences: Conditions,
    otherwise alternatives: Conditions = [:]
  ) -> RowRule {
    RowRule(conditions: conditions, consequences: consequences, alternatives: alternatives)
  }
}

extension RowRule.Condition {
  /// Returns the condition that the value is a word of an enumeration.
  static func equals(_ word: some RawRepresentable<String>) -> Self { .word(word.rawValue) }

  /// Returns the condition that the value is one of some words of an enumeration.
  static func isAmong<Word: RawRepresentable<String>>(_ words: [Word]) -> Self { .words(words.map(\.rawValue)) }

  /// Returns the condition that the value is a version of SKAdNetwork from one on and before another.
  static func versions(from first: Version = .v1_0, before end: Version? = nil) -> Self {
    .isAmong(Version.allCases.filter { version in version >= first && end.map { version < $0 } ?? true })
  }
}
