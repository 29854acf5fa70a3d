internal import Base
internal import JSON
internal import PostbackPipeline
internal import PostbackVerification
internal import TableReading
internal import Tables
internal import Tampering

/// A set of the r of signatures, sorted to be searched.
struct SignatureSet: Sendable {
  private let bits: [UInt64]

  init(_ signatures: some Sequence<SignatureR>) {
    var bits: [UInt64] = []
    for r in signatures.map(\.bits).sorted() where r != bits.last { bits.append(r) }
    self.bits = bits
  }

  var isEmpty: Bool { bits.isEmpty }

  func contains(_ r: SignatureR) -> Bool {
    let place = bits.partitioningIndex { $0 >= r.bits }
    return place < bits.count && bits[place] == r.bits
  }
}

/// A reader of the accepted postbacks to which signatures belong, from rows of skan_postbacks.
///
/// A row is parsed only if it seems to have one of the wanted signatures: the bytes of the row are searched for the column.
struct SignatureOwners: Sendable {
  /// A postback with the r of its signature.
  struct Found: Sendable {
    let r: SignatureR
    let owner: SignatureOwner
  }

  private static let columnKey = BytePattern("\"\(ColumnName.signatureR.rawValue)\":\"")

  private let wanted: SignatureSet
  private let columns = PostbackColumns()

  /// Makes a reader of the postbacks with these signatures.
  init(of wanted: SignatureSet) { self.wanted = wanted }

  /// Returns the postbacks of a batch with a wanted signature, and the number of rows without the column.
  func find(in batch: RawBatch) -> (found: [Found], withoutColumn: Int) {
    guard !wanted.isEmpty else { return ([], 0) }
    var places: [Int] = []
    var withoutColumn = 0
    for (place, record) in batch.records.enumerated() {
      let row = batch.bytes.span.extracting(record.bytes.indices)
      guard let start = Self.columnKey.position(in: row).map({ $0 + Self.columnKey.count }),
        start + SignatureR.length <= row.count,
        let r = SignatureR(written: row.extracting(start..<start + SignatureR.length))
      else {
        withoutColumn += 1
        continue
      }
      if wanted.contains(r) { places.append(place) }
    }
    guard !places.isEmpty else { return ([], withoutColumn) }
    var found: [Found] = []
    var row = RowCursor(batch.keeping(places), of: .postbacks)
    while row.next() {
      guard let cell = row.cell(columns.signatureR),
        let r = SignatureR(written: row.bytes.span.extracting(cell.indices)),
        wanted.contains(r), let owner = owner(row)
      else { continue }
      found.append(Found(r: r, owner: owner))
    }
    return (found, withoutColumn)
  }

  private func owner(_ row: borrowing RowCursor) -> SignatureOwner? {
    guard let id = row.text(columns.transactionID) else { return nil }
    var owner = SignatureOwner(transactionID: id)
    owner.postbackKey = row.text(columns.key)
    owner.adNetworkID = row.text(columns.adNetworkID)
    owner.appID = row.text(columns.appID)
    owner.channel = row.text(columns.channel)
    owner.forwarder = row.text(columns.forwarder)
    owner.receivedAt = row.text(columns.receivedAt)
    owner.sourceFile = row.text(columns.file)
    owner.sourceLine = row.integer(columns.line)
    return owner
  }
}
