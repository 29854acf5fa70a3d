internal import DurableFiles

/// A part of a table in one format, and the extent of it that is committed.
package struct LedgerPart: Equatable, Sendable {
  /// The progress of a part.
  package enum Phase: String, CaseIterable, Sendable {
    /// Rows may follow. The file name is hidden from readers.
    case open
    /// The part has all its rows.
    case complete
  }

  /// The name of the table.
  package var table: String
  /// The format of the file.
  package var format: TableFormat
  /// The number of the part among those of the table in this format, from 1.
  package var number: Int
  /// The length in bytes.
  package var length: Int64 = 0
  /// The CRC-32 of those bytes.
  package var checksum: UInt32 = 0
  /// The number of rows, without the header of CSV.
  package var rows: Int64 = 0
  /// The progress of the part.
  package var phase = Phase.open

  /// Creates a part without rows.
  package init(table: String, format: TableFormat, number: Int) {
    self.table = table
    self.format = format
    self.number = number
  }

  /// The file name of a complete part.
  package var name: String {
    let digits = String(number)
    return "part-\(String(repeating: "0", count: max(0, 8 - digits.count)))\(digits).\(format.rawValue)"
  }

  /// The number that the name of a complete part says, at whatever path; also where the part was compressed since.
  package static func number(inName path: String) -> Int? {
    let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
    guard name.hasPrefix("part-") else { return nil }
    return Int(name.dropFirst("part-".count).prefix { $0 != "." })
  }

  /// The file's name until it is complete.
  package var hiddenName: String { ".\(name).inprogress" }
}

extension LedgerPart {
  /// The columns in the order in which `init(_:)` reads them and `LedgerStatements` writes them.
  static let columns = "table_name, format, number, length, checksum, rows, phase"

  /// Reads a part from a row.
  init(_ row: SQLiteStatement) throws(FileFailure) {
    table = row.text(0)
    format = try row.word(1, as: TableFormat.self)
    number = try row.count(2, as: Int.self)
    length = try row.count(3)
    checksum = try row.integer(4, as: UInt32.self)
    rows = try row.count(5)
    phase = try row.word(6, as: Phase.self)
  }
}

/// The forms in which tables are written.
package enum TableFormat: String, CaseIterable, Sendable {
  /// JSON Lines: a JSON object a row.
  case jsonLines = "jsonl"
  /// CSV (RFC 4180): a null is an absent field, an empty string is "".
  case csv
}
