@testable import Tables
import JSON

@testable import PostbackPipeline

/// The rows of a table, parsed from both formats.
struct Rows {
  private enum Cell: Equatable {
    case null
    case string([UInt8])
    /// A number, a Boolean, an array or an object, as JSON text.
    case other(JSONKind, [UInt8])
  }

  private let table: Table
  private let rows: [[Cell]]

  var count: Int { rows.count }

  init(_ table: Table, _ encoded: EncodedRows) {
    self.table = table
    let lines = encoded.jsonLines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    require(lines.last?.isEmpty ?? true, "the last row ends")
    // What is below the depth limit of a postback is one deeper in a row.
    var parser = JSONParser(names: table.columnNames, maximumDepth: 80)
    var document = JSONDocument()
    rows = lines.dropLast().map { line in
      var bytes = Array(line) + [UInt8](repeating: 0, count: JSONParser.padding)
      do { try parser.parse(0..<line.count, of: &bytes, into: &document) } catch {
        fatalError("a row of \(table.name) is not JSON: \(error): \(String(decoding: line, as: UTF8.self))")
      }
      require(document.root.kind == .object && document.members.isEmpty, "a row has the table's columns alone")
      return document.fields.map { field in
        let text = Array(bytes[field.text.indices])
        switch field.kind {
        case .absent: fatalError("a row of \(table.name) is without a column")
        case .null: return .null
        case .string: return .string(text)
        default: return .other(field.kind, text)
        }
      }
    }
    require(rows.count == encoded.count, "the rows are counted")
    checkCSV(encoded.csv)
  }

  /// The text of a cell; nil if it is null.
  func text(_ column: String, _ row: Int) -> [UInt8]? {
    switch rows[row][index(column)] {
    case .null: nil
    case .string(let text), .other(_, let text): text
    }
  }

  /// The number in a cell.
  func number(_ column: String, _ row: Int) -> Int? {
    text(column, row).flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  private func index(_ column: String) -> Int {
    guard let index = table.columnNames.firstIndex(of: column) else { fatalError("\(table.name) has no \(column)") }
    return index
  }

  private func checkCSV(_ text: [UInt8]) {
    var csv = CSV(text)
    for row in rows {
      let fields = csv.nextRow()
      require(fields.count == row.count, "a row of CSV has the table's columns")
      for (cell, field) in zip(row, fields) {
        switch cell {
        case .null: require(field == nil, "a null is absent in CSV")
        case .string(let text): require(field == text, "a text is the same in CSV")
        // Arrays of words are joined by semicolons.
        case .other(.array, let text) where text.starts(with: "[\"".utf8): require(field != nil, "words are in CSV")
        case .other(_, let text): require(field == text, "a value is the same in CSV")
        }
      }
    }
    require(csv.isAtEnd, "CSV has no row more")
  }
}

/// Reads CSV (RFC 4180) byte by byte. A field that is empty and not quoted is nil.
private struct CSV {
  private let text: [UInt8]
  private var position = 0

  init(_ text: [UInt8]) { self.text = text }

  var isAtEnd: Bool { position == text.count }

  mutating func nextRow() -> [[UInt8]?] {
    var fields: [[UInt8]?] = []
    while true {
      fields.append(nextField())
      require(position < text.count, "a row of CSV ends")
      position += 1
      if text[position - 1] == UInt8(ascii: ",") { continue }
      require(text[position - 1] == UInt8(ascii: "\r") && position < text.count, "a row of CSV ends with CR LF")
      require(text[position] == UInt8(ascii: "\n"), "a row of CSV ends with CR LF")
      position += 1
      return fields
    }
  }

  private mutating func nextField() -> [UInt8]? {
    var field: [UInt8] = []
    guard position < text.count, text[position] == UInt8(ascii: "\"") else {
      while position < text.count, text[position] != UInt8(ascii: ","), text[position] != UInt8(ascii: "\r") {
        require(text[position] != UInt8(ascii: "\"") && text[position] >= 0x20, "what needs quotes has them")
        field.append(text[position])
        position += 1
      }
      return field.isEmpty ? nil : field
    }
    position += 1
    while true {
      require(position < text.count, "a quoted field ends")
      let byte = text[position]
      position += 1
      if byte == UInt8(ascii: "\"") {
        guard position < text.count, text[position] == UInt8(ascii: "\"") else { return field }
        position += 1
      }
      field.append(byte)
    }
  }
}
