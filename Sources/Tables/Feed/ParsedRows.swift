internal import JSON
internal import Ledger

/// The rows of a batch of JSON Lines with the places of their cells. They are parsed once, for any number of cursors.
package struct ParsedRows: Sendable {
  let batch: RowBatch
  /// The bytes of the batch, followed by text that was decoded, such as strings with escapes.
  let bytes: [UInt8]
  /// The number of columns of the table.
  let columnCount: Int
  /// The cells of all rows, one row after the other.
  let fields: [JSONField]
  /// The problems of lines that are not rows, by their place.
  let problems: [Int: String]

  /// Parses the rows of a batch of `table`, which must be in JSON Lines.
  package init(_ batch: RowBatch, of table: Table) {
    precondition(batch.format == .jsonLines, "only JSON Lines are parsed for several cursors")
    self.batch = batch
    columnCount = table.columns.count
    var parser = JSONParser(names: table.columnNames)
    var document = JSONDocument()
    var bytes = batch.bytes
    var (fields, problems) = ([JSONField](), [Int: String]())
    fields.reserveCapacity(columnCount * batch.rows.count)
    for (place, row) in batch.rows.enumerated() {
      if let problem = row.problem ?? parser.problem(ofRow: row.bytes, &bytes, into: &document) {
        problems[place] = problem
        fields.append(contentsOf: repeatElement(.absent, count: columnCount))
      } else {
        fields += document.fields
      }
    }
    (self.bytes, self.fields, self.problems) = (bytes, fields, problems)
  }

  /// The number of bytes of the batch.
  package var byteCount: Int { batch.bytes.count }

  /// The cell of a row.
  func field(_ row: Int, _ column: Int) -> JSONField { fields[row * columnCount + column] }
}

extension JSONParser {
  /// Parses a row, with decoded text behind `bytes`. Returns the problem of a line that is not a row.
  mutating func problem(ofRow row: ByteRange, _ bytes: inout [UInt8], into document: inout JSONDocument) -> String? {
    do throws(JSONDefect) {
      try parse(row.indices, of: &bytes, into: &document)
    } catch {
      return "the line is not JSON"
    }
    guard document.root.kind == .object else { return "the line is not an object" }
    return document.fields.contains { $0.kind != .absent } ? nil : "the line has none of the table's columns"
  }
}
