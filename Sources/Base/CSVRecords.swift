/// The records of a CSV text (RFC 4180; lines may also end with LF alone), in order.
package struct CSVRecords {
  /// A record of the CSV text.
  package struct Record {
    /// The number of the line on which the record begins, from 1.
    package let line: Int
    /// The fields, without their quotes.
    package fileprivate(set) var fields: [String] = []
    /// The error in the record's quoting, as a sentence; nil where there is none.
    package fileprivate(set) var defect: String?
  }

  private let text: [UInt8]
  private var index = 0
  private var line = 1

  /// The records of `text`, which must be UTF-8; a leading byte order mark is skipped.
  package init(_ text: [UInt8]) {
    self.text = text
    index = ByteOrderMark.length(in: text)
  }

  /// The next record; nil at the end.
  package mutating func next() -> Record? {
    guard index < text.count else { return nil }
    var record = Record(line: line)
    while true {
      record.fields.append(byte == UInt8(ascii: "\"") ? quotedField(&record) : bareField(&record))
      let isSeparated = byte == UInt8(ascii: ",")
      if index < text.count { index += 1 }
      guard isSeparated else { break }
    }
    line += 1
    return record
  }

  /// The byte that is read next; nil at the end.
  private var byte: UInt8? { index < text.count ? text[index] : nil }

  /// Reads up to the next comma or the end of the line; a quote is a defect.
  private mutating func bareField(_ record: inout Record) -> String {
    let start = index
    while let byte, byte != UInt8(ascii: ","), byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\"") { record.defect = "The record has a quote inside a field that is not quoted." }
      index += 1
    }
    var end = index
    if byte != UInt8(ascii: ","), end > start, text[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    return String(decoding: text[start..<end], as: UTF8.self)
  }

  private mutating func quotedField(_ record: inout Record) -> String {
    var field: [UInt8] = []
    index += 1
    while let byte {
      index += 1
      if byte == UInt8(ascii: "\n") { line += 1 }
      guard byte == UInt8(ascii: "\"") else {
        field.append(byte)
        continue
      }
      guard self.byte == UInt8(ascii: "\"") else {
        if !bareField(&record).isEmpty { record.defect = "The record has text after a closing quote." }
        return String(decoding: field, as: UTF8.self)
      }
      field.append(byte)
      index += 1
    }
    record.defect = "The record has a quote that is not closed."
    return String(decoding: field, as: UTF8.self)
  }
}
