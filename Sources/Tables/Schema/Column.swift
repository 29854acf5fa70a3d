/// A column of a table, as all its descriptions have it: the encoders, the CSV header, the JSON Schema and SQL.
package struct Column: Sendable, Equatable {
  /// The presence of a value in each row.
  package enum Nullability: Sendable {
    /// Each row has a value.
    case required
    /// A row may have a null.
    case nullable
  }

  /// The name of the column.
  package let name: ColumnName
  /// The type of the values.
  package let type: ColumnType
  /// Indicates that a row may have a null.
  package let isNullable: Bool
  /// The description for users, in Markdown.
  package let description: String

  /// Declares a column that may have nulls, as one of SQL may unless it says otherwise.
  package init(_ name: ColumnName, _ type: ColumnType, _ description: String) {
    self.init(name, type, .nullable, description)
  }

  /// Declares a column.
  package init(_ name: ColumnName, _ type: ColumnType, _ nullability: Nullability, _ description: String) {
    self.name = name
    self.type = type
    isNullable = nullability == .nullable
    self.description = description
  }
}

/// The type of a column's values, with the values that are possible.
package enum ColumnType: Sendable, Equatable {
  /// A text of a form.
  case text(TextForm)
  /// One of a few words.
  case word([String])
  /// An integer of 64 bits in a range.
  case integer(ClosedRange<Int64>)
  /// An exact decimal of 0 or more with at most `precision` digits, `scale` of them after the point.
  case decimal(precision: Int, scale: Int)
  /// An exact decimal of any sign with at most `precision` digits, `scale` of them after the point.
  case signedDecimal(precision: Int, scale: Int)
  /// True or false.
  case boolean
  /// A day in UTC: `2026-03-01`.
  case date
  /// A time in UTC: RFC 3339 text, with milliseconds if they are not 0.
  case time
  /// Several of a few words, each once and at least one: an array in JSON, joined by semicolons in CSV.
  case words([String])
  /// A JSON object with at least one member; its text in CSV.
  case object
  /// A JSON array of at least one object with these members; its text in CSV.
  case objects([Column])
}

/// The form of a text: its length in characters, and a regular expression of the dialect that JSON Schema has.
package struct TextForm: Sendable, Equatable {
  /// The regular expression that the text matches; nil if there is none.
  package var pattern: String?
  /// The least length.
  package var minimumLength = 0
  /// The greatest length; nil if there is none.
  package var maximumLength: Int?
}

extension ColumnType {
  /// Any text.
  package static let text = ColumnType.text(TextForm())
  /// A text that is not empty.
  package static let nonEmptyText = ColumnType.text(TextForm(minimumLength: 1))
  /// The key of a postback: 32 hexadecimal digits.
  package static let key = text(matching: "^[0-9a-f]{32}$")
  /// The identifier of an app: an integer of at most 63 bits.
  package static let identifier = integer(0...Int64.max)
  /// The version of a conversion model.
  package static let version = integer(1...Int64.max)
  /// An amount of money. An event has less than 10¹⁵, and a postback has less than 10⁶ events.
  package static let money = decimal(precision: 28, scale: 7)
  /// A sum of amounts of money.
  package static let moneySum = decimal(precision: 36, scale: 7)
  /// A ratio, rounded to six digits after the point.
  package static let ratio = decimal(precision: 35, scale: 6)
  /// A number of things.
  package static let count = integer(0...Int64.max)
  /// The ISO 4217 code of a currency.
  package static let currency = text(matching: "^[A-Z]{3}$")

  /// Returns the type of texts that match a regular expression.
  package static func text(matching pattern: String) -> ColumnType { .text(TextForm(pattern: pattern)) }

  /// Returns the type of the words of an enumeration.
  package static func word<Word: CaseIterable & RawRepresentable<String>>(of type: Word.Type) -> ColumnType {
    .word(type.allCases.map(\.rawValue))
  }
}
