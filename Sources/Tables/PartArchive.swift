package import DurableFiles
internal import JSON
internal import Ledger

/// A folder with copies of parts that are removed from an output because of their age, in the folders of their tables.
package struct PartArchive: Sendable {
  private let path: String

  /// Makes the archive in a folder, which is created when it is needed. Throws if that is the folder of the tables.
  package init(_ path: String, of output: String) throws(FileFailure) {
    self.path = path
    guard let archive = try NamedFile(path), let tables = try NamedFile(output) else { return }
    guard archive.isSame(as: tables) else { return }
    throw FileFailure(
      .incompatible,
      path,
      "The archive would be the folder of the tables itself",
      advice: "Name another folder"
    )
  }

  /// Copies a part durably, unless the archive has its rows in a file of its name: an interrupted removal has made that, or one that left
  /// in the part the rows that still counted. Throws `.incompatible` if the file has other rows.
  func take(_ part: LedgerPart, from output: String, _ ledger: Ledger) throws(FileFailure) {
    let folder = try DurableFolder(making: "\(path)/\(part.folder)")
    let copy = "\(folder.path)/\(part.name)"
    guard let length = try folder.byteCount(of: part.name) else {
      if let name = try part.completeName(in: folder) {
        throw FileFailure(
          .incompatible,
          "\(folder.path)/\(name)",
          "The part was compressed in the archive, and its rows cannot be compared with those that are to go now",
          advice: "Decompress it and run again; after that it may be compressed again"
        )
      }
      return try add(part, from: output, to: folder)
    }
    // A link from one to the other would be lost with the part.
    guard let first = try NamedFile(copy), let second = try NamedFile("\(output)/\(part.folder)/\(part.name)"),
      !first.isSame(as: second)
    else { throw FileFailure(.incompatible, copy, "The file is the part itself", advice: "Name another folder") }
    guard try holds(part, of: output, byteCount: length, ledger) else {
      throw FileFailure(
        .incompatible,
        copy,
        "The archive has another part of this name, or a damaged one",
        advice: "Give each output an archive of its own, or name a new folder"
      )
    }
    try folder.synchronize()
  }

  private func add(_ part: LedgerPart, from output: String, to folder: DurableFolder) throws(FileFailure) {
    let hidden = ".\(part.name).archived"
    try folder.remove(hidden)
    let copy = try DurableFile("\(folder.path)/\(hidden)", .creating)
    let file = try DurableFile("\(output)/\(part.folder)/\(part.name)", .reading)
    try PartFile.verify(file, part) { bytes throws(FileFailure) in try copy.append(bytes) }
    try copy.keepTime(of: file)
    try copy.synchronize()
    try folder.rename(hidden, to: part.name)
  }

  /// Tells if the file of a part in the archive has all rows of the part, in their order and byte for byte. A row that `forget` has masked
  /// since may differ in the columns where it masks.
  private func holds(
    _ part: LedgerPart,
    of output: String,
    byteCount: Int64,
    _ ledger: Ledger
  ) throws(FileFailure) -> Bool {
    guard let table = Table.all.first(where: { $0.name == part.table }) else { return false }
    let isCSVSafe = try ledger.isCSVSafe()
    let columns = try ledger.hasMaskedRows(part) ? UnmaskedColumns(table) : nil
    var copy = part
    (copy.length, copy.isRewritten) = (byteCount, false)
    var rows = try RowSequence(of: part, table, in: output, isCSVSafe: isCSVSafe)
    do throws(FileFailure) {
      var archived = try RowSequence(of: copy, table, in: path, isCSVSafe: isCSVSafe)
      var wanted = try rows.next()
      // To its end, where a row may be cut off.
      while let row = try archived.next() {
        if let next = wanted, row.holds(next, masking: columns) { wanted = try rows.next() }
      }
      return wanted == nil
    } catch {
      guard error.kind == .damaged, error.path == "\(path)/\(part.folder)/\(part.name)" else { throw error }
      return false
    }
  }
}

/// The rows of a part, one after the other.
private struct RowSequence {
  private var reader: PartReader
  private let byteCount: Int64
  private var batch: RowBatch?
  private var index = 0

  init(of part: LedgerPart, _ table: Table, in output: String, isCSVSafe: Bool) throws(FileFailure) {
    reader = try PartReader(part, of: table, in: output, from: 0, isCSVSafe: isCSVSafe)
    byteCount = part.length
  }

  mutating func next() throws(FileFailure) -> PartRow? {
    if batch.map({ index == $0.rows.count }) ?? true { (batch, index) = (try reader.next(upTo: byteCount)?.rows, 0) }
    guard let batch else { return nil }
    index += 1
    return PartRow(batch: batch, bytes: batch.bytes[batch.rows[index - 1].bytes.indices])
  }
}

/// The bytes of a row, with the batch that says how they are read.
private struct PartRow {
  let batch: RowBatch
  let bytes: ArraySlice<UInt8>

  /// Tells if a row has the bytes of another one, or had them before the other was masked outside of some columns.
  func holds(_ other: PartRow, masking columns: UnmaskedColumns?) -> Bool {
    guard bytes.count == other.bytes.count, batch.csvColumns == other.batch.csvColumns else { return false }
    if bytes == other.bytes { return true }
    guard let columns else { return false }
    var isSame = false
    columns.read(Array(other.bytes), in: other.batch) { masked in
      isSame = columns.areSame(masked, Array(bytes), in: batch)
    }
    return isSame
  }
}
