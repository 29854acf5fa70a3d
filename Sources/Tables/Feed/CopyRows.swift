internal import Base
package import DurableFiles
internal import JSON

/// The rows of a batch in the binary format of PostgreSQL's `COPY … FROM STDIN`, with all columns of the table in order
/// (PostgreSQL, "COPY", "Binary Format"; the values as the types' receive functions of the server read them).
package struct CopyRows: Sendable {
  /// The rows.
  package let bytes: [UInt8]
  /// The number of rows.
  package let rowCount: Int

  /// The bytes before the first row: the signature, no flags, no extension.
  package static let start = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0] + [UInt8](repeating: 0, count: 8)
  /// The bytes after the last row.
  package static let end: [UInt8] = [0xFF, 0xFF]

  /// Encodes a batch of committed rows of `table`. Throws `.damaged` if a line is not a row, or a cell not of its column's type.
  ///
  /// Texts and numbers are as the table has them. A NUL, which PostgreSQL cannot hold in a text, becomes U+FFFD, also as the
  /// escape of JSON.
  package init(_ batch: RowBatch, of table: Table) throws(FileFailure) {
    var cursor = RowCursor(batch, of: table)
    let kinds = table.columns.map { Kind($0.type) }
    var rowCount = 0
    var rows = TextBuffer(capacity: 2 * batch.bytes.count + 1024)
    while cursor.next() {
      rowCount += 1
      rows.append(Int16(kinds.count))
      for column in kinds.indices {
        if Self.append(kinds[column], cursor, column, to: &rows) { continue }
        let (path, line) = cursor.source
        let place = line.map { "Line \($0)" } ?? "A committed line"
        throw .damaged(path, "\(place) has a value of another type in \(table.columns[column].name.rawValue)")
      }
    }
    if let first = cursor.unreadable.first, let file = batch.files.first {
      throw .damaged(file.path, "A committed line is not a row: \(first)")
    }
    var bytes: [UInt8] = []
    rows.move(to: &bytes)
    (self.bytes, self.rowCount) = (bytes, rowCount)
  }

  /// The form of the values of a type.
  private enum Kind {
    case text, json, integer, numeric, boolean, date, time, words

    init(_ type: ColumnType) {
      switch type {
      case .text, .word: self = .text
      case .object, .objects: self = .json
      case .integer: self = .integer
      case .decimal, .signedDecimal: self = .numeric
      case .boolean: self = .boolean
      case .date: self = .date
      case .time: self = .time
      case .words: self = .words
      }
    }
  }

  /// Appends a cell; returns false if it is not of its kind.
  private static func append(
    _ kind: Kind,
    _ cursor: borrowing RowCursor,
    _ column: Int,
    to rows: inout TextBuffer
  ) -> Bool {
    guard let cell = cursor.cell(column) else {
      rows.append(Int32(-1))
      return true
    }
    let text = cursor.bytes.span.extracting(cell.indices)
    switch kind {
    case .text: rows.appendText(text)
    case .json: rows.appendJSON(text)
    case .words: rows.appendWords(text)
    case .numeric: return rows.appendNumeric(text)
    case .integer:
      guard let value = cursor.integer(column) else { return false }
      rows.appendValue(value)
    case .boolean:
      guard let value = cursor.boolean(column) else { return false }
      rows.appendValue(value ? 1 : 0 as UInt8)
    case .date:
      guard let day = Timestamp(day: text)?.daysSince1970 else { return false }
      rows.appendValue(Int32(day - epochDay))
    case .time:
      guard let time = Timestamp(written: text) else { return false }
      rows.appendValue((time.milliseconds - epochDay * 86_400_000) * 1000)
    }
    return true
  }

  /// The day from which PostgreSQL counts, 2000-01-01, in days since 1970-01-01.
  private static let epochDay: Int64 = 10_957
}

extension TextBuffer {
  /// Appends an integer, its highest byte first.
  fileprivate mutating func append(_ number: some FixedWidthInteger) {
    let size = number.bitWidth / 8
    append(upTo: size) { $0.append(lowest: size, of: UInt64(truncatingIfNeeded: number.byteSwapped)) }
  }

