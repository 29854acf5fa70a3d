/// A part of a table in one format, and how much of it is committed.
package struct LedgerPart: Equatable, Sendable {
  /// How far a part is.
  package enum Phase: String, CaseIterable, Sendable {
    /// Rows may follow; readers do not see it.
    case open
    /// It has all its rows.
    case complete
  }

  /// The table's name.
  package var table: String
  /// The format.
  package var format: TableFormat
  /// Its number among the table's parts of the format, from 1.
  package var number: Int
  /// The committed bytes.
  package var length: Int64 = 0
  /// The checksum of the committed bytes.
  package var checksum: UInt32 = 0
  /// The committed rows.
  package var rows: Int64 = 0
  /// How far it is.
  package var phase = Phase.open

  /// A part without rows.
  package init(table: String, format: TableFormat, number: Int) {
    self.table = table
    self.format = format
    self.number = number
  }

  /// The file's name.
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
  /// The columns, as `init(_:)` reads them.
  static let columns = "table_name, format, number, length, checksum, rows, phase"

  /// The part that a row tells of.
  init(_ row: SQLiteStatement) throws(StateFailure) {
    table = row.text(0)
    format = try row.word(1, as: TableFormat.self)
    number = try row.count(2, as: Int.self)
    length = try row.count(3)
    checksum = try row.integer(4, as: UInt32.self)
    rows = try row.count(5)
    phase = try row.word(6, as: Phase.self)
  }
}
