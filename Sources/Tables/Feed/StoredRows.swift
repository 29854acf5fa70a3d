package import DurableFiles
internal import Ledger

/// The rows of a table whose parts are complete, in order, one batch after the other.
///
/// JSON Lines are read where the table has them, and CSV otherwise.
package struct StoredRows {
  private let table: Table
  private let output: String
  /// Indicates that texts of CSV which a spreadsheet would run as a formula have an apostrophe in front.
  package let isCSVSafe: Bool
  /// The parts that were not opened yet.
  private var parts: ArraySlice<LedgerPart>
  /// The part that is read, and its length.
  private var open: (reader: PartReader, length: Int64)?

  private static let batchBytes = 1 << 20
  /// The name of an empty file beside CSV that was written so.
  package static let csvSafeName = "_csv_safe"

  /// The rows of a table in an output folder, or those of one part; nil if the folder does not have the table.
  package init?(_ table: Table, in output: String, part wanted: Int? = nil) throws(FileFailure) {
    let folder = DurableFolder("\(output)/\(table.name)")
    guard try folder.byteCount(of: ".") != nil else { return nil }
    (self.table, self.output) = (table, output)
    let names = try folder.names()
    isCSVSafe = names.contains(Self.csvSafeName)
    var parts: ArraySlice<LedgerPart> = []
    for format in TableFormat.allCases where parts.isEmpty {
      for name in names.sorted() {
        guard let number = LedgerPart.number(inName: name), wanted.map({ $0 == number }) ?? true else { continue }
        var part = LedgerPart(table: table.name, format: format, number: number)
        guard part.name == name, let length = try folder.byteCount(of: name) else { continue }
        part.length = length
        parts.append(part)
      }
    }
    self.parts = parts
  }

  /// Returns the next batch, with at least one row; nil at the end.
  package mutating func next() throws(FileFailure) -> RowBatch? {
    while true {
      if open == nil {
        guard let part = parts.popFirst() else { return nil }
        open = (try PartReader(part, of: table, in: output, from: 0, isCSVSafe: isCSVSafe), part.length)
      }
      guard var part = open else { return nil }
      let batch = try part.reader.next(upTo: part.length, byteCount: Self.batchBytes)
      open = batch == nil ? nil : part
      if let batch { return batch.rows }
    }
  }
}
