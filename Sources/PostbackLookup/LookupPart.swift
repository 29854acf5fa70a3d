package import DurableFiles
internal import JSON
package import Ledger
package import PostbackPipeline
internal import TableReading
package import Tables

/// A part of a table in which rows are looked up: complete or still written, compressed or not, in a partition or not.
package struct LookupPart: Sendable {
  /// The table that the part is of.
  package let table: Table
  /// The part, with the length up to which its rows are committed.
  package let part: LedgerPart
  /// The folder that has the folder of the table.
  let folder: String
  /// The path of the file, if it was compressed after it was complete.
  package let compressed: String?
  /// Indicates that texts of CSV which a spreadsheet would run as a formula have an apostrophe in front.
  let isCSVSafe: Bool
  /// Indicates that the length and the checksum of the part are those that a state has.
  let isCommitted: Bool
  /// A text that is another one if the file has other rows.
  package let identity: String
  /// The lines of rows that were read again by a later run, and count no more.
  package var reprocessed: Set<Int> = []

  /// The path of the file, for people.
  package var path: String { compressed ?? "\(folder)/\(part.folder)/\(part.name)" }

  /// The place behind the last row: a number of bytes, or of lines where the file is compressed.
  package var end: Int64 { compressed == nil ? part.length : part.rows }

  /// The parts of a table of runs with rows that a state had committed when it was read. The paths of complete parts that are
  /// gone go to `missing`.
  package static func committed(
    _ reading: LedgerReading,
    of table: Table,
    in output: String,
    missing: inout [String]
  ) throws(FileFailure) -> [LookupPart] {
    let all = reading.parts.filter { $0.table == table.name && $0.rows > 0 }
    let format = all.contains { $0.format == .jsonLines } ? TableFormat.jsonLines : .csv
    var found: [LookupPart] = []
    for part in all where part.format == format {
      let folder = DurableFolder("\(output)/\(part.folder)")
      let isThere = try part.path(in: output) != nil
      let name = isThere || format == .csv ? nil : try part.completeName(in: folder)
      let compressed = name.map { "\(folder.path)/\($0)" }
      guard isThere || compressed != nil else {
        missing.append("\(folder.path)/\(part.name)")
        continue
      }
      found.append(
        LookupPart(
          table: table,
          part: part,
          folder: output,
          compressed: compressed,
          isCSVSafe: reading.settings[Ledger.csvSafe] == "yes",
          isCommitted: true,
          identity: "\(format.rawValue) \(part.length) \(part.checksum) \(compressed == nil ? "bytes" : "lines")"
        )
      )
    }
    return found
  }

  /// The complete parts of a table in a folder without a state, such as a derived table.
  package static func complete(of table: Table, in folder: String) throws(FileFailure) -> [LookupPart] {
    let entries = try Partitioning.entries(of: "\(folder)/\(table.name)")
    let isCSVSafe = entries.contains { $0.name == StoredRows.csvSafeName }
    var found: [LookupPart] = []
    for format in TableFormat.allCases where found.isEmpty {
      for (partition, name) in entries {
        guard let number = LedgerPart.number(inName: name) else { continue }
        var part = LedgerPart(table: table.name, format: format, number: number, partition: partition)
        let endings = format == .jsonLines ? [""] + LedgerPart.compressions : [""]
        guard let ending = endings.first(where: { part.name + $0 == name }) else { continue }
        let place = DurableFolder("\(folder)/\(part.folder)")
        // A part beside its compressed copy is read once.
        let isCompressed = !ending.isEmpty
        if isCompressed, try place.byteCount(of: part.name) != nil { continue }
        guard let version = try place.version(of: name), let length = try place.byteCount(of: name) else { continue }
        part.length = length
        // The number of lines is not known; the last one is behind any row.
        part.rows = Int64(Int32.max)
        part.phase = .complete
        found.append(
          LookupPart(
            table: table,
            part: part,
            folder: folder,
            compressed: ending.isEmpty ? nil : "\(place.path)/\(name)",
            isCSVSafe: isCSVSafe,
            isCommitted: false,
            identity: "\(name) \(version.content)"
          )
        )
      }
    }
    return found
  }

  // MARK: - Rows

  /// Calls `body` with a cursor at each row from a place on, and with its place, until it returns false. If `columns` are given, no
  /// other cells may be asked for.
  ///
  /// - Parameters:
  ///   - place: The place of the first row.
  ///   - columns: The positions of the columns that `body` asks for; nil for all.
  ///   - byteCount: The number of bytes that are read at once.
  ///   - body: The function that takes the rows.
  /// - Throws: A failure of the file, or one that says that the task was cancelled.
  package func forEachRow(
    from place: Int64,
    only columns: [Int]? = nil,
    byteCount: Int = 1 << 20,
    _ body: (borrowing RowCursor, Int64) -> Bool
  ) async throws(PipelineFailure) {
    try await forEachNumberedRow(from: place, only: columns, byteCount: byteCount) { row, at, _ in body(row, at) }
  }

  /// Calls `body` as `forEachRow` does, but not with rows that were read again.
  package func forEachStandingRow(
    from place: Int64,
    only columns: [Int]? = nil,
    _ body: (borrowing RowCursor, Int64) -> Bool
  ) async throws(PipelineFailure) {
    guard !reprocessed.isEmpty else { return try await forEachRow(from: place, only: columns, body) }
    // The numbers of lines are known from the start on.
    try await forEachNumberedRow(from: 0, only: columns, byteCount: 1 << 20) { row, at, line in
      at < place || reprocessed.contains(line) || body(row, at)
    }
  }

  /// Calls `body` with each row from a place on, its place, and the number of its line among those from the place on; where the
  /// part is compressed, among all.
  private func forEachNumberedRow(
    from place: Int64,
    only columns: [Int]?,
    byteCount: Int,
    _ body: (borrowing RowCursor, Int64, Int) -> Bool
  ) async throws(PipelineFailure) {
    guard let compressed else {
      return try forEachStoredRow(from: place, only: columns, byteCount: byteCount, body)
    }
    let input = InputFile(path: compressed)
    var batches = PostbackReader(inputs: [input], limits: TableFiles.limits).makeAsyncIterator()
    while let batch = try await batches.next() {
      try PipelineFailure.checkCancellation(of: path)
      guard let last = batch.records.last, last.line >= place else { continue }
      var cursor = RowCursor(batch, of: table, only: columns)
      while cursor.next() {
        let line = Int64(batch.records[cursor.index].line)
        if line >= place, !body(cursor, line, Int(line)) { return }
      }
    }
  }

  private func forEachStoredRow(
    from place: Int64,
    only columns: [Int]?,
    byteCount: Int,
    _ body: (borrowing RowCursor, Int64, Int) -> Bool
  ) throws(PipelineFailure) {
    var rows = try PipelineFailure.state { () throws(FileFailure) in
      try PlacedRows(part, of: table, in: folder, isCSVSafe: isCSVSafe)
    }
    var (next, line) = (place, 1)
    while next < part.length {
      try PipelineFailure.checkCancellation(of: path)
      let (batch, start, end) = try PipelineFailure.state { () throws(FileFailure) in
        try rows.batch(from: next, byteCount: byteCount)
      }
      guard !batch.rows.isEmpty else { return }
      var cursor = RowCursor(batch, of: table, only: columns)
      while cursor.next() {
        if !body(cursor, start + Int64(batch.rows[cursor.index].bytes.start), line + cursor.index) { return }
      }
      (next, line) = (end, line + batch.rows.count)
    }
  }

  // MARK: - Checksums

  /// The checksum of the rows; nil if no state has it, or the file was compressed.
  package var checksum: UInt32? { isCommitted && compressed == nil ? part.checksum : nil }

  /// Tells if the file continues rows with a length and a checksum: the bytes behind them lead from their checksum to that of the
  /// part. So they are the first rows of the part, and not others that stood in their place.
  package func continues(_ checksum: UInt32, of length: Int64) -> Bool {
    guard let whole = self.checksum, let file = open(), length < part.length else { return false }
    var sum = CRC32(checksum)
    var buffer = [UInt8](repeating: 0, count: Int(min(part.length - length, 1 << 20)))
    var offset = length
    while offset < part.length {
      guard let received = try? file.read(into: &buffer, at: offset), received > 0 else { return false }
      let count = min(received, Int(part.length - offset))
      sum.update(buffer.span.extracting(first: count))
      offset += Int64(count)
    }
    return sum.value == whole
  }

  /// Opens the file under the name that it has; nil if it cannot be opened.
  private func open() -> DurableFile? {
    for name in part.fileNames {
      if let file = try? DurableFile("\(folder)/\(part.folder)/\(name)", .reading) { return file }
    }
    return nil
  }
}
