import JSON
import Testing

@testable import Tables

@Suite struct `Rows that are parsed once` {
  private static let lines = [
    #"{"postback_key":"00112233445566778899aabbccddeeff","app_id":1,"redownload":true,"forwarder":"a\u00e9\n"}"#,
    "no JSON",
    #"[1]"#,
    #"{"none":"of the table"}"#,
    #"{"postback_key":null,"app_id":18,"redownload":false,"forwarder":"\"quoted\" and more"}"#,
    #"{"app_id":"7","redownload":null,"forwarder":""}"#,
  ]

  private static var batch: RowBatch { batch(lines) }

  private static func batch(_ lines: [String]) -> RowBatch {
    var bytes: [UInt8] = []
    var rows: [RowBatch.Row] = []
    for (number, line) in lines.enumerated() {
      let range = ByteRange(start: bytes.count, count: line.utf8.count)
      rows.append(RowBatch.Row(bytes: range, line: number + 1, problem: nil))
      bytes += Array(line.utf8) + [UInt8(ascii: "\n")]
    }
    rows.append(RowBatch.Row(bytes: ByteRange(start: 0, count: 0), line: 7, problem: "the line is too long"))
    bytes += repeatElement(0, count: RowBatch.padding)
    return RowBatch(jsonLines: bytes, rows, of: [(path: "file", rowCount: rows.count)])
  }

  /// All that a cursor says of its rows.
  private func described(_ cursor: consuming RowCursor) -> [String] {
    let names = [ColumnName.postbackKey, .appID, .redownload, .forwarder]
    var texts: [String] = []
    while cursor.next() {
      let cells = names.map { name -> String in
        let column = Table.postbacks.place(name)
        let text = cursor.text(column) ?? "nil"
        return "\(text) \(cursor.integer(column) ?? -1) \(cursor.boolean(column).map { "\($0)" } ?? "nil")"
      }
      let key = cursor.key(Table.postbacks.place(.postbackKey)).map { "\($0)" } ?? "nil"
      texts.append("\(cells) \(key) \(cursor.index) \(cursor.source.line ?? -1) \(cursor.line)")
    }
    return texts + ["\(cursor.unreadable)"]
  }

  @Test func `are the same for each cursor as rows that it parses`() {
    let parsed = ParsedRows(Self.batch, of: .postbacks)
    let expected = described(RowCursor(Self.batch, of: .postbacks))
    #expect(expected.count == 4 && expected[3].contains("count: 4"))
    #expect(described(RowCursor(parsed)) == expected)
    #expect(described(RowCursor(parsed)) == expected)
  }

  @Test(arguments: [
    "17", "-17", "+5", "0", "-0", "007", "", "-", "+", "1.5", "1e3", " 1", "1 ", "--1", "1-", "/", ":",
    "9223372036854775807", "9223372036854775808", "-922337203685477580", "+9223372036854775807", "99999999999999999999",
  ])
  func `have the integers that Swift reads in their text`(_ text: String) {
    var cursor = RowCursor(Self.batch([#"{"app_id":"\#(text)"}"#]), of: .postbacks)
    var integers: [Int64?] = []
    while cursor.next() { integers.append(cursor.integer(Table.postbacks.place(.appID))) }
    #expect(integers == [text.utf8.count < 20 ? Int64(text) : nil])
  }
}
