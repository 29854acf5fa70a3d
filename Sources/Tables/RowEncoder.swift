package import Base
package import ConversionModel
package import JSON
package import Ledger

/// The rows of one table, as they go into its files.
package struct EncodedRows: Sendable {
  /// The rows as JSON Lines; empty if that format is not written.
  package var jsonLines: [UInt8] = []
  /// The rows as CSV, without the header; empty if that format is not written.
  package var csv: [UInt8] = []
  /// The number of rows.
  package var count = 0

  /// No rows.
  package init() {}

  /// The rows in a format; empty if it is not written.
  package subscript(format: TableFormat) -> [UInt8] {
    switch format {
    case .jsonLines: jsonLines
    case .csv: csv
    }
  }
}

/// Encodes the rows of one table, cell by cell in the order of its columns, in all of its formats at once.
///
/// Each cell names its column, which must be the next one of the table. Debug builds check its type too.
package struct RowEncoder: ~Copyable {
  private var rows = EncodedRows()
  /// The last rows as JSON Lines, before they are moved to `rows`.
  private var json: TextBuffer
  private var csv: TextBuffer

  private let table: Table
  private let names: [ColumnName]
  /// The text of `table.nullMembers`, and the end of each column's member in it.
  private let members: TextBuffer
  private let memberEnds: [Int]
  private let writesJSON: Bool
  private let writesCSV: Bool
  private let isCSVSafe: Bool
  private let inputBytes: Int
  /// The column whose cell is next.
  private var column = 0
  /// The first of the columns that are pending as null: the cells from here to `column` are null and not written yet.
  private var firstNull = 0
  /// The start of its member in `members`.
  private var firstNullStart = 0

  /// The size at which the buffers are emptied, small enough to stay in a core's cache.
  private static let bufferSize = 32 * 1024

  /// Makes an encoder. The size of the batch, `inputBytes`, determines the memory that is reserved for the rows.
  package init(_ table: Table, _ encoding: TableEncoding, inputBytes: Int = 0) {
    self.table = table
    names = table.columns.map(\.name)
    members = TextBuffer(table.nullMembers)
    memberEnds = table.memberEnds
    self.inputBytes = inputBytes
    isCSVSafe = encoding.isCSVSafe
    writesJSON = encoding.formats.contains(.jsonLines)
    writesCSV = encoding.formats.contains(.csv)
    json = TextBuffer(capacity: writesJSON ? 2 * Self.bufferSize : 0)
    csv = TextBuffer(capacity: writesCSV ? 2 * Self.bufferSize : 0)
  }

  /// Returns the rows so far, and begins with none again.
  package mutating func take() -> EncodedRows {
    json.move(to: &rows.jsonLines)
    csv.move(to: &rows.csv)
    defer { rows = EncodedRows() }
    return rows
  }

  /// Writes a null cell.
  package mutating func null(_ name: ColumnName) {
    check(name, isNull: true) { _ in true }
    column += 1
  }

  /// Writes a cell with a text.
  package mutating func text(_ name: ColumnName, _ text: Span<UInt8>) {
    check(name) { if case .text = $0 { true } else { false } }
    append(text)
  }

  /// Writes a cell with a text.
  package mutating func text(_ name: ColumnName, _ text: String?) {
    guard let text else { return null(name) }
    self.text(name, text.utf8.span)
  }

  /// Writes a cell with a text of the batch.
  package mutating func text(_ name: ColumnName, _ range: ByteRange?, of bytes: [UInt8]) {
    guard let range else { return null(name) }
    text(name, bytes.span.extracting(range.indices))
  }

  /// Writes a cell with a text of at most `room` bytes that needs no escaping in any format.
  package mutating func plain(_ name: ColumnName, upTo room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    check(name) { if case .text = $0 { true } else { false } }
    append(quoted: true, upTo: room, write)
  }

  /// Writes a cell with such a text that may begin like a formula.
  package mutating func guarded(_ name: ColumnName, upTo room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    guard isCSVSafe else { return plain(name, upTo: room, write) }
    var bytes: [UInt8] = []
    bytes.append(addingCapacity: room, initializingWith: write)
    text(name, bytes.span)
  }

  /// Writes a cell with one of a closed set of words.
  ///
  /// Not generic over their enumeration: the type would be looked up at run time for each cell.
  package mutating func word(_ name: ColumnName, _ word: String?) {
    guard let word else { return null(name) }
    check(name) { if case .word(let words) = $0 { words.contains(word) } else { false } }
    append(quoted: true, word.utf8.span)
  }

  /// Writes a cell with an integer.
  package mutating func integer(_ name: ColumnName, _ value: Int64?) {
    guard let value else { return null(name) }
    check(name) { if case .integer(let range) = $0 { range.contains(value) } else { false } }
    guard let digits = ShortText(decimal: value) else {
      return append(quoted: false, upTo: 20) { $0.append(decimal: value) }
    }
    append(digits)
  }

  /// Writes a cell with a Boolean.
  package mutating func boolean(_ name: ColumnName, _ value: Bool?) {
    guard let value else { return null(name) }
    check(name) { $0 == .boolean }
    append(ShortText(value))
  }

  /// Writes a cell with an exact decimal number: an amount of money, or a count that may be a half.
  package mutating func amount(_ name: ColumnName, _ value: Amount?) {
    guard let value else { return null(name) }
    check(name) { type in
      switch type {
      case .decimal, .signedDecimal: true
      default: false
      }
    }
    append(quoted: false, upTo: Amount.maximumLength) { value.write(to: &$0) }
  }

  /// Writes a cell with a time.
  package mutating func time(_ name: ColumnName, _ value: Timestamp?) {
    guard let value else { return null(name) }
    check(name) { $0 == .time }
    append(quoted: true, upTo: Timestamp.maximumLength) { value.write(to: &$0) }
  }

  /// Writes a cell with a day, which is given in days since 1970-01-01.
  package mutating func date(_ name: ColumnName, _ day: Int64?) {
    guard let day else { return null(name) }
    check(name) { $0 == .date }
    append(quoted: true, upTo: Timestamp.dateLength) { Timestamp.write(day: day, to: &$0) }
  }

  /// Writes a cell with the text that a cell of the same type has in another table.
  package mutating func copy(_ name: ColumnName, _ text: String?) {
    guard let text else { return null(name) }
    check(name) { _ in true }
    switch table.columns[column].type {
    case .text, .word, .time, .date: append(text.utf8.span)
    case .integer, .decimal, .signedDecimal, .boolean: append(quoted: false, text.utf8.span)
    case .words:
      // An array of JSON, or the words as CSV has them. None of them has one of these characters.
      words(name, text.split { "[]\",; ".contains($0) }.map(String.init))
    case .object, .objects: json(name, text.utf8.span)
    }
  }

  /// Writes a cell with a list of words that need no escaping: an array in JSON, joined by semicolons in CSV. An empty list is a null.
  package mutating func words(_ name: ColumnName, _ words: [String]) {
    guard !words.isEmpty else { return null(name) }
    check(name) { if case .words(let all) = $0 { words.allSatisfy(all.contains) } else { false } }
    beginCell()
    if writesJSON { json.append("[\"\(words.joined(separator: "\",\""))\"]".utf8.span) }
    if writesCSV { csv.append(words.joined(separator: ";").utf8.span) }
  }

  /// A JSON value on one line: itself in JSON, its text in CSV.
  package mutating func json(_ name: ColumnName, _ value: Span<UInt8>) {
    check(name) { type in
      switch type {
      case .object, .objects: true
      default: false
      }
    }
    beginCell()
    if writesJSON { json.append(value) }
    appendCSV(value)
  }

  /// Ends a row. Each column must have had its cell.
  package mutating func endRow() {
    precondition(column == memberEnds.count, "a row of \(table.name) has \(column) cells")
    if writesJSON {
      json.append(members, in: firstNullStart..<members.count)
      json.append(UInt8(ascii: "}"))
      json.append(UInt8(ascii: "\n"))
    }
    if writesCSV {
      csv.append(commas: column - max(firstNull, 1))
      csv.append(UInt8(ascii: "\r"))
      csv.append(UInt8(ascii: "\n"))
    }
    column = 0
    firstNull = 0
    firstNullStart = 0
    rows.count += 1
    if json.count >= Self.bufferSize {
      // Memory that is reserved and not used costs nothing; rows that are moved when an array grows do.
      if rows.jsonLines.isEmpty { rows.jsonLines.reserveCapacity(3 * inputBytes) }
      json.move(to: &rows.jsonLines)
    }
    if csv.count >= Self.bufferSize {
      if rows.csv.isEmpty { rows.csv.reserveCapacity(2 * inputBytes) }
      csv.move(to: &rows.csv)
    }
  }

  /// Checks that the next cell is of a column, and in debug builds that its type and nullability allow it.
  @inline(__always)
  private func check(_ name: ColumnName, isNull: Bool = false, _ fits: (ColumnType) -> Bool) {
    precondition(column < names.count && names[column] == name, "\(name) is not the next column of \(table.name)")
    #if DEBUG
      precondition(fits(table.columns[column].type), "the type of \(name) in \(table.name) is another one")
      precondition(!isNull || table.columns[column].isNullable, "\(name) in \(table.name) cannot be null")
    #endif
  }

  /// Writes a cell with a text.
  private mutating func append(_ text: Span<UInt8>) {
    if text.isPlain, !(isCSVSafe && text.needsApostrophe) { return append(quoted: true, text) }
    beginCell()
    if writesJSON { json.appendJSONString(text) }
    appendCSV(text)
  }

  /// Writes a cell of at most `room` bytes that need no escaping.
  @inline(__always)
  private mutating func append(quoted: Bool, upTo room: Int, _ write: (inout OutputSpan<UInt8>) -> Void) {
    let before = nextCell()
    guard writesJSON else {
      csv.append(commas: before.commas)
      return csv.append(upTo: room, write)
    }
    json.append(members, in: before.members)
    if quoted { json.append(UInt8(ascii: "\"")) }
    let start = json.count
    json.append(upTo: room, write)
    if writesCSV { csv.append(commas: before.commas, json, in: start..<json.count) }
    if quoted { json.append(UInt8(ascii: "\"")) }
  }

  /// Writes a cell that needs no escaping.
  @inline(__always)
  private mutating func append(quoted: Bool, _ text: Span<UInt8>) {
    let before = nextCell()
    if writesJSON { json.append(members, in: before.members, isQuoted: quoted, text) }
    if writesCSV { csv.append(commas: before.commas, text) }
  }

  /// Writes a cell that needs no escaping, without quotes.
  private mutating func append(_ text: ShortText) {
    let before = nextCell()
    if writesJSON { json.append(members, in: before.members, text) }
    if writesCSV { csv.append(commas: before.commas, text) }
  }

  /// Writes the pending nulls and the separator or key before the next cell.
  private mutating func beginCell() {
    let before = nextCell()
    if writesJSON { json.append(members, in: before.members) }
    if writesCSV { csv.append(commas: before.commas) }
  }

  /// Goes to the next cell. Returns the part of `members` and the number of commas that come before it: the pending
  /// nulls, and the separator or key.
  @inline(__always)
  private mutating func nextCell() -> (members: Range<Int>, commas: Int) {
    let (start, end) = (firstNullStart, memberEnds[column])
    let commas = column + 1 - max(firstNull, 1)
    column += 1
    firstNull = column
    firstNullStart = end
    return (start..<end - Table.nullLength, commas)
  }

  private mutating func appendCSV(_ text: Span<UInt8>) {
    guard writesCSV else { return }
    if isCSVSafe, text.needsApostrophe {
      var disarmed = [UInt8(ascii: "'")]
      for index in text.indices { disarmed.append(text[index]) }
      csv.appendCSVField(disarmed.span)
    } else {
      csv.appendCSVField(text)
    }
  }
}
