package import DurableFiles
package import Ledger
internal import JSON
internal import PostbackVerification

/// The removal of single rows on a person's request, from parts whose other rows stay.
///
/// Each part with such rows is written anew beside the old one, and made durable. Then the ledger commits the new lengths
/// and what was removed. After that the new files take the places of the old ones in one step each; after a crash
/// `TableRetention.finish` does it.
package struct TableRewriting {
  /// The number of removed rows by the name of the table.
  package private(set) var rows: [String: Int64] = [:]
  /// The paths of parts that were moved away or deleted by somebody else.
  package private(set) var missing: [String] = []

  private let output: String

  /// Finds the keys of the accepted postbacks that a request covers, and adds them to it.
  package static func find(_ request: inout RemovalRequest, in output: String, _ ledger: Ledger) throws(FileFailure) {
    let rewriting = TableRewriting(output)
    for part in try ledger.parts() where part.table == Table.postbacks.name {
      guard try rewriting.exists(part) else { continue }
      for row in try rewriting.rows(of: part, .postbacks, covered: .request(request)) {
        if let key = row.removal.key { request.keys.insert(key) }
      }
    }
  }

  private init(_ output: String) { self.output = output }

  /// Removes the rows that a request covers, whose keys were found, from all tables. `now` is the time of the commit in
  /// milliseconds since 1970.
  package init(
    _ request: RemovalRequest,
    in folder: OutputFolder,
    _ ledger: Ledger,
    now: Int64
  ) throws(FileFailure) {
    self.init(folder.path)
    try TableRetention.finish(in: output, ledger)
    var commit = LedgerCommit(time: now)
    let parts = try ledger.parts()
    for table in Table.all {
      var removal = TableRemoval(table: table.name, reason: .request)
      let numbers = Dictionary(grouping: parts.filter { $0.table == table.name }, by: \.number)
      for (_, formats) in numbers.sorted(by: { $0.key < $1.key }) {
        // All formats have the same rows, and JSON is read exactly as it was written.
        let formats = formats.sorted { $0.format == .jsonLines && $1.format != .jsonLines }
        try remove(request, from: formats, of: table, &removal, &commit)
      }
      if !removal.rows.isEmpty { commit.removals.append(removal) }
    }
    guard !commit.removals.isEmpty else { return }
    try ledger.commit(commit)
    try TableRetention.finish(in: output, ledger)
  }

  private mutating func remove(
    _ request: RemovalRequest,
    from formats: [LedgerPart],
    of table: Table,
    _ removal: inout TableRemoval,
    _ commit: inout LedgerCommit
  ) throws(FileFailure) {
    var ordinals: Set<Int>?
    for var part in formats where part.rows > 0 {
      guard try exists(part) else {
        missing.append("\(output)/\(part.folder)/\(part.name)")
        continue
      }
      let found = try rows(of: part, table, covered: ordinals.map { Covered.ordinals($0) } ?? Covered.request(request))
      if ordinals == nil { rows[table.name, default: 0] += Int64(found.count) }
      ordinals = Set(found.map(\.ordinal))
      guard !found.isEmpty else { return }
      try write(&part, without: found.map(\.removal))
      commit.parts.append(part)
      removal.rows += found.map(\.removal)
      if table.name == Table.rejects.name, part.format == .jsonLines {
        removal.rejectedLines += found.compactMap { row in
          row.line.map { TableRemoval.Lines(part: part.number, first: $0, count: 1) }
        }
      }
    }
  }

  /// A row that is to be removed.
  private struct Row {
    let removal: TableRemoval.Row
    /// The number of rows of the part before it.
    let ordinal: Int
    let line: Int?
  }

  /// The rows that are to be removed.
  private enum Covered {
    case request(RemovalRequest)
    case ordinals(Set<Int>)
  }

  private func rows(of part: LedgerPart, _ table: Table, covered: Covered) throws(FileFailure) -> [Row] {
    var reader = try PartReader(part, of: table, in: output, from: 0)
    let places = RemovalRequest.Places(table)
    var found: [Row] = []
    var (offset, before): (Int64, Int) = (0, 0)
    while offset < part.length {
      let (batch, end) = try reader.batch(from: offset, to: part.length, byteCount: 1 << 20)
      // Behind the rows is the offset `end`; the last one has its line end before it.
      let last = batch.rows.last.map { $0.bytes.indices.upperBound } ?? 0
      let lineEnd = part.format == .csv ? 2 : 1
      let start = end - Int64(last + (batch.rows.isEmpty ? 0 : lineEnd))
      var cursor = RowCursor(batch, of: table)
      while cursor.next() {
        let ordinal = before + cursor.index
        let isCovered =
          switch covered {
          case .request(let request): request.covers(cursor, of: table, places)
          case .ordinals(let ordinals): ordinals.contains(ordinal)
          }
        guard isCovered else { continue }
        let row = batch.rows[cursor.index]
        let removal = TableRemoval.Row(
          format: part.format,
          part: part.number,
          offset: start + Int64(row.bytes.indices.lowerBound),
          byteCount: Int64(row.bytes.indices.count + lineEnd),
          key: table.name == Table.rejects.name ? nil : places.key.flatMap { cursor.key($0) }
        )
        found.append(Row(removal: removal, ordinal: ordinal, line: row.line))
      }
      before += batch.rows.count
      offset = end
    }
    return found
  }

  /// Writes the committed bytes of a part without some rows to a new file, durably, and changes the part accordingly.
  private func write(_ part: inout LedgerPart, without removed: [TableRemoval.Row]) throws(FileFailure) {
    let folder = DurableFolder("\(output)/\(part.folder)")
    let isHidden = try folder.byteCount(of: part.hiddenName) != nil
    let old = try DurableFile("\(folder.path)/\(isHidden ? part.hiddenName : part.name)", .reading)
    try PartFile.verify(old, part)
    let new = try DurableFile("\(folder.path)/\(part.rewrittenName)", .creating)
    var checksum = CRC32()
    var length: Int64 = 0
    func copy(_ start: Int64, _ end: Int64) throws(FileFailure) {
      var start = start
      while start < end {
        var bytes = [UInt8](repeating: 0, count: Int(min(end - start, Int64(DurableFile.chunk))))
        guard try old.read(into: &bytes, at: start) == bytes.count else {
          throw .damaged(old.path, "The file ends before its \(part.length) committed bytes")
        }
        try new.append(bytes.span)
        checksum.update(bytes.span)
        length += Int64(bytes.count)
        start += Int64(bytes.count)
      }
    }
    var start: Int64 = 0
    for row in removed {
      try copy(start, row.offset)
      start = row.offset + row.byteCount
    }
    try copy(start, part.length)
    try new.synchronize()
    try folder.synchronize()
    (part.checksum, part.length, part.isRewritten) = (checksum.value, length, true)
    part.rows -= Int64(removed.count)
  }

  private func exists(_ part: LedgerPart) throws(FileFailure) -> Bool {
    let folder = DurableFolder("\(output)/\(part.folder)")
    for name in [part.hiddenName, part.name] where try folder.byteCount(of: name) != nil { return true }
    return false
  }
}
