internal import Base
internal import ConversionModel
internal import PostbackPipeline
internal import SKAdNetwork

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

  /// The column.
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
        "\(text) is no condition; expected COLUMN, one of = != ~ !~ < <= > >= and a value, or COLUMN in (VALUE, …)"
      )
    }
    guard Table.rejects.columns.contains(String(name)) else { throw QueryDefect(unknown: String(name)) }
    column = String(name)
    self.comparison = comparison
    let operand = rest.dropFirst(comparison.rawValue.count).trimmed
    if comparison != .among, let first = operand.first, "=!<>~".contains(first) {
      throw QueryDefect(
        "\(text): \(comparison.rawValue)\(first) compares nothing; use one of = != ~ !~ < <= > >=, "
          + "and put a value that begins with \(first) in double quotes"
      )
    }
    if comparison == .among {
      guard operand.hasPrefix("("), operand.hasSuffix(")"), operand.count > 2,
        let list = Self.list(operand.dropFirst().dropLast())
      else { throw QueryDefect("\(text): behind in stands a list, such as (missing_field, wrong_type)") }
      values = list
    } else {
      values = [Self.unquoted(operand)]
    }
    if let words = Self.words(of: column), [.equal, .notEqual, .among].contains(comparison) {
      for value in values where !value.isEmpty && !words.contains(value) {
        let meant = value.nearest(among: words).map { "did you mean \($0)?" }
        throw QueryDefect(
          "\(text): no \(column) is \(value); " + (meant ?? "expected one of \(words.joined(separator: ", "))")
        )
      }
    }
    let isOrdered = [.below, .above, .atMost, .atLeast].contains(comparison)
    if isOrdered, column == "received_at", Timestamp(dateOrTime: values[0]) == nil {
      throw QueryDefect("\(text): expected a date or a time, such as 2026-03-10 or 2026-03-10T00:00:00Z")
    }
  }

  /// All values of a column that has a closed set of them; nil for every other column.
  private static func words(of column: String) -> [String]? {
    switch column {
    case "stage": RejectStage.allCases.map(\.rawValue)
    case "reject_code": RejectCode.allCases.map(\.rawValue)
    case "channel": Channel.allCases.map(\.rawValue)
    default: nil
    }
  }

  /// The values of a list; nil where a quote is not closed.
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
  /// The error and the advice, for people.
  package let description: String

  init(_ description: String) { self.description = description }

  /// Reports a column name that neither skan_rejects nor `derived` has, and suggests a similar name.
  init(unknown column: String, derived: [String] = []) {
    let names = Table.rejects.columns + derived
    guard let nearest = column.nearest(among: names) else {
      self.init("there is no column \(column); there are \(names.joined(separator: ", "))")
      return
    }
    self.init("there is no column \(column); did you mean \(nearest)?")
  }
}

extension Timestamp {
  /// The time in `text`, or the first moment in UTC of the date in it; nil if it is neither.
  package init?(dateOrTime text: String) {
    guard let time = Timestamp(text) ?? Timestamp(text + "T00:00:00Z") else { return nil }
    self = time
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text = text.dropLast() }
    return text
  }
}
