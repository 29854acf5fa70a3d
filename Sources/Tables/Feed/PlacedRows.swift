package import DurableFiles
package import Ledger

/// The committed rows of one part, read from any place at which a row begins.
package struct PlacedRows {
  private let part: LedgerPart
  private let table: Table
  private let folder: String
  private let isCSVSafe: Bool
  private var reader: PartReader

  /// Opens a part, whose length is the one up to which rows are committed. `folder` has the folder of the table, and `isCSVSafe`
  /// is the setting with which the part was written. Throws if the file is gone.
  package init(
    _ part: LedgerPart,
    of table: Table,
    in folder: String,
    isCSVSafe: Bool
  ) throws(FileFailure) {
    (self.part, self.table, self.folder, self.isCSVSafe) = (part, table, folder, isCSVSafe)
    reader = try PartReader(part, of: table, in: folder, from: 0, isCSVSafe: isCSVSafe)
  }

  /// Reads whole rows from a place, at least one, with the place at which the first begins, and the place behind the last; no rows
  /// at the end. Throws if no row begins at the place.
  package mutating func batch(
    from place: Int64,
    byteCount: Int = 1 << 20
  ) throws(FileFailure) -> (rows: RowBatch, start: Int64, end: Int64) {
    if place > 0 { reader = try PartReader(part, of: table, in: folder, from: place, isCSVSafe: isCSVSafe) }
    return try reader.batch(from: place, to: part.length, byteCount: byteCount)
  }
}
