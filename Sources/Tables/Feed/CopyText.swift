package import DurableFiles
internal import JSON
internal import Ledger

/// The rows of a batch in the text format of PostgreSQL's `COPY … FROM STDIN`, with all columns of the table in order.
package struct CopyText: Sendable {
  /// The rows, each with its line end.
  package let bytes: [UInt8]
  /// The number of rows.
  package let rowCount: Int

  /// Encodes a batch of committed rows of `table`. Throws `.damaged` if a line is not a row.
  ///
  /// Texts and numbers are written as the table has them. A NUL, which PostgreSQL cannot hold in a text, becomes U+FFFD.
  package init(_ batch: RowBatch, of table: Table) throws(FileFailure) {
    var cursor = RowCursor(batch, of: table)
    let areLists = table.columns.map { if case .words = $0.type { true } else { false } }
    var rowCount = 0
    var text = TextBuffer(capacity: batch.bytes.count + 1024)
    while cursor.next() {
      rowCount += 1
      for column in areLists.indices {
        if column > 0 { text.append(UInt8(ascii: "\t")) }
        guard let cell = cursor.cell(column) else {
          text.append(UInt8(ascii: "\\"))
          text.append(UInt8(ascii: "N"))
          continue
        }
        let value = cursor.bytes.span.extracting(cell.indices)
        if areLists[column] { text.appendCopyArray(value) } else { text.appendCopyField(value) }
      }
      text.append(UInt8(ascii: "\n"))
    }
    if let first = cursor.unreadable.first, let file = batch.files.first {
      throw .damaged(file.path, "A committed line is not a row: \(first)")
    }
    var bytes: [UInt8] = []
    text.move(to: &bytes)
    (self.bytes, self.rowCount) = (bytes, rowCount)
  }
}

extension TextBuffer {
  /// Appends a field with the escapes of COPY.
  fileprivate mutating func appendCopyField(_ text: Span<UInt8>) {
    var start = 0
    for index in text.indices {
      let byte = text[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\\") else { continue }
      append(text.extracting(start..<index))
      appendCopyEscape(of: byte)
      start = index + 1
    }
    append(text.extracting(start..<text.count))
  }

  private mutating func appendCopyEscape(of byte: UInt8) {
    let letter: UInt8
    switch byte {
    case 0: return append([0xEF, 0xBF, 0xBD].span)
    case UInt8(ascii: "\n"): letter = UInt8(ascii: "n")
    case UInt8(ascii: "\r"): letter = UInt8(ascii: "r")
    case UInt8(ascii: "\t"): letter = UInt8(ascii: "t")
    case UInt8(ascii: "\\"): letter = byte
    default: return append(byte)
    }
    append(UInt8(ascii: "\\"))
    append(letter)
  }

  /// Appends a list of words as an array: from JSON, `["a","b"]`, or from CSV, `a;b`. A word has only letters, digits and
  /// underscores.
  fileprivate mutating func appendCopyArray(_ list: Span<UInt8>) {
    append(UInt8(ascii: "{"))
    for index in list.indices {
      switch list[index] {
      case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""): break
      case UInt8(ascii: ";"): append(UInt8(ascii: ","))
      case UInt8(ascii: "\\"):
        append(UInt8(ascii: "\\"))
        append(UInt8(ascii: "\\"))
      case let byte: append(byte)
      }
    }
    append(UInt8(ascii: "}"))
  }
}
