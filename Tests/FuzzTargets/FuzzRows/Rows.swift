@testable import Tables
import JSON

@testable import PostbackPipeline

/// The rows of a table, parsed from both formats.
struct Rows {
  private let table: Table
  /// The text of each row, and the place of each cell in it.
  private let rows: [(text: [UInt8], cells: [JSONField])]

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
      for field in document.fields { require(field.kind != .absent, "a row of \(table.name) has each column") }
      return (bytes, document.fields)
    }
    require(rows.count == encoded.count, "the rows are counted")
    checkCSV(encoded.csv)
  }

  /// The text of a cell; nil if it is null.
  func text(_ column: String, _ row: Int) -> [UInt8]? {
    let cell = rows[row].cells[index(column)]
    return cell.kind == .null ? nil : Array(rows[row].text[cell.text.indices])
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
      for (number, cell) in row.cells.enumerated() {
        let field = csv.nextField(isLast: number == row.cells.count - 1)
        let text = row.text[cell.text.indices]
        switch cell.kind {
        case .null: require(field == nil, "a null is absent in CSV")
        // Arrays of words are joined by semicolons.
        case .array where text.starts(with: "[\"".utf8): require(field != nil, "words are in CSV")
        default: require(field.map { $0[...] == text } ?? false, "a value is the same in CSV")
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

  /// Reads the next field, and the comma behind it, or behind the last of a row CR LF.
  mutating func nextField(isLast: Bool) -> [UInt8]? {
    let field = nextField()
    let end = isLast ? "\r\n" : ","
    require(text[position...].starts(with: end.utf8), "each field of CSV ends, and a row has the table's columns")
    position += end.utf8.count
    return field
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
