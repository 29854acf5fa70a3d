package import JSON
package import Tables

/// A row of a table that was found.
package struct FoundRow: Sendable {
  /// The name of the table.
  package let table: String
  /// The path of the file with the row.
  package let path: String
  /// The offset of the row in its file; nil if that is compressed.
  package let offset: Int64?
  /// The number of its line in the decompressed text; nil if the file is not compressed.
  package let line: Int64?
  /// The cells by their columns, in the order of the table, also those that are null.
  package let cells: JSONValue

  /// The value of a column; nil if it is null or absent.
  package subscript(column: ColumnName) -> JSONValue? {
    cells[column.rawValue].flatMap { $0 == .null ? nil : $0 }
  }

  /// The text of a column; nil if it is null.
  package func text(_ column: ColumnName) -> String? {
    switch self[column] {
    case .string(let text)?, .number(let text)?: text
    case let value?: value.description
    case nil: nil
    }
  }
}

extension FoundRow {
  /// The current row of a cursor.
  package init(_ row: borrowing RowCursor, of part: LookupPart, at place: Int64) {
    var members: [JSONValue.Member] = []
    for (index, column) in part.table.columns.enumerated() {
      members.append(.init(column.name.rawValue, row.text(index).map { column.type.value($0) } ?? .null))
    }
    self.init(
      table: part.table.name,
      path: part.path,
      offset: part.compressed == nil ? place : nil,
      line: part.compressed == nil ? nil : place,
      cells: .object(members)
    )
  }
}

extension ColumnType {
  /// The value of a cell whose text is this, as JSON Lines have it.
  fileprivate func value(_ text: String) -> JSONValue {
    switch self {
    case .text, .word, .date, .time: .string(text)
    case .integer, .decimal, .signedDecimal: .number(text)
    case .boolean: .bool(text == "true")
    case .words:
      (try? JSONValue(parsing: Array(text.utf8))) ?? .array(text.split(separator: ";").map { .string(String($0)) })
    case .object, .objects: (try? JSONValue(parsing: Array(text.utf8))) ?? .string(text)
    }
  }
}