  /// Appends the value of a cell that is an integer of its size.
  fileprivate mutating func appendValue(_ number: some FixedWidthInteger) {
    append(Int32(number.bitWidth / 8))
    append(number)
  }

  fileprivate mutating func appendText(_ text: Span<UInt8>) {
    var nulCount = 0
    for index in text.indices where text[index] == 0 { nulCount += 1 }
    append(Int32(text.count + 2 * nulCount))
    guard nulCount > 0 else { return append(text) }
    for index in text.indices {
      if text[index] == 0 { append([0xEF, 0xBF, 0xBD].span) } else { append(text[index]) }
    }
  }

  /// Appends JSON. The server would take the escape of a NUL, and then fail in each query that reads the member.
  fileprivate mutating func appendJSON(_ json: Span<UInt8>) {
    let (nul, replacement) = (Array("\\u0000".utf8), Array("\\ufffd".utf8))
    append(Int32(json.count))
    var (start, position) = (0, 0)
    while let escape = json.index(of: UInt8(ascii: "\\"), from: position) {
      position = min(escape + 2, json.count)
      guard nul.indices.allSatisfy({ escape + $0 < json.count && json[escape + $0] == nul[$0] }) else { continue }
      append(json.extracting(start..<escape))
      append(replacement.span)
      start = escape + nul.count
    }
    append(json.extracting(start..<json.count))
  }

  /// Appends a list of words as an array of one dimension: from JSON, `["a","b"]`, or from CSV, `a;b`.
  fileprivate mutating func appendWords(_ list: Span<UInt8>) {
    let words = list.words
    append(Int32(words.reduce(20) { $0 + 4 + $1.count }))
    // One dimension, no nulls, elements of type text, their number, the index of the first one.
    for number in [1, 0, 25, words.count, 1] { append(Int32(number)) }
    for word in words { appendText(list.extracting(word)) }
  }

  /// The most digits after the point of a decimal that the server takes.
  private static var longestScale: Int { 16_383 }

  /// Appends a decimal as its digits of base 10 000; returns false if the text is not one.
  fileprivate mutating func appendNumeric(_ text: Span<UInt8>) -> Bool {
    let start = text.first == UInt8(ascii: "-") ? 1 : 0
    let point = text.index(of: UInt8(ascii: "."), from: start) ?? text.count
    let scale = max(text.count - point - 1, 0)
    // Groups of four digits on each side of the point, filled up with zeros at the outer ends.
    let wholeGroups = (point - start + 3) / 4
    let groups = wholeGroups + (scale + 3) / 4
    guard point > start, groups < Int16.max, scale <= Self.longestScale else { return false }
    append(Int32(8 + 2 * groups))
    append(Int16(groups))
    append(Int16(wholeGroups - 1))
    append(start == 1 ? 0x4000 : 0 as Int16)
    append(Int16(scale))
    for group in 0..<groups {
      var digit: Int16 = 0
      for place in 0..<4 {
        let position = (group - wholeGroups) * 4 + place
        let index = position < 0 ? point + position : point + 1 + position
        let byte = index < start || index >= text.count ? UInt8(ascii: "0") : text[index]
        guard byte.isDecimalDigit else { return false }
        digit = digit * 10 + Int16(byte - UInt8(ascii: "0"))
      }
      append(digit)
    }
    return true
  }
}

extension Span<UInt8> {
  fileprivate var first: UInt8? { isEmpty ? nil : self[0] }

  fileprivate func index(of byte: UInt8, from start: Int) -> Int? {
    (start..<count).first { self[$0] == byte }
  }

  /// The ranges of the words.
  fileprivate var words: [Range<Int>] {
    var words: [Range<Int>] = []
    var start = 0
    for index in 0...count where index == count || self[index].isBetweenWords {
      if index > start { words.append(start..<index) }
      start = index + 1
    }
    return words
  }
}

extension UInt8 {
  /// Indicates a byte that a list has beside its words, and no word has.
  fileprivate var isBetweenWords: Bool {
    switch self {
    case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: ","), UInt8(ascii: ";"),
      UInt8(ascii: " "):
      true
    default: false
    }
  }
}
