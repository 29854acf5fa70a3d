import Base
import JSON
import Ledger
import Tables
import Testing

@Suite struct `The encoder of rows` {
  /// Texts of lengths around those of words and blocks, each with at most one byte that a format writes in another way, at
  /// each place.
  private static let texts: [[UInt8]] = (Array(0...17) + [31, 32, 33, 63, 64, 65]).flatMap { length -> [[UInt8]] in
    let plain = (0..<length).map { UInt8(ascii: "a") + UInt8($0 % 26) }
    let special: [UInt8] = [0x01, 0x1F, 0x22, 0x2C, 0x3D, 0x5C, 0xFF]
    return [plain]
      + special.flatMap { byte in
        plain.indices.map { place in
          var text = plain
          text[place] = byte
          return text
        }
      }
  }

  private static let table = Table(
    name: "texts",
    description: "",
    columns: [
      Column(.eventName, .text, .nullable, ""), Column(.placement, .text, .nullable, ""),
      Column(.currency, .text, .nullable, ""), Column(.receivedAt, .time, .nullable, ""),
      Column(.sourceLine, .count, .nullable, ""), Column(.forwarder, .text, .nullable, ""),
      Column(.didWin, .boolean, .nullable, ""),
    ]
  )

  /// Encodes a row for each text, with nulls before, between and behind cells.
  private static func encoded(_ formats: Set<TableFormat>, isCSVSafe: Bool) -> EncodedRows {
    var encoder = RowEncoder(table, TableEncoding(formats, isCSVSafe: isCSVSafe))
    for (index, text) in texts.enumerated() {
      let isOdd = index % 2 == 1
      if isOdd { encoder.null(.eventName) } else { encoder.text(.eventName, text.span) }
      encoder.null(.placement)
      encoder.text(.currency, text.span)
      encoder.time(.receivedAt, Timestamp(milliseconds: 1_000_000_007 * Int64(index)))
      encoder.integer(.sourceLine, isOdd ? Int64(index) : nil)
      encoder.guarded(.forwarder, upTo: 20) { $0.append(decimal: -Int64(text.count)) }
      encoder.boolean(.didWin, isOdd ? nil : true)
      encoder.endRow()
    }
    return encoder.take()
  }

  private static func rows(_ value: ([UInt8]) -> [UInt8], null: String, quote: String) -> [[[UInt8]]] {
    texts.enumerated().map { index, text in
      let isOdd = index % 2 == 1
      let none = Array(null.utf8)
      let time = Timestamp(milliseconds: 1_000_000_007 * Int64(index)).description
      return [
        isOdd ? none : value(text), none, value(text), Array((quote + time + quote).utf8),
        isOdd ? Array(String(index).utf8) : none, value(Array(String(-text.count).utf8)),
        isOdd ? none : Array("true".utf8),
      ]
    }
  }

  private static let jsonLines: [UInt8] = rows(
    { text in
      var string: [UInt8] = []
      string.appendJSONString(text.span)
      return string
    },
    null: "null",
    quote: "\""
  ).flatMap { cells in
    let members = zip(table.columnNames, cells).map { Array("\"\($0)\":".utf8) + $1 }
    return Array("{".utf8) + members.joined(separator: [UInt8(ascii: ",")]) + Array("}\n".utf8)
  }

  private static func csv(isSafe: Bool) -> [UInt8] {
    rows(
      { text in
        let isFormula = isSafe && text.first.map { Array("=+-@\t\n\r".utf8).contains($0) } ?? false
        let text = isFormula ? [UInt8(ascii: "'")] + text : text
        let isQuoted =
          text.isEmpty || text.contains { $0 < 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }
        let quote = isQuoted ? [UInt8(ascii: "\"")] : []
        return quote + text.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] } + quote
      },
      null: "",
      quote: ""
    ).flatMap { $0.joined(separator: [UInt8(ascii: ",")]) + Array("\r\n".utf8) }
  }

  @Test(arguments: [false, true])
  func `writes both formats as simple loops do, with every special byte at every place`(isCSVSafe: Bool) {
    let rows = Self.encoded([.jsonLines, .csv], isCSVSafe: isCSVSafe)
    #expect(rows.count == Self.texts.count)
    #expect(rows.jsonLines == Self.jsonLines)
    #expect(rows.csv == Self.csv(isSafe: isCSVSafe))
  }

  @Test(arguments: [#"["a","b-c"]"#, #"["a", "b-c"]"#, "a;b-c"])
  func `writes copied words as each format has them`(_ text: String) {
    let columns = [Column(.flags, .words(["a", "b-c"]), .nullable, ""), Column(.extras, .object, .nullable, "")]
    let table = Table(name: "copies", description: "", columns: columns)
    var encoder = RowEncoder(table, TableEncoding([.jsonLines, .csv]))
    encoder.copy(.flags, text)
    encoder.copy(.extras, #"{"a":"b;c"}"#)
    encoder.endRow()
    let rows = encoder.take()
    #expect(String(decoding: rows.jsonLines, as: UTF8.self) == #"{"flags":["a","b-c"],"extras":{"a":"b;c"}}"# + "\n")
    #expect(String(decoding: rows.csv, as: UTF8.self) == #"a;b-c,"{""a"":""b;c""}""# + "\r\n")
  }

  @Test func `writes one format as it writes it beside the other`() {
    #expect(Self.encoded([.jsonLines], isCSVSafe: false).jsonLines == Self.jsonLines)
    #expect(Self.encoded([.jsonLines], isCSVSafe: false).csv.isEmpty)
    #expect(Self.encoded([.csv], isCSVSafe: false).csv == Self.csv(isSafe: false))
    #expect(Self.encoded([.csv], isCSVSafe: false).jsonLines.isEmpty)
  }
}
