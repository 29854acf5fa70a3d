internal import DurableFiles
internal import JSON
internal import Ledger
internal import PostbackVerification

/// A change to the bytes of a part.
struct PartChange {
  /// The place in the part.
  let offset: Int64
  /// The number of bytes that go.
  var byteCount: Int64
  /// The bytes that come in their place.
  var replacement: [UInt8] = []
  /// The number of rows that go.
  var rows: Int64 = 0
}

extension LedgerPart {
  /// Writes the committed bytes with some changes, in order, to a new file beside the old one, durably. The part is then that of
  /// the new file, which takes the place of the old one when the change is committed.
  mutating func rewrite(_ changes: [PartChange], in output: String) throws(FileFailure) {
    let folder = DurableFolder("\(output)/\(self.folder)")
    let isHidden = try folder.byteCount(of: hiddenName) != nil
    let old = try DurableFile("\(folder.path)/\(isHidden ? hiddenName : name)", .reading)
    try PartFile.verify(old, self)
    let new = try DurableFile("\(folder.path)/\(rewrittenName)", .creating)
    var checksum = CRC32()
    var length: Int64 = 0
    func append(_ bytes: [UInt8]) throws(FileFailure) {
      try new.append(bytes.span)
      checksum.update(bytes.span)
      length += Int64(bytes.count)
    }
    var start: Int64 = 0
    for change in changes + [PartChange(offset: self.length, byteCount: 0)] {
      while start < change.offset {
        var bytes = [UInt8](repeating: 0, count: Int(min(change.offset - start, Int64(DurableFile.chunk))))
        guard try old.read(into: &bytes, at: start) == bytes.count else {
          throw .damaged(old.path, "The file ends before its \(self.length) committed bytes")
        }
        try append(bytes)
        start += Int64(bytes.count)
      }
      try append(change.replacement)
      start += change.byteCount
      rows -= change.rows
    }
    try new.synchronize()
    try folder.synchronize()
    (self.checksum, self.length, isRewritten) = (checksum.value, length, true)
  }
}

/// The division of the rows of a part into those that go and those that stay.
struct PartReduction {
  /// The bytes of the rows that go; rows that stand one after the other are one change.
  private(set) var changes: [PartChange] = []
  /// The number of rows that stay.
  private(set) var keptRows = 0
  /// The keys of the rows that go, if the part is of `skan_postbacks`.
  private(set) var keys = KeyTally()
  /// The lines of the rows that go, in a part of `skan_rejects` as JSON Lines.
  private(set) var lines: [TableRemoval.Lines] = []

  /// The number of rows that go.
  var removedRows: Int64 { changes.reduce(0) { $0 + $1.rows } }

  /// Divides the rows of a part of `skan_postbacks`, by their keys, or of `skan_rejects`, by those of the postbacks that they are copies
  /// of.
  init(
    _ part: LedgerPart,
    of table: Table,
    in output: String,
    isCSVSafe: Bool,
    keeping isKept: (PostbackKey) -> Bool
  ) throws(FileFailure) {
    let isOfPostbacks = table.name == Table.postbacks.name
    let key = table.place(isOfPostbacks ? .postbackKey : .firstSeenPostbackKey)
    let hasLines = table.name == Table.rejects.name && part.format == .jsonLines
    let lineEnd: Int64 = part.format == .csv ? 2 : 1
    var reader = try PartReader(part, of: table, in: output, from: 0, isCSVSafe: isCSVSafe)
    while let (batch, start) = try reader.next(upTo: part.length) {
      var cursor = RowCursor(batch, of: table, only: [key])
      while cursor.next() {
        let found = cursor.key(key)
        if found.map(isKept) ?? false {
          keptRows += 1
          continue
        }
        let row = batch.rows[cursor.index]
        if isOfPostbacks, let found { keys.add(found) }
        add(at: start + Int64(row.bytes.indices.lowerBound), Int64(row.bytes.count) + lineEnd)
        if hasLines, let line = row.line { add(line, of: part.number) }
      }
    }
  }

  private mutating func add(at offset: Int64, _ byteCount: Int64) {
    if let last = changes.last, last.offset + last.byteCount == offset {
      changes[changes.count - 1].byteCount += byteCount
      changes[changes.count - 1].rows += 1
    } else {
      changes.append(PartChange(offset: offset, byteCount: byteCount, rows: 1))
    }
  }

  private mutating func add(_ line: Int, of part: Int) {
    if let last = lines.last, last.first + last.count == line {
      lines[lines.count - 1] = TableRemoval.Lines(part: part, first: last.first, count: last.count + 1)
    } else {
      lines.append(TableRemoval.Lines(part: part, first: line, count: 1))
    }
  }
}
