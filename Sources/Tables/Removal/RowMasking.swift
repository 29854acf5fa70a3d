internal import Base
internal import JSON
internal import Ledger
internal import Signatures

/// The check of rows in which a person's ids were masked: only columns with text that nobody signed may have changed.
struct RowMasking: ~Copyable {
  private let table: Table
  private var hash: SHA256
  private let columns: UnmaskedColumns

  init(_ table: Table) throws(LibcryptoFailure) {
    self.table = table
    hash = try SHA256()
    columns = UnmaskedColumns(table)
  }

  /// Returns a masked row with the digest of its bytes made anew; nil if the row would have another meaning.
  mutating func result(
    _ row: borrowing RowCursor,
    _ masked: [UInt8],
    in batch: RowBatch
  ) throws(LibcryptoFailure) -> (line: [UInt8], digests: TableRemoval.Digests?)? {
    var (line, digests): ([UInt8], TableRemoval.Digests?) = (masked, nil)
    guard line.count == row.line.count, let before = raw(row) else {
      return columns.areSame(row, line, in: batch) ? (line, nil) : nil
    }
    var after: [UInt8]?
    columns.read(line, in: batch) { after = raw($0) }
    guard let after else { return nil }
    if after != before {
      let pair = TableRemoval.Digests(old: try hash.digest(of: before.span), new: try hash.digest(of: after.span))
      let (old, new) = (Self.hexadecimal(pair.old), Self.hexadecimal(pair.new))
      if let start = line.indices.first(where: { line[$0...].starts(with: old) }) {
        line.replaceSubrange(start..<start + old.count, with: new)
        digests = pair
      }
    }
    return columns.areSame(row, line, in: batch) ? (line, digests) : nil
  }

  private static func hexadecimal(_ digest: SHA256Digest) -> [UInt8] {
    let bytes = digest.bytes
    var text: [UInt8] = []
    text.append(addingCapacity: 64) { $0.append(hexadecimal: bytes.span) }
    return text
  }

  /// The bytes of a reject; nil for other tables.
  private func raw(_ row: borrowing RowCursor) -> [UInt8]? {
    guard table.name == Table.rejects.name else { return nil }
    return row.rawBody(table.place(.rawBody), base64: table.place(.rawBodyBase64))
  }
}

/// The columns of a table that have the same values before and after a person's ids in its rows were masked.
struct UnmaskedColumns: Sendable {
  private let table: Table
  private let places: [Int]

  /// The columns with text that nobody signed.
  private static let texts: Set<ColumnName> = [
    .extras, .query, .forwarder, .remoteAddress, .rawBody, .rawBodyBase64, .rawSHA256, .rejectDetail, .field, .expected,
    .found, .conflictingFields,
  ]
  /// The further ones of rejects, whose ids nobody has checked.
  private static let claims: Set<ColumnName> = [.adNetworkID, .appID, .version]

  init(_ table: Table) {
    self.table = table
    let free = table.name == Table.rejects.name ? Self.texts.union(Self.claims) : Self.texts
    places = table.columns.indices.filter { !free.contains(table.columns[$0].name) }
  }

  /// Tells if the bytes of a row, such as one of a batch, have the values of another row in these columns.
  func areSame(_ row: borrowing RowCursor, _ line: [UInt8], in batch: RowBatch) -> Bool {
    let values = places.map { row.text($0) }
    var isSame = false
    read(line, in: batch) { changed in isSame = zip(places, values).allSatisfy { changed.text($0) == $1 } }
    return isSame
  }

  /// Calls `body` with a row that is read again; does not if it is none any more.
  func read(_ line: [UInt8], in batch: RowBatch, _ body: (borrowing RowCursor) -> Void) {
    var cursor = RowCursor(
      RowBatch(
        batch.format,
        line + [UInt8](repeating: 0, count: RowBatch.padding),
        [RowBatch.Row(bytes: ByteRange(start: 0, count: line.count), line: nil)],
        of: [(path: table.name, rowCount: 1)],
        csvColumns: batch.csvColumns,
        isCSVSafe: batch.isCSVSafe
      ),
      of: table
    )
    if cursor.next() { body(cursor) }
  }
}
