import Ledger
import Testing

@testable import Tables

@Suite struct `The text of a copy into PostgreSQL` {
  private static let table = Table(
    name: Table.rejects.name,
    description: "",
    columns: [
      Column(.field, .text, .nullable, ""), Column(.sourceLine, .integer(0...Int64.max), .nullable, ""),
      Column(.cumulative, .boolean, .nullable, ""), Column(.coercedFields, .words(["a", "b"]), .nullable, ""),
      Column(.extras, .object, .nullable, ""),
    ]
  )

  private func copy(_ text: String, _ format: TableFormat = .jsonLines) throws -> String {
    var rows = EncodedRows()
    switch format {
    case .jsonLines: rows.jsonLines = Array(text.utf8)
    case .csv: rows.csv = Array(text.utf8)
    }
    let copy = try CopyText(RowBatch(rows, in: format, of: Self.table), of: Self.table)
    #expect(copy.rowCount == copy.bytes.count { $0 == UInt8(ascii: "\n") })
    return String(decoding: copy.bytes, as: UTF8.self)
  }

  @Test func `has a line for each row, and a cell for each column`() throws {
    let text = """
      {"field":"x","source_line":9007199254740993,"cumulative":true,"coerced_fields":["a","b"],"extras":{"k":"v"}}
      {"field":null,"cumulative":false,"coerced_fields":null}

      """
    #expect(try copy(text) == "x\t9007199254740993\ttrue\t{a,b}\t{\"k\":\"v\"}\n\\N\t\\N\tfalse\t\\N\t\\N\n")
  }

  @Test(arguments: [
    (#"tab\tline\nreturn\rend"#, #"tab\tline\nreturn\rend"#), (#"C:\\N"#, #"C:\\N"#), (#"\\."#, #"\\."#),
    (#"\u0001\u001f"#, "\u{1}\u{1F}"), (#"a\u0000b"#, "a\u{FFFD}b"), (#"é\u00e9\ud83d\ude00"#, "éé😀"), ("", ""),
  ])
  func `escapes what would end a cell or a row`(_ json: String, _ cell: String) throws {
    #expect(try copy(#"{"field":"\#(json)"}"# + "\n") == cell + #"\#t\N\#t\N\#t\N\#t\N\#n"#)
  }

  @Test func `keeps the escapes of a JSON object`() throws {
    let text = #"{"extras":{"a\"b":"\\ \n \u0000"}}"# + "\n"
    #expect(try copy(text).hasSuffix("\t" + #"{"a\\"b":"\\\\ \\n \\u0000"}"# + "\n"))
  }

  @Test func `reads CSV, in which an empty field is a null`() throws {
    let text = "\"a \"\"quoted\"\", text\r\n\",7,true,a;b,\"{\"\"k\"\":\"\"\\n\"\"}\"\r\n\"\",,,,\r\n"
    #expect(
      try copy(text, .csv) == #"a "quoted", text\r\n"# + "\t7\ttrue\t{a,b}\t" + #"{"k":"\\n"}"#
        + "\n\t\\N\t\\N\t\\N\t\\N\n"
    )
  }

  @Test func `is refused if a committed line is not a row`() {
    #expect(throws: (any Error).self) { try copy("{\"field\":\"x\"}\n{\"field\":\n") }
  }
}
