import Base
@testable import DurableFiles
@testable import Ledger
@testable import PostbackVerification
@testable import Tables
import ConversionModel
import Foundation
import JSON
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `Encoded rows` {
  private func rows(
    _ types: ColumnType...,
    encode: (inout RowEncoder) -> Void,
    isCSVSafe: Bool = false
  ) throws -> (json: String, csv: String) {
    let names: [ColumnName] = [.field, .first, .later]
    let columns = zip(names, types).map { Column($0, $1, .nullable, "") }
    let table = Table(name: "t", description: "", columns: columns)
    var encoder = RowEncoder(table, TableEncoding([.jsonLines, .csv], isCSVSafe: isCSVSafe))
    encode(&encoder)
    encoder.endRow()
    let rows = encoder.take()
    return (String(decoding: rows.jsonLines, as: UTF8.self), String(decoding: rows.csv, as: UTF8.self))
  }

  @Test func `distinguish null, empty text and zero in CSV`() throws {
    let rows = try rows(.boolean, .text, .identifier) { row in
      row.null(.field)
      row.text(.first, "")
      row.integer(.later, 0)
    }
    #expect(rows.json == #"{"field":null,"first":"","later":0}"# + "\n")
    #expect(rows.csv == ",\"\",0\r\n")
  }

  @Test func `quote and escape text by the rules of their format`() throws {
    let rows = try rows(.text, .text, .object) { row in
      row.text(.field, "a,\"b\"\r\nc")
      row.text(.first, "é\u{1}\\")
      row.json(.later, #"{"k":"v"}"#.utf8.span)
    }
    #expect(rows.json == #"{"field":"a,\"b\"\r\nc","first":"é\u0001\\","later":{"k":"v"}}"# + "\n")
    #expect(rows.csv == "\"a,\"\"b\"\"\r\nc\",\"é\u{1}\\\",\"{\"\"k\"\":\"\"v\"\"}\"\r\n")
  }

  @Test func `have lists as arrays in JSON and joined in CSV`() throws {
    let type = ColumnType.words(["one", "two"])
    let rows = try rows(type, type, type) { row in
      row.words(.field, [])
      row.words(.first, ["one"])
      row.words(.later, ["one", "two"])
    }
    #expect(rows.json == #"{"field":null,"first":["one"],"later":["one","two"]}"# + "\n")
    #expect(rows.csv == ",one,one;two\r\n")
  }

  @Test func `end the program if a cell is of another column`() async {
    await #expect(processExitsWith: .failure) {
      var encoder = RowEncoder(.events, TableEncoding([.csv]))
      encoder.null(.currency)
    }
  }

  @Test(arguments: ["=1+1", "+1", "-1", "@x", "\t=1"]) func `escape spreadsheet formulas only with the option`(
    _ text: String
  ) throws {
    func csv(isCSVSafe: Bool) throws -> String {
      try rows(
        .text,
        .integer(-1...1),
        .text,
        encode: { row in
          row.text(.field, text)
          row.integer(.first, -1)
          row.null(.later)
        },
        isCSVSafe: isCSVSafe
      ).csv
    }
    #expect(try csv(isCSVSafe: false).contains(text + ",") || csv(isCSVSafe: false).contains(text + "\","))
    #expect(try !csv(isCSVSafe: false).contains("'"))
    #expect(try csv(isCSVSafe: true).contains("'" + text))
    #expect(try csv(isCSVSafe: true).contains(",-1,"))
  }
}
