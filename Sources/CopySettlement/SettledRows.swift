internal import DerivedTables
package import DurableFiles
package import PostbackPipeline
package import PostbackVerification
package import TableReading
package import Tables

/// The files with the rows of `skan_settled` and `skan_settled_events` of the postbacks of a part.
package struct SettledFiles: Sendable {
  package let rows: TableFiles
  package let events: TableFiles?

  /// Takes the files of a part.
  package init(rows: TableFiles, events: TableFiles?) {
    (self.rows, self.events) = (rows, events)
  }

  /// Returns the files of each part, by its number.
  package static func byPart(_ rows: TableFiles?, events: TableFiles?) throws(PipelineFailure) -> [Int: SettledFiles] {
    try PipelineFailure.state { () throws(FileFailure) in
      let events = try byNumber(events)
      var files: [Int: SettledFiles] = [:]
      for (number, rows) in try byNumber(rows) { files[number] = SettledFiles(rows: rows, events: events[number]) }
      return files
    }
  }

  /// Returns the files of a table by the numbers of the parts. A table without rows has an empty file, which belongs to no part.
  package static func byNumber(_ table: TableFiles?) throws(FileFailure) -> [Int: TableFiles] {
    let filled = try table?.divided().filter { $0.files.inputs.contains { $0.byteCount != 0 } } ?? []
    return Dictionary(filled.map { ($0.number, $0.files) }) { first, _ in first }
  }

  /// Returns a text that is another one if files of a table have other rows; the same one for no files.
  package static func identity(_ files: TableFiles?) throws(PipelineFailure) -> String {
    var identity = ""
    for input in files?.inputs ?? [] { identity += "\(try PartRows.identity(input.path))\n" }
    return identity
  }
}

/// Reads the rows of a derived table of the postbacks of a part, batch by batch of these.
///
/// Both are in the same order. Postbacks that came later have no row, and rows may be of postbacks that were removed.
package struct SettledRows {
  private let table: Table
  private var rows: AlignedRows
  /// Rows that were read and not handed on.
  private var pending = RawBatch(bytesToAdd: 0)
  /// The keys of all postbacks of the part; nil as long as they were not needed.
  private var all: Set<UInt128>?

  /// Begins before the first row of a file.
  package init(_ files: TableFiles) { (table, rows) = (files.table, AlignedRows(files)) }

  /// Returns the rows for a batch of `skan_postbacks`. Batches follow each other. `keys` returns the keys of all postbacks.
  package mutating func next(
    beside batch: RawBatch,
    isolation actor: isolated (any Actor)? = #isolation,
    _ keys: () async throws(PipelineFailure) -> [UInt128]
  ) async throws(PipelineFailure) -> RawBatch {
    let postbacks = batch.postbackKeys(of: .postbacks).compactMap(\.self)
    let wanted = Set(postbacks)
    var found = RawBatch(bytesToAdd: 0)
    var count = 0
    while count < postbacks.count {
      if pending.records.isEmpty { pending = try await rows.next(beside: batch, isolation: actor) }
      guard !pending.records.isEmpty else { break }
      let settled = pending.postbackKeys(of: table)
      if settled.count <= postbacks.count - count, settled.allSatisfy({ $0.map(wanted.contains) ?? false }) {
        found.append(pending)
        count += settled.count
        pending = RawBatch(bytesToAdd: 0)
        continue
      }
      if all == nil { all = Set(try await keys()) }
      var used = 0
      while used < settled.count, count < postbacks.count {
        if let key = settled[used] {
          if wanted.contains(key) {
            found.append(pending.extracting(used..<used + 1))
            count += 1
          } else if all?.contains(key) == true {
            break
          }
        } else {
          // A line that is not a row is reported by the cursor.
          found.append(pending.extracting(used..<used + 1))
        }
        used += 1
      }
      pending = pending.extracting(used..<pending.records.count)
      if !pending.records.isEmpty { break }
    }
    return found
  }
}

/// The rows of a derived table for a batch of `skan_postbacks`, of which some may have none, in the order of these.
package struct SettledCursor: ~Copyable {
  /// The cursor at the row of the current postback.
  package private(set) var row: RowCursor
  private var isPending = false
  private let key: Int

  package init(_ rows: ParsedRows, of table: Table = .settled) {
    row = RowCursor(rows)
    key = table.place(.postbackKey)
  }

  /// Moves to the row of the next postback; returns false if it has none.
  package mutating func next(_ postback: PostbackKey?) -> Bool {
    if !isPending { isPending = row.next() }
    guard isPending, let postback, row.key(key) == postback else { return false }
    isPending = false
    return true
  }
}
