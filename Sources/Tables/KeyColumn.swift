internal import Ledger
internal import PostbackVerification

/// A reader of the keys in the rows of `skan_postbacks`, piece by piece. The key, `postback_key`, is the first column.
///
/// It understands only the forms of CSV and JSON Lines that `RowEncoder` writes.
struct KeyColumn {
  /// The tally of the keys so far.
  private(set) var keys = KeyTally()
  /// The number of rows so far that do not begin with a key.
  private(set) var rowsWithoutKey = 0

  private let format: TableFormat
  private let prefix: [UInt8]
  private var row: [UInt8] = []
  private var isQuoted = false
  private var isHeader: Bool

  private static let digitCount = 32

  init(_ format: TableFormat) {
    self.format = format
    isHeader = format == .csv
    prefix = format == .csv ? [] : Array(#"{"postback_key":""#.utf8)
  }

  /// Reads the next piece of the part. Pieces may end within a row.
  mutating func take(_ bytes: Span<UInt8>) {
    for position in bytes.indices {
      let byte = bytes[position]
      if row.count < prefix.count + Self.digitCount { row.append(byte) }
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
    guard row.starts(with: prefix), let key = PostbackKey(hexadecimal: row.span.extracting(droppingFirst: prefix.count))
    else {
      rowsWithoutKey += 1
      return
    }
    keys.add(key)
  }
}
