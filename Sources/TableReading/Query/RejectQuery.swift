internal import Base
internal import SKAdNetwork
internal import Tables

/// A query over the rejects of one or more runs.
package struct RejectQuery: Sendable {
  /// The conditions, all of which a reject must meet.
  package var conditions: [Condition] = []
  /// The span of time in which a reject must have been received.
  package var span = TimeSpan()
  /// The columns by which the rejects are counted.
  package var grouping: [GroupColumn]
  /// The number of matching rejects to keep whole; the first ones are kept.
  package var shownRows = 0
  /// Indicates that copies are compared with the first copy, whatever the other properties are.
  package var comparesCopies = false

  /// Creates a query for all rejects, counted by these columns.
  package init(grouping: [GroupColumn]) { self.grouping = grouping }

  /// True if copies with other unsigned values are compared with the copy that came first. This is so if the query
  /// distinguishes senders, shows rows, or asks for such copies. It requires reading every accepted postback.
  package var wantsConflicts: Bool {
    let senders = ["channel", "forwarder", "conflicting_fields", "first_seen_postback_key"]
    return comparesCopies || shownRows > 0 || grouping.contains { senders.contains($0.name) }
      || conditions.contains { condition in
        senders.contains(condition.column)
          || condition.column == "reject_code" && condition.values.contains(RejectCode.duplicateConflict.rawValue)
      }
  }

  /// The conditions on columns that accepted postbacks also have. Only these apply to the number of records read.
  package var sharedConditions: [Condition] { conditions.filter { Table.postbacks.columnNames.contains($0.column) } }

  /// Indicates that no accepted postback can meet the conditions, because one is on a column that only rejects have.
  package var isOfRejectsAlone: Bool { !ownConditions.isEmpty }

  /// The conditions on columns that only rejects have.
  package var ownConditions: [Condition] { conditions.filter { !Table.postbacks.columnNames.contains($0.column) } }
}

/// A test of one column that a row must pass to be counted, such as `reject_code in (missing_field, wrong_type)`.
package struct Condition: Sendable, Equatable {
  /// The operator that compares a cell with the values; the raw value is its spelling. No operator comes after one that
  /// is a prefix of it, so that the first match is the right one.
  package enum Comparison: String, CaseIterable, Sendable {
    case notEqual = "!="
    case lacks = "!~"
    case atMost = "<="
    case atLeast = ">="
    case equal = "="
    case contains = "~"
    case below = "<"
    case above = ">"
    case among = "in"
  }

  package let column: String
  /// The operator.
  package let comparison: Comparison
  /// The values to compare with: several if the operator is `in`, else one. An empty value stands for null.
  package let values: [String]

  /// Reads `COLUMN OP VALUE` or `COLUMN in (VALUE, …)`. White space around the words is ignored. A value may be in
  /// double quotes, and must be if it contains a comma of a list. Throws if the text is not a condition, or if the
  /// column or the value cannot exist.
  package init(parsing text: String) throws(QueryDefect) {
    let name = text.drop(while: \.isWhitespace).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    let rest = text[name.endIndex...].drop(while: \.isWhitespace)
    guard !name.isEmpty, let comparison = Comparison.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
      throw QueryDefect(
        "\(text) is not a condition. Write COLUMN, one of = != ~ !~ < <= > >= and a value, or COLUMN in (VALUE, …)."
      )
    }
    guard let known = Table.rejects.columns.first(where: { $0.name.rawValue == name }) else {
      throw QueryDefect(unknown: String(name))
    }
    column = known.name.rawValue
    self.comparison = comparison
    let operand = rest.dropFirst(comparison.rawValue.count).trimmed
    if comparison != .among, let first = operand.first, "=!<>~".contains(first) {
      throw QueryDefect(
        "The condition \(text) has no operator that exists. Use one of = != ~ !~ < <= > >=, "
          + "and put a value that begins with \(first) in double quotes."
      )
    }
    if comparison == .among {
      guard operand.hasPrefix("("), operand.hasSuffix(")"), operand.count > 2,
        let list = Self.list(operand.dropFirst().dropLast())
      else { throw QueryDefect("The condition \(text) needs a list after in, such as (missing_field, wrong_type).") }
      values = list
    } else {
      values = [Self.unquoted(operand)]
    }
    if case .integer = known.type, ![.contains, .lacks].contains(comparison),
      let value = values.first(where: { !$0.isEmpty && Int64($0) == nil })
    {
      throw QueryDefect("The condition \(text) never holds, because \(column) is an integer and \(value) is none.")
    }
    if case .word(let words) = known.type, [.equal, .notEqual, .among].contains(comparison) {
      for value in values where !value.isEmpty && !words.contains(value) {
        let suggestion = value.nearest(among: words).map { "Did you mean \($0)?" }
        throw QueryDefect(
          "The condition \(text) never holds, because no \(column) is \(value). "
            + (suggestion ?? "Use one of \(words.joined(separator: ", ")).")
        )
      }
    }
    let isOrdered = [.below, .above, .atMost, .atLeast].contains(comparison)
    if isOrdered, column == "received_at", Timestamp(dateOrTime: values[0]) == nil {
      throw QueryDefect("The condition \(text) needs a date or a time, such as 2026-03-10 or 2026-03-10T00:00:00Z.")
    }
  }

  /// Returns the values of a list; nil if a quote is not closed.
  private static func list(_ text: Substring) -> [String]? {
    var values: [String] = []
    var value = ""
    var isQuoted = false
    for character in text {
      if character == "\"" { isQuoted.toggle() }
      if character == ",", !isQuoted {
        values.append(unquoted(value[...].trimmed))
        value = ""
      } else {
        value.append(character)
      }
    }
    return isQuoted ? nil : values + [unquoted(value[...].trimmed)]
  }

  private static func unquoted(_ text: Substring) -> String {
    let isQuoted = text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
    return String(isQuoted ? text.dropFirst().dropLast() : text)
  }
}

/// An error in a query, such as an unknown column, with advice on how to correct it.
package struct QueryDefect: Error, CustomStringConvertible {
  /// The error and the advice, in sentences.
  package let description: String

  package init(_ description: String) { self.description = description }

  /// Reports a column name that neither skan_rejects nor `derived` has, and suggests a similar name.
  init(unknown column: String, derived: [String] = []) {
    let names = Table.rejects.columnNames + derived
    guard let nearest = column.nearest(among: names) else {
      self.init("There is no column \(column). The columns are \(names.joined(separator: ", ")).")
      return
    }
    self.init("There is no column \(column). Did you mean \(nearest)?")
  }
}
