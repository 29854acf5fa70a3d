internal import Base
package import DurableFiles

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
  /// The folder of the file in the folder of the table, such as `received_day=2026-11-22`; empty if there is none.
  package var partition: String
  /// The times of receipt of the rows; nil if there are no rows, and in parts of earlier versions.
  package var received: ReceiptSpan?
  /// True if the file was written anew without some rows, and may not have replaced the old file yet.
  package var isRewritten = false

  /// Creates a part without rows.
  package init(table: String, format: TableFormat, number: Int, partition: String = "") {
    self.table = table
    self.format = format
    self.number = number
    self.partition = partition
  }

  /// The folder of the file in an output folder.
  package var folder: String { partition.isEmpty ? table : "\(table)/\(partition)" }

  /// The start of the names of parts.
  package static let namePrefix = "part-"

  /// The file name of a complete part.
  package var name: String { "\(Self.namePrefix)\(number.digits(8)).\(format.rawValue)" }

  /// The number that the name of a complete part says, at whatever path; also where the part was compressed since.
  package static func number(inName path: String) -> Int? {
    let name = path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
    guard name.hasPrefix(namePrefix) else { return nil }
    return Int(name.dropFirst(namePrefix.count).prefix { $0 != "." })
  }

  /// Tells if a name is one of a complete part, of whatever table.
  package static func isComplete(_ name: String) -> Bool {
    guard let number = number(inName: name) else { return false }
    return TableFormat.allCases.contains { LedgerPart(table: "", format: $0, number: number).name == name }
  }

  /// The endings that somebody's tools give to the names of complete parts when they compress them.
  package static let compressions = [".gz", ".zst"]

  /// The endings of the names of files that are written: hidden ones, and those that replace others.
  private static let (hiddenEnding, rewrittenEnding) = (".inprogress", ".rewritten")

  /// The file's name until it is complete.
  package var hiddenName: String { ".\(name)\(Self.hiddenEnding)" }

  /// The name of the file without the removed rows until it replaces the old one.
  package var rewrittenName: String { ".\(name)\(Self.rewrittenEnding)" }

  /// The names other than the final one that a file with the committed rows may have. They are looked for in this order,
  /// because the changes are in this order.
  package var unfinishedNames: [String] { (isRewritten ? [rewrittenName] : []) + [hiddenName] }

  /// All names that a file with the committed rows may have, in the order in which they are looked for.
  package var fileNames: [String] { unfinishedNames + [name] }

  /// Returns the path of the file with the committed rows in an output folder; nil if there is none.
  package func path(in output: String) throws(FileFailure) -> String? {
    let folder = DurableFolder("\(output)/\(folder)")
    for name in fileNames where try folder.byteCount(of: name) != nil { return "\(folder.path)/\(name)" }
    return nil
  }

  /// Returns the name of the file of the complete part in a folder of its table, compressed or not; nil if there is none.
  package func completeName(in folder: DurableFolder) throws(FileFailure) -> String? {
    for ending in [""] + Self.compressions where try folder.byteCount(of: name + ending) != nil { return name + ending }
    return nil
  }

  /// Tells if a name is one of a file that is written, of whatever part.
  package static func isUnfinished(_ name: String) -> Bool {
    name.hasPrefix(".\(namePrefix)") && [hiddenEnding, rewrittenEnding].contains { name.hasSuffix($0) }
  }
}

extension LedgerPart {
  /// The columns in the order in which `init(_:)` reads them and `LedgerStatements` writes them.
  static let columns = """
    table_name, format, number, length, checksum, rows, phase, partition, oldest_received, newest_received, rewritten,
    latest_received
    """

  /// Returns the columns of a ledger of a version, with constants for those that it does not have.
  static func columns(ofVersion version: Int64) -> String {
    let first = "table_name, format, number, length, checksum, rows, phase"
    return switch version {
    case ..<6: "\(first), '', NULL, NULL, 0, NULL"
    case ..<8: "\(first), partition, oldest_received, newest_received, rewritten, NULL"
    default: columns
    }
  }

  /// Reads a part from a row.
  init(_ row: SQLiteStatement) throws(FileFailure) {
    table = row.text(0)
    format = try row.word(1, as: TableFormat.self)
    number = try row.count(2, as: Int.self)
    length = try row.count(3)
    checksum = try row.integer(4, as: UInt32.self)
    rows = try row.count(5)
    phase = try row.word(6, as: Phase.self)
    partition = row.text(7)
    if !row.isNull(8) { received = ReceiptSpan(oldest: try row.count(8), newest: try row.count(9)) }
    if !row.isNull(11) { received?.latest = try row.count(11) }
    isRewritten = try row.integer(10) != 0
  }
}

extension Ledger {
  static func parts(in database: SQLiteDatabase) throws(FileFailure) -> [LedgerPart] {
    let order = "table_name, format, number"
    let columns = LedgerPart.columns(ofVersion: try LedgerSchema.identify(database))
    let statement = try SQLiteStatement(database, "SELECT \(columns) FROM parts ORDER BY \(order)")
    return try statement.all(as: LedgerPart.init)
  }

  /// Takes back, durably, that these parts are complete: their files were removed before they were published. So every
  /// start misses them.
  package func reopen(_ parts: [LedgerPart]) throws(FileFailure) {
    let statement = try SQLiteStatement(
      database,
      "UPDATE parts SET phase = 'open' WHERE table_name = ? AND format = ? AND number = ?"
    )
    for part in parts {
      try statement.run(.text(part.table), .text(part.format.rawValue), .integer(Int64(part.number)))
    }
  }
}

/// The oldest and the newest time of receipt of some rows, in milliseconds since 1970.
///
/// A row is not received after it is written: where its time is later, or where it has none, the time of writing counts.
package struct ReceiptSpan: Equatable, Sendable {
  /// The oldest time.
  package var oldest: Int64
  /// The newest time.
  package var newest: Int64
  /// The newest time as it was given, also if it is later than that of writing; nil if an earlier version has not noted it.
  package var latest: Int64?

  /// Makes a span.
  package init(oldest: Int64, newest: Int64) { (self.oldest, self.newest) = (oldest, newest) }

  /// Makes the span of a row that is written at the time `now`, and was received at `milliseconds` if that is known.
  package init(_ milliseconds: Int64?, writtenAt now: Int64) {
    let time = max(min(milliseconds ?? now, now), 0)
    self.init(oldest: time, newest: time)
    latest = max(milliseconds ?? time, time)
  }

  /// Returns the span of the rows of both; nil if there are none.
  package static func union(_ first: ReceiptSpan?, _ second: ReceiptSpan?) -> ReceiptSpan? {
    guard let first, let second else { return first ?? second }
    var span = ReceiptSpan(oldest: min(first.oldest, second.oldest), newest: max(first.newest, second.newest))
    if let one = first.latest, let other = second.latest { span.latest = max(one, other) }
    return span
  }
}

/// The forms in which tables are written.
package enum TableFormat: String, CaseIterable, Sendable {
  /// JSON Lines: a JSON object a row.
  case jsonLines = "jsonl"
  /// CSV (RFC 4180): a null is an absent field, an empty string is "".
  case csv
}
