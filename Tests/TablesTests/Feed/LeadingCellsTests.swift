import JSON
import Testing

@testable import Tables

@Suite struct `The leading cells of a row` {
  private let table = Table.rejects
  private let values: [ColumnName: String] = [
    .stage: #""dedup""#, .rejectCode: #""duplicate_conflict""#, .rejectDetail: #""a \"quoted\" word, \\""#,
    .field: #""""#,
    .expected: #""x,\\\\""#, .found: #""}""#, .transactionID: #""T-1""#, .appID: #""12""#, .version: "null",
    .channel: #""apple_direct""#, .forwarder: #""é \u00e9""#, .receivedAt: #""2026-03-01T00:00:00Z""#,
    .sourceLine: "17",
    .rawBody: #""{\"a\":1}""#,
  ]

  /// A row with these values as it is written, and null in all other columns.
  private func row(_ values: [ColumnName: String]) -> String {
    let members = table.columns.map { "\"\($0.name.rawValue)\":\(values[$0.name] ?? "null")" }
    return "{\(members.joined(separator: ","))}"
  }

  private func batch(_ rows: [String]) -> RowBatch {
    var bytes: [UInt8] = []
    var found: [RowBatch.Row] = []
    for (index, row) in rows.enumerated() {
      found.append(RowBatch.Row(bytes: ByteRange(start: bytes.count, count: row.utf8.count), line: index + 1))
      bytes += Array(row.utf8) + [UInt8(ascii: "\n")]
    }
    bytes += [UInt8](repeating: 0, count: RowBatch.padding)
    return RowBatch(jsonLines: bytes, found, of: [(path: "part", rowCount: rows.count)])
  }

  private func cells(_ rows: [String], _ columns: [Int], only: Bool) -> (cells: [[String?]], unreadable: Int) {
    var cursor = RowCursor(batch(rows), of: table, only: only ? columns : nil)
    var cells: [[String?]] = []
    while cursor.next() { cells.append(columns.map { cursor.text($0) }) }
    return (cells, cursor.unreadable.count)
  }

  @Test func `are those that a parser finds, for any columns`() {
    let conflict = row(values.merging([.conflictingFields: #"[{"field":"a","first":null,"later":"1"}]"#]) { $1 })
    let rows = [row(values), conflict, row([:]), row(values.filter { $0.key != .rejectDetail }), row(values)]
    for last in table.columns.indices {
      for columns in [[last], Array(0...last), [0, last], [last / 2, last]] {
        let (found, unreadable) = cells(rows, columns, only: true)
        #expect(found == cells(rows, columns, only: false).cells, "\(columns)")
        #expect(unreadable == 0)
      }
    }
    #expect(cells(rows, [0], only: true).cells.first == ["dedup"])
  }

  @Test func `are not read from lines that are no rows or are written in another way`() {
    let row = row(values)
    let spaced = row.replacing(",\"", with: ", \"")
    let wrong = ["", "{", "[]", "{}", String(row.dropLast()), "{\"stage\":\"dedup", "{\"stage\":}", "nonsense}"]
    for columns in [[0], [1, 15], Array(table.columns.indices)] {
      let (found, unreadable) = cells([row] + wrong + [spaced, row], columns, only: true)
      let (expected, lines) = cells([row] + wrong + [spaced, row], columns, only: false)
      #expect(found == expected && unreadable == lines && lines == wrong.count, "\(columns)")
    }
  }

  @Test func `are followed by all others where the whole row is asked for`() {
    let row = row(values)
    let broken = row.replacing("\"raw_body\":\"", with: "\"raw_body\":")
    var cursor = RowCursor(batch([row, broken, row]), of: table, only: [1])
    var cells: [[String?]] = []
    while cursor.next() {
      guard cursor.readWhole() else { continue }
      cells.append(table.columns.indices.map { cursor.text($0) })
    }
    #expect(cells == self.cells([row, row], Array(table.columns.indices), only: false).cells)
    #expect(cursor.unreadable.count == 1)
  }
}
