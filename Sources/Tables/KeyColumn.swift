internal import Ledger
package import PostbackVerification

/// A reader of the keys in the rows of `skan_postbacks`, piece by piece. The key, `postback_key`, is the first column.
///
/// It understands only the forms of CSV and JSON Lines that `RowEncoder` writes.
struct KeyColumn {
  /// The tally of the keys so far.
  private(set) var keys = KeyTally()
  /// The number of rows so far that do not begin with a key.
  private(set) var rowsWithoutKey = 0

  private let format: TableFormat
  private var row: [UInt8] = []
  private var isQuoted = false
  private var isHeader: Bool

  private let keyEnd: Int

  init(_ format: TableFormat) {
    self.format = format
    isHeader = format == .csv
    keyEnd = PostbackKey.length + (format == .csv ? 0 : PostbackKey.rowStart.count)
  }

  /// Reads the next piece of the part. Pieces may end within a row.
  mutating func take(_ bytes: Span<UInt8>) {
    for position in bytes.indices {
      let byte = bytes[position]
      if row.count < keyEnd { row.append(byte) }
      // A quote inside a field of CSV is doubled, so it toggles twice. In JSON Lines every line feed ends a row.
      if byte == UInt8(ascii: "\""), format == .csv { isQuoted.toggle() }
      if byte == UInt8(ascii: "\n"), !isQuoted { endRow() }
    }
  }

  private mutating func endRow() {
    defer { row.removeAll(keepingCapacity: true) }
    if isHeader {
      isHeader = false
      return
    }
    guard let key = format == .csv ? PostbackKey(hexadecimal: row.span) : PostbackKey(leading: row.span) else {
      rowsWithoutKey += 1
      return
    }
    keys.add(key)
  }
}

extension PostbackKey {
  /// The bytes before the key in a row of JSON Lines whose first column is `postback_key`.
  fileprivate static let rowStart = Array(#"{"postback_key":""#.utf8)

  /// Reads the key at the start of a row of JSON Lines, without parsing the row; nil if the row does not begin as
  /// `RowEncoder` writes it.
  package init?(leading row: Span<UInt8>) {
    let start = Self.rowStart
    guard row.count >= start.count + Self.length else { return nil }
    for index in start.indices where row[index] != start[index] { return nil }
    self.init(hexadecimal: row.extracting(start.count..<start.count + Self.length))
  }
}
