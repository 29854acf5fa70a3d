internal import DurableFiles
package import Ledger
internal import JSON
internal import Signatures

/// The removal of single rows on a person's request, from parts whose other rows stay. Text in these that names the person is
/// masked, which changes neither the length of a row nor any other column.
///
/// Each part with such rows is written anew beside the old one, and made durable. Then the ledger commits the new lengths
/// and what was removed. After that the new files take the places of the old ones in one step each; after a crash
/// `TableRetention.finish` does it.
package struct TableRewriting {
  /// The number of removed rows by the name of the table.
  package private(set) var rows: [String: Int64] = [:]
  /// The number of masked rows by the name of the table.
  package private(set) var masked: [String: Int64] = [:]
  /// The rows of others that name the person where nothing can be masked, such as in a field that Apple signs: each as the
  /// path of its part and the number of its line.
  package private(set) var kept: [String] = []
  /// The paths of parts that were moved away or deleted by somebody else.
  package private(set) var missing: [String] = []

  private let output: String
  private let isCSVSafe: Bool

  /// Finds the accepted postbacks that a request covers, and adds their keys to it, and the transactions of those that came
  /// from its addresses.
  package static func find(_ request: inout RemovalRequest, in output: String, _ ledger: Ledger) throws {
    let rewriting = TableRewriting(output, isCSVSafe: try ledger.isCSVSafe())
    var transactions: Set<String> = []
    for part in try ledger.parts() where part.table == Table.postbacks.name {
      guard try rewriting.exists(part) else { continue }
      for row in try rewriting.rows(of: part, .postbacks, covered: .request(request)) {
        guard case .removed = row.change, let key = row.removal.key else { continue }
        request.keys.insert(key)
        if let id = row.transactionID { transactions.insert(id) }
      }
    }
    for id in transactions { request.add(transactionID: id) }
  }

  private init(_ output: String, isCSVSafe: Bool) { (self.output, self.isCSVSafe) = (output, isCSVSafe) }

  /// Removes the rows that a request covers, whose keys were found, from all tables. `now` is the time of the commit in
  /// milliseconds since 1970.
  package init(
    _ request: RemovalRequest,
    in folder: OutputFolder,
    _ ledger: Ledger,
    now: Int64
  ) throws {
    self.init(folder.path, isCSVSafe: try ledger.isCSVSafe())
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
      // A removal of which nothing but masked rows is known is a generation too: who has read them reads them again.
      if commit.parts.contains(where: { $0.table == table.name }) { commit.removals.append(removal) }
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
  ) throws {
    var ordinals: Set<Int>?
    for var part in formats where part.rows > 0 {
      guard try exists(part) else {
        missing.append("\(output)/\(part.folder)/\(part.name)")
        continue
      }
      let found = try rows(
        of: part,
        table,
        covered: ordinals.map { Covered.ordinals($0, request) } ?? .request(request)
      )
      let removed = found.filter { $0.change == .removed }
      let changed = found.filter { $0.change != .kept }
      if ordinals == nil {
        rows[table.name, default: 0] += Int64(removed.count)
        masked[table.name, default: 0] += Int64(changed.count - removed.count)
      }
      kept += found.filter { $0.change == .kept }
        .map { row in
          let before = removed.count { $0.ordinal < row.ordinal }
          return "\(output)/\(part.folder)/\(part.name):\((row.line ?? row.ordinal + 1) - before)"
        }
      ordinals = Set(removed.map(\.ordinal))
      guard !changed.isEmpty else { continue }
      try part.rewrite(changed.map(\.bytes), in: output)
      commit.parts.append(part)
      removal.rows += removed.map(\.removal)
      removal.masked += changed.filter { $0.change != .removed }.map(\.removal)
      removal.digests += changed.compactMap(\.digests)
      if table.name == Table.rejects.name, part.format == .jsonLines {
        removal.rejectedLines += removed.compactMap { row in
          row.line.map { TableRemoval.Lines(part: part.number, first: $0, count: 1) }
        }
      }
    }
  }

  /// A row that a request is about.
  private struct Row {
    enum Change: Equatable {
      case removed
      /// The row becomes these bytes, as many as before.
      case masked([UInt8])
      /// The row is another's and names the person, but cannot be masked.
      case kept
    }

    let change: Change
    let removal: TableRemoval.Row
    let transactionID: String?
    /// The digest of a reject's bytes before and after they were masked; nil if it has not changed.
    var digests: TableRemoval.Digests?
    /// The number of rows of the part before it.
    let ordinal: Int
    let line: Int?

    /// The change to the bytes of the part.
    var bytes: PartChange {
      guard case .masked(let line) = change else {
        return PartChange(offset: removal.offset, byteCount: removal.byteCount, rows: 1)
      }
      return PartChange(offset: removal.offset, byteCount: Int64(line.count), replacement: line)
    }
  }

  /// The rows that are to be removed or masked.
  private enum Covered {
    case request(RemovalRequest)
    /// Those at these places are removed; others may have to be masked.
    case ordinals(Set<Int>, RemovalRequest)
  }

  private func rows(of part: LedgerPart, _ table: Table, covered: Covered) throws -> [Row] {
    var reader = try PartReader(part, of: table, in: output, from: 0, isCSVSafe: isCSVSafe)
    let places = RemovalRequest.Places(table)
    var masking = try RowMasking(table)
    var hash = try SHA256()
    var found: [Row] = []
    var before = 0
    let lineEnd = part.format == .csv ? 2 : 1
    while let (batch, start) = try reader.next(upTo: part.length) {
      var cursor = RowCursor(batch, of: table)
      while cursor.next() {
        let ordinal = before + cursor.index
        let coverage: RemovalRequest.Coverage =
          switch covered {
          case .request(let request): request.coverage(of: cursor, places)
          case .ordinals(let ordinals, let request):
            ordinals.contains(ordinal)
              ? .own : request.mentions.masked(cursor.line).map { .mention(masked: $0) } ?? .nothing
          }
        let row = batch.rows[cursor.index]
        var (change, digests): (Row.Change, TableRemoval.Digests?) = (.removed, nil)
        switch coverage {
        case .nothing: continue
        case .own: break
        case .mention(let masked):
          (change, digests) =
            try masking.result(cursor, masked, in: batch).map { (.masked($0.line), $0.digests) } ?? (.kept, nil)
        }
        let id = places.transaction.flatMap { cursor.text($0) }
        let transaction = try id.map { id throws(LibcryptoFailure) in try ForgottenIDs.digest(of: id.utf8, &hash) }
        let removal = TableRemoval.Row(
          format: part.format,
          part: part.number,
          offset: start + Int64(row.bytes.indices.lowerBound),
          byteCount: change == .removed ? Int64(row.bytes.indices.count + lineEnd) : 0,
          key: table.name == Table.rejects.name ? nil : places.key.flatMap { cursor.key($0) },
          source: TableRemoval.Source(cursor, of: table),
          transaction: change == .removed && table.name == Table.postbacks.name ? transaction : nil
        )
        found.append(
          Row(
            change: change,
            removal: removal,
            transactionID: id,
            digests: digests,
            ordinal: ordinal,
            line: row.line
          )
        )
      }
      before += batch.rows.count
    }
    return found
  }

  private func exists(_ part: LedgerPart) throws(FileFailure) -> Bool {
    let folder = DurableFolder("\(output)/\(part.folder)")
    for name in [part.hiddenName, part.name] where try folder.byteCount(of: name) != nil { return true }
    return false
  }
}

extension TableRemoval.Source {
  /// Reads the identity of the record in a row of `skan_rejects`; nil for rows of other tables.
  package init?(_ row: borrowing RowCursor, of table: Table) {
    guard table.name == Table.rejects.name, let digest = row.text(table.place(.rawSHA256)) else { return nil }
    self.init(
      file: row.text(table.place(.sourceFile)),
      line: row.integer(table.place(.sourceLine)),
      sha256: digest
    )
  }
}
