internal import DurableFiles
internal import JSON
internal import Ledger

/// A reader of the committed rows of one part, also while the part is hidden and written.
struct PartReader {
  /// The number of the part.
  let number: Int
  private let format: TableFormat
  private let file: DurableFile
  private let path: String
  /// The length of the header of CSV with its line end; 0 in JSON Lines.
  private let headerByteCount: Int64
  private let csvColumns: [Int?]
  private let isCSVSafe: Bool
  /// The number of the line at the position of the next batch; nil if reading did not begin at the start.
  private var line: Int?
  /// The offset behind the last batch.
  private var position: Int64

  private static let longestHeader: Int64 = 64 << 10

  /// Opens a part to read it from an offset at which a row begins. `isCSVSafe` is the setting with which it was written.
  init(
    _ part: LedgerPart,
    of table: Table,
    in output: String,
    from offset: Int64,
    isCSVSafe: Bool
  ) throws(FileFailure) {
    (self.isCSVSafe, position) = (isCSVSafe, offset)
    number = part.number
    format = part.format
    let folder = DurableFolder("\(output)/\(part.folder)")
    path = "\(folder.path)/\(part.name)"
    guard let file = try Self.open(part, in: folder) else { throw .gone(path) }
    self.file = file
    var header: [UInt8] = []
    if format == .csv, part.length > 0 {
      let bytes = try Self.read(file, from: 0, count: min(part.length, Self.longestHeader), padding: 0)
      guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { throw .damaged(file.path, "has no header") }
      header = Array(bytes[...end])
    }
    headerByteCount = Int64(header.count)
    csvColumns = header.split(whereSeparator: { $0 == UInt8(ascii: ",") || $0 < 0x20 }).map { name in
      table.columnNames.firstIndex(of: String(decoding: name, as: UTF8.self))
    }
    line = offset == 0 ? (format == .csv ? 2 : 1) : nil
    guard offset > 0 else { return }
    guard try Self.read(file, from: offset - 1, count: 1, padding: 0) == [UInt8(ascii: "\n")] else {
      throw FileFailure(
        .incompatible,
        file.path,
        "has no row that begins at byte \(offset); give a cursor of this output"
      )
    }
  }

  /// Throws `.damaged` unless the committed bytes of the part have their checksum.
  func verify(_ part: LedgerPart) throws(FileFailure) { try PartFile.verify(file, part) }

  /// Opens the file of a part under its hidden or its final name, or under the name of a file that replaces it; returns nil
  /// if there is none.
  private static func open(_ part: LedgerPart, in folder: DurableFolder) throws(FileFailure) -> DurableFile? {
    for name in part.fileNames where try folder.byteCount(of: name) != nil {
      do throws(FileFailure) {
        return try DurableFile("\(folder.path)/\(name)", .reading)
      } catch {
        guard try folder.byteCount(of: name) == nil else { throw error }
      }
    }
    return nil
  }

  /// Reads whole rows from an offset up to the committed length: at least one row, and apart from a long row about
  /// `byteCount` bytes. Returns them with the offset of their bytes and the one behind them; no rows if only the header is
  /// committed.
  mutating func batch(
    from offset: Int64,
    to end: Int64,
    byteCount: Int
  ) throws(FileFailure) -> (rows: RowBatch, start: Int64, end: Int64) {
    let start = max(offset, headerByteCount)
    var count = min(Int64(byteCount), end - start)
    var rows: [RowBatch.Row] = []
    var nextLine = line
    var bytes: [UInt8] = []
    while count > 0 {
      bytes = try Self.read(file, from: start, count: count, padding: RowBatch.padding)
      (rows, nextLine) = RowBatch.rows(in: bytes, Int(count), format, line: line)
      if !rows.isEmpty { break }
      guard count < end - start else {
        throw .damaged(file.path, "ends inside a row after its \(end) committed bytes")
      }
      count = min(2 * count, end - start)
    }
    guard let last = rows.last else {
      position = start
      return (RowBatch(format, [], [], of: [], isCSVSafe: isCSVSafe), start, start)
    }
    // Behind the last row is its line end.
    let used = last.bytes.indices.upperBound + (format == .csv ? 2 : 1)
    (line, position) = (nextLine, start + Int64(used))
    let files = [(path: path, rowCount: rows.count)]
    let batch = RowBatch(format, bytes, rows, of: files, csvColumns: csvColumns, isCSVSafe: isCSVSafe)
    return (batch, start, position)
  }

  /// Reads the next rows up to the committed length, about `byteCount` bytes of them, with the offset of their bytes; nil at the
  /// end.
  mutating func next(
    upTo end: Int64,
    byteCount: Int = 1 << 20
  ) throws(FileFailure) -> (rows: RowBatch, start: Int64)? {
    guard position < end else { return nil }
    let (rows, start, _) = try batch(from: position, to: end, byteCount: byteCount)
    return rows.rows.isEmpty ? nil : (rows, start)
  }

  private static func read(
    _ file: DurableFile,
    from offset: Int64,
    count: Int64,
    padding: Int
  ) throws(FileFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(count) + padding)
    bytes.append(contentsOf: repeatElement(0, count: Int(count)))
    let received = try file.read(into: &bytes, at: offset)
    guard received == Int(count) else {
      throw .damaged(file.path, "has \(offset + Int64(received)) bytes, and \(offset + count) are committed")
    }
    bytes.append(contentsOf: repeatElement(0, count: padding))
    return bytes
  }
}

extension FileFailure {
  /// The file of a part with committed rows does not exist.
  static func gone(_ path: String) -> FileFailure {
    FileFailure(
      .notFound,
      path,
      "this part is gone, and it has committed rows that were not read yet; put it back, or read it from where it is now"
    )
  }
}
