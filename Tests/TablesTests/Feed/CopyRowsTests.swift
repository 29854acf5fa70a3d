import Base
import Ledger
import Testing

@testable import Tables

@Suite struct `The rows of a copy into PostgreSQL` {
  private static let table = Table(
    name: Table.rejects.name,
    description: "",
    columns: [
      Column(.field, .text, .nullable, ""), Column(.sourceLine, .identifier, .nullable, ""),
      Column(.cumulative, .boolean, .nullable, ""), Column(.coercedFields, .words(["a", "b-1"]), .nullable, ""),
      Column(.extras, .object, .nullable, ""), Column(.date, .date, .nullable, ""),
      Column(.receivedAt, .time, .nullable, ""), Column(.rejectCode, .text, .nullable, ""),
      Column(.revenue, .decimal(precision: 28, scale: 4), .nullable, ""),
    ]
  )

  private func copy(_ text: String, _ format: TableFormat = .jsonLines, of table: Table = table) throws -> CopyRows {
    var rows = EncodedRows()
    switch format {
    case .jsonLines: rows.jsonLines = Array(text.utf8)
    case .csv: rows.csv = Array(text.utf8)
    }
    return try CopyRows(RowBatch(rows, in: format, of: table), of: table)
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String { String(hexadecimal: bytes.span) }

  /// The hexadecimal digits of the cell of a table with one column.
  private func cell(_ json: String, _ type: ColumnType) throws -> String {
    let table = Table(name: Self.table.name, description: "", columns: [Column(.field, type, .nullable, "")])
    let copy = try copy(#"{"field":\#(json)}"# + "\n", of: table)
    #expect(copy.rowCount == 1 && copy.bytes.starts(with: [0, 1]))
    return hexadecimal(Array(copy.bytes.dropFirst(2)))
  }

  // From PostgreSQL 15.18: COPY (SELECT 'xé', 9007199254740993::bigint, true, ARRAY['a', 'b-1'], '{"k":"v"}'::json,
  // '1969-12-31'::date, '2026-03-01T00:00:00.123Z'::timestamptz, NULL, 12345.6789::numeric(28,4)) TO STDOUT (FORMAT binary)
  private static let ofServer = """
    5047434f50590aff0d0a00 00000000 00000000 0009 0000000378c3a9 000000080020000000000001 0000000101 \
    000000200000000100000000000000190000000200000001000000016100000003622d31 000000097b226b223a2276227d 00000004ffffd532 \
    000000080002eee9eb8d6078 ffffffff 0000000e000300010000000400010929 1a85 ffff
    """.filter { $0 != " " }

  @Test(arguments: [
    (
      TableFormat.jsonLines,
      """
      {"field":"xé","source_line":9007199254740993,"cumulative":true,"coerced_fields":["a","b-1"],"extras":{"k":"v"},\
      "date":"1969-12-31","received_at":"2026-03-01T00:00:00.123Z","revenue":12345.6789}

      """
    ),
    (
      .csv,
      "xé,9007199254740993,true,a;b-1,\"{\"\"k\"\":\"\"v\"\"}\",1969-12-31,2026-03-01T00:00:00.123Z,,12345.6789\r\n"
    ),
  ])
  func `are those that the server writes for the same values`(_ format: TableFormat, _ text: String) throws {
    let rows = try copy(text, format)
    #expect(rows.rowCount == 1)
    #expect(hexadecimal(CopyRows.start + rows.bytes + CopyRows.end) == Self.ofServer)
  }

  @Test func `have a null for a cell that is empty or not there, and an empty text for one in quotes`() throws {
    let nulls = String(repeating: "ffffffff", count: 8)
    #expect(hexadecimal(try copy("{\"field\":null}\n").bytes) == "0009ffffffff" + nulls)
    #expect(hexadecimal(try copy("\"\",,,,,,,,\r\n", .csv).bytes) == "000900000000" + nulls)
  }

  @Test(arguments: [
    (#""""#, ""), (#""tab\tline\n""#, "tab\tline\n"), (#""a\u0000b\u0000""#, "a\u{FFFD}b\u{FFFD}"),
    (#""\\N \\. é""#, #"\N \. é"#),
  ])
  func `have texts as they are, and no NUL`(_ json: String, _ text: String) throws {
    let length = String(text.utf8.count, radix: 16)
    let prefix = String(repeating: "0", count: 8 - length.count) + length
    #expect(try cell(json, .text) == prefix + hexadecimal(Array(text.utf8)))
  }

  @Test(arguments: [
    (#"{"a\"b":"\\ \n \u0000"}"#, #"{"a\"b":"\\ \n \ufffd"}"#),
    (#"{"\u0000":"\\u0000 \\\u0000"}"#, #"{"\ufffd":"\\u0000 \\\ufffd"}"#),
    (#"{"u0000":"\u00001"}"#, #"{"u0000":"\ufffd1"}"#), (#"{"a":"\u0001 0000"}"#, #"{"a":"\u0001 0000"}"#),
  ])
  func `keep the escapes of a JSON object except those of NUL`(_ object: String, _ copied: String) throws {
    let expected = hexadecimal(Array(copied.utf8))
    #expect(try cell(object, .object).dropFirst(8) == expected)
  }

  // The groups of four decimal digits, their number, the weight of the first one, the sign, and the digits after the point
  // (PostgreSQL, src/backend/utils/adt/numeric.c, numeric_recv).
  @Test(arguments: [
    ("0", "0001 0000 0000 0000 0000"), ("7", "0001 0000 0000 0000 0007"),
    ("-0.0000001", "0003 0000 4000 0007 0000 0000 000a"),
    ("12.34", "0002 0000 0000 0002 000c 0d48"), ("30000.0000000", "0004 0001 0000 0007 0003 0000 0000 0000"),
    ("-99999999", "0002 0001 4000 0000 270f 270f"), ("5.00001", "0003 0000 0000 0005 0005 0000 03e8"),
  ])
  func `have decimals in groups of four digits`(_ text: String, _ groups: String) throws {
    let expected = groups.filter { $0 != " " }
    #expect(try cell(text, .signedDecimal(precision: 28, scale: 7)).dropFirst(8) == expected)
  }

  @Test(arguments: [
    ("1969-12-29T00:00:00Z", "fffca2c26b420000"), ("2000-01-01T00:00:00Z", "0000000000000000"),
    ("2000-01-01T00:00:00.001Z", "00000000000003e8"),
  ])
  func `have times also before 1970`(_ text: String, _ microseconds: String) throws {
    #expect(try cell("\"\(text)\"", .time) == "00000008" + microseconds)
  }

  @Test(arguments: [
    ("1.5", ColumnType.identifier), ("1e3", .money), ("\"x\"", .money), ("\"-\"", .money), ("\".5\"", .money),
    ("1", .boolean),
    ("\"2026-02-30\"", .date), ("\"2026-03-01 00:00\"", .time),
  ])
  func `are refused where a cell is of another type`(_ json: String, _ type: ColumnType) {
    #expect(throws: (any Error).self) { try cell(json, type) }
  }

  @Test func `are refused where a decimal has more digits than the server takes`() {
    #expect(throws: (any Error).self) { try cell("0." + String(repeating: "1", count: 40_000), .money) }
  }

  @Test func `are refused if a committed line is not a row`() {
    #expect(throws: (any Error).self) { try copy("{\"field\":\"x\"}\n{\"field\":\n") }
  }
}
