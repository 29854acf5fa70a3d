package import Ledger

/// The declaration of an output table, from which its encoder, its CSV header and its schemas follow.
package struct Table: Sendable {
  /// The name of the table, and of its folder.
  package let name: String
  /// The description of a row for users, in Markdown.
  package let description: String
  /// The column whose values are unique in the table; nil if there is none.
  package let key: ColumnName?
  /// The columns in the order of the cells in a row.
  package let columns: [Column]
  /// The names of the columns, which are searched without the rest of each.
  private let names: [ColumnName]
  /// The rules that tie the columns of a row to each other.
  package let rules: [RowRule]
  /// A JSON row in which every cell is null, without the closing brace. A part of it is written before each cell that
  /// is not null.
  package let nullMembers: [UInt8]
  /// The end of each column's member in `nullMembers`.
  package let memberEnds: [Int]

  package init(name: String, description: String, key: ColumnName? = nil, columns: [Column], rules: [RowRule] = []) {
    self.name = name
    self.description = description
    self.key = key
    self.columns = columns
    names = columns.map(\.name)
    self.rules = rules
    var text: [UInt8] = []
    memberEnds = columns.map { column in
      text += Array("\(text.isEmpty ? "{" : ",")\"\(column.name.rawValue)\":null".utf8)
      return text.count
    }
    nullMembers = text
  }

  /// Returns the index of a column, which the table must have.
  package func place(_ column: ColumnName) -> Int {
    guard let place = names.firstIndex(of: column) else {
      preconditionFailure("\(name) has no column \(column.rawValue)")
    }
    return place
  }

  package var columnNames: [String] { columns.map(\.name.rawValue) }

  /// The number of bytes of a null in `nullMembers`.
  package static var nullLength: Int { 4 }

  /// The header line of a CSV file, with its line end.
  package var csvHeader: [UInt8] { Array((columnNames.joined(separator: ",") + "\r\n").utf8) }

  /// All tables.
  package static let all = [postbacks, events, rejects]
}

/// The files that a row is written to: their formats, and the treatment of formulas.
package struct TableEncoding: Sendable {
  package let formats: Set<TableFormat>
  /// Indicates that CSV texts which a spreadsheet would run as a formula get an apostrophe in front.
  package let isCSVSafe: Bool
  /// Indicates that rows of accepted postbacks have the bytes of the postback.
  package let keepsRawBodies: Bool

  /// Makes an encoding in these formats.
  package init(_ formats: Set<TableFormat>, isCSVSafe: Bool = false, keepsRawBodies: Bool = false) {
    self.formats = formats
    self.isCSVSafe = isCSVSafe
    self.keepsRawBodies = keepsRawBodies
  }
}
