internal import Glibc
internal import JSON

/// A reader of some cells of rows of JSON Lines, several times as fast as a parser.
///
/// It goes through a row from its start to the last wanted cell, and reads no further. It understands only the form that
/// `RowEncoder` writes.
struct LeadingCells {
  /// The text before each cell.
  private let starts: [[UInt8]]
  private let isWanted: [Bool]
  /// The wanted cells of the row that was read last, by the columns of the table; nil is a null.
  private(set) var cells: [ByteRange?]

  /// Makes a reader of some columns of a table.
  init(_ wanted: [Int], of table: Table) {
    isWanted = table.columns.indices.map { wanted.contains($0) }
    starts = (0..<((wanted.max() ?? -1) + 1)).map { column in
      let start = column == 0 ? 0 : table.memberEnds[column - 1]
      return Array(table.nullMembers[start..<table.memberEnds[column] - Table.nullLength])
    }
    cells = Array(repeating: nil, count: table.columns.count)
  }

  /// Reads the row in a range of `bytes`. Returns false if it has another form, or a wanted cell is not plain: then the row must
  /// be parsed.
  mutating func read(_ bytes: [UInt8], _ row: ByteRange) -> Bool {
    unsafe bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return false }
      return unsafe read(base, row.indices)
    }
  }

  private mutating func read(_ base: UnsafeRawPointer, _ row: Range<Int>) -> Bool {
    func byte(_ place: Int) -> UInt8 { unsafe base.load(fromByteOffset: place, as: UInt8.self) }
    guard !row.isEmpty, byte(row.upperBound - 1) == UInt8(ascii: "}") else { return false }
    var place = row.lowerBound
    for column in starts.indices {
      let count = starts[column].count
      guard row.upperBound - place > count + 4,
        unsafe starts[column].withUnsafeBytes({ start in
          unsafe start.baseAddress.map { unsafe memcmp(base + place, $0, count) == 0 } ?? false
        })
      else { return false }
      place += count
      let start = place
      switch byte(place) {
      case UInt8(ascii: "\""):
        var isEscaped = false
        repeat {
          guard let quote = unsafe memchr(base + place + 1, 0x22, row.upperBound - place - 1) else { return false }
          place = unsafe UnsafeRawPointer(quote) - base
          var slashes = 0
          while byte(place - 1 - slashes) == UInt8(ascii: "\\") { slashes += 1 }
          isEscaped = slashes % 2 == 1
        } while isEscaped
        if isWanted[column] {
          let length = place - start - 1
          guard unsafe memchr(base + start + 1, 0x5C, length) == nil else { return false }
          cells[column] = ByteRange(start: start + 1, count: length)
        }
        place += 1
      case UInt8(ascii: "["), UInt8(ascii: "{"): return false
      default:
        while place < row.upperBound - 1, byte(place) != UInt8(ascii: ",") { place += 1 }
        let isNull = byte(start) == UInt8(ascii: "n")
        if isWanted[column] { cells[column] = isNull ? nil : ByteRange(start: start, count: place - start) }
      }
    }
    return byte(place) == UInt8(ascii: ",") || place == row.upperBound - 1
  }
}
