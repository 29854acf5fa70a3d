internal import Base
internal import JSON
package import PostbackPipeline
internal import PostbackVerification
internal import SKAdNetwork
package import TableReading
internal import Tables
package import Tampering

/// Rejects that carry the signature of an accepted postback of another transaction.
///
/// Signatures are compared by their r, which Apple draws for each postback: other encodings of a signature are found too, and its
/// counterpart with n − s. A reject with the signature of its own transaction is an edited copy, and no theft.
///
/// Reads the rejects, then the accepted postbacks, and then the stolen ones among the rejects. Memory is bounded by the rejects:
/// about 32 bytes for each, of at most `mostRejects`.
package struct StolenSignatures: Sendable {
  /// The stolen signatures that one sender sent.
  package struct Group: Sendable {
    /// The sender.
    package let origin: CopyOrigin
    package fileprivate(set) var rejects = RowTally()
    /// The number of accepted postbacks whose signatures they carry.
    package var owners: Int { signatures.count }
    fileprivate var signatures: Set<SignatureR> = []

    fileprivate mutating func merge(_ other: Group) {
      rejects += other.rejects
      signatures.formUnion(other.signatures)
    }
  }

  /// A reject, and the accepted postback to which its signature belongs.
  package struct Theft: Sendable {
    /// The `raw_sha256` of the reject.
    package let digest: String
    /// The sender of the reject.
    package let origin: CopyOrigin
    /// The transaction that the reject names.
    package let transactionID: String
    /// The time of receipt of the reject.
    package let receivedAt: String?
    /// The input and the line of the reject.
    package let source: (file: String, line: Int64)?
    /// The accepted postback.
    package let owner: SignatureOwner
  }

  /// The number of rejects that were compared.
  package private(set) var compared = 0
  /// The number of rejects with a stolen signature.
  package private(set) var rejects = 0
  /// The number of accepted postbacks whose signatures they carry.
  package private(set) var owners = 0
  /// The number of rejects with the signature of the accepted postback of their own transaction.
  package private(set) var editedCopies = 0
  /// The senders, the one with the most rejects first.
  package private(set) var groups: [Group] = []
  /// The first rejects, in the order of the tables.
  package private(set) var thefts: [Theft] = []
  /// The number of accepted postbacks whose rows have no signature, because an earlier version wrote them.
  package private(set) var untestedOwners = 0
  /// Indicates that all rejects were compared. It is false if there are more than `mostRejects`.
  package private(set) var isComplete = true

  /// The number of rejects that are compared.
  package static let mostRejects = 4_000_000
  /// The number of rejects whose details can be shown.
  package static let mostThefts = 20_000
  /// The number of senders that are told apart.
  private static let mostGroups = 10_000

  /// A reject with the r of its signature, and a hash of its transaction, which is nil if it names none.
  private struct Sighting: Sendable {
    let r: SignatureR
    let row: Int
    let transaction: Int?
  }

  /// Finds the stolen signatures of the rejects that match a query. Keeps the first `limit` of them.
  package init(
    _ query: RejectQuery,
    rejects: TableFiles,
    accepted: TableFiles,
    limit: Int,
    jobs: Int
  ) async throws(PipelineFailure) {
    let rows = RejectedSignatures(query)
    var sightings: [Sighting] = []
    var before = 0
    func rowsBefore(_ batch: RawBatch) -> Int {
      defer { before += batch.records.count }
      return before
    }
    try await rejects.scan(jobs: jobs, beside: rowsBefore) { batch, before in
      rows.sightings(in: batch) { Sighting(r: $0, row: before + $1, transaction: $2) }
    } take: { found in
      compared += found.count
      let room = Self.mostRejects - sightings.count
      if found.count > room { isComplete = false }
      sightings += found.prefix(room)
    }

    let reader = SignatureOwners(of: SignatureSet(sightings.lazy.map(\.r)))
    var known: [SignatureR: (transaction: Int, owner: SignatureOwner?)] = [:]
    try await accepted.scan(jobs: jobs) { batch in
      reader.find(in: batch)
    } take: { found, withoutColumn in
      untestedOwners += withoutColumn
      for postback in found where known[postback.r] == nil {
        let transaction = RejectedSignatures.hash(Array(postback.owner.transactionID.utf8).span)
        known[postback.r] = (transaction, known.count < Self.mostThefts ? postback.owner : nil)
      }
    }

    var stolen: [StolenSignature] = []
    for sighting in sightings {
      guard let owner = known[sighting.r] else { continue }
      if let transaction = sighting.transaction, transaction != owner.transaction {
        // A text with several readings is one reject.
        if stolen.last?.row != sighting.row { stolen.append(StolenSignature(row: sighting.row, r: sighting.r)) }
      } else {
        editedCopies += 1
      }
    }
    sightings = []
    self.rejects = stolen.count
    self.owners = Set(stolen.map(\.r)).count
    guard !stolen.isEmpty else { return }
    let shown = stolen.indices.lazy.filter { known[stolen[$0].r]?.owner != nil }.prefix(min(limit, Self.mostThefts))
    let lastShown = Array(shown).last ?? -1
    let (found, owners) = (stolen, known)
    var groups: [CopyOrigin: Group] = [:]
    before = 0
    try await rejects.scan(jobs: jobs, beside: rowsBefore) { batch, before in
      let end = before + batch.records.count
      let places = found.partitioningIndex { $0.row >= before }..<found.partitioningIndex { $0.row >= end }
      return rows.thefts(in: batch, from: before, found[places]) { place in
        place > lastShown ? nil : owners[found[place].r]?.owner
      }
    } take: { part in
      for group in part.groups {
        // One without a name stands for all that are not told apart.
        let isFull = groups[group.origin] == nil && groups.count == Self.mostGroups
        let origin = isFull ? CopyOrigin(channel: nil, forwarder: nil) : group.origin
        groups[origin, default: Group(origin: origin)].merge(group)
      }
      thefts += part.thefts
    }
    self.groups = groups.values.sorted { one, other in
      (other.rejects.count, one.origin.forwarder ?? "", one.origin.channel ?? "")
        < (one.rejects.count, other.origin.forwarder ?? "", other.origin.channel ?? "")
    }
  }
}

/// A reject with the signature of an accepted postback of another transaction, by the number of its row.
private struct StolenSignature: Sendable {
  let row: Int
  let r: SignatureR
}

/// A reader of the signatures of rejects.
private struct RejectedSignatures: Sendable {
  /// The stolen signatures of a batch.
  struct Part: Sendable {
    /// The senders, in the order in which they come first.
    var groups: [StolenSignatures.Group] = []
    /// The rejects that are shown.
    var thefts: [StolenSignatures.Theft] = []
  }

  private let filter: RowFilter
  private let columns = RejectColumns()

  init(_ query: RejectQuery) { filter = RowFilter(query.conditions, during: query.span, in: .rejects) }

  /// Returns the results of `make` for the signatures of the rejects that match: with the r, the place of the row in the batch, and
  /// the hash of the transaction.
  func sightings<Sighting>(in batch: RawBatch, _ make: (SignatureR, Int, Int?) -> Sighting) -> [Sighting] {
    var found: [Sighting] = []
    found.reserveCapacity(batch.records.count)
    var scan = SignatureScan()
    var row = RowCursor(batch, of: .rejects)
    while row.next() {
      guard filter.matches(row), row.text(columns.code).flatMap(RejectCode.init)?.isDiagnosable == true else {
        continue
      }
      let values: [SignatureR]
      if let cell = row.cell(columns.body) {
        values = scan.values(in: row.bytes.span.extracting(cell.indices))
      } else {
        values = row.rawBody(columns.body, base64: columns.bodyBase64).map { scan.values(in: $0.span) } ?? []
      }
      guard !values.isEmpty else { continue }
      let hash = row.cell(columns.transactionID).map { Self.hash(row.bytes.span.extracting($0.indices)) }
      for r in values { found.append(make(r, row.index, hash)) }
    }
    return found
  }

  /// Returns a hash of a transaction id, in which letter case and white space do not count, because those are edits.
  static func hash(_ id: Span<UInt8>) -> Int {
    var hasher = Hasher()
    for index in id.indices where id[index] > 0x20 { hasher.combine(id[index].asciiLowercased) }
    return hasher.finalize()
  }

  /// Returns the stolen signatures of a batch whose first row has the number `start`. `owner` returns the owner of one of them, by its
  /// place; nil if it is not shown.
  func thefts(
    in batch: RawBatch,
    from start: Int,
    _ stolen: ArraySlice<StolenSignature>,
    owner: (Int) -> SignatureOwner?
  ) -> Part {
    var part = Part()
    guard !stolen.isEmpty else { return part }
    var places: [CopyOrigin: Int] = [:]
    let wanted = [
      columns.transactionID, columns.digest, columns.channel, columns.forwarder, columns.receivedAt, columns.file,
      columns.line,
    ]
    var row = RowCursor(batch.keeping(stolen.map { $0.row - start }), of: .rejects, only: wanted)
    for index in stolen.indices where row.next() {
      let origin = CopyOrigin(channel: row.text(columns.channel), forwarder: row.text(columns.forwarder))
      let place = places[origin] ?? part.groups.count
      if place == part.groups.count {
        places[origin] = place
        part.groups.append(StolenSignatures.Group(origin: origin))
      }
      part.groups[place].rejects.add(at: row.time(columns.receivedAt))
      part.groups[place].signatures.insert(stolen[index].r)
      guard let owner = owner(index) else { continue }
      part.thefts.append(
        StolenSignatures.Theft(
          digest: row.text(columns.digest) ?? "",
          origin: origin,
          transactionID: row.text(columns.transactionID) ?? "",
          receivedAt: row.text(columns.receivedAt),
          source: row.text(columns.file).flatMap { file in row.integer(columns.line).map { (file, $0) } },
          owner: owner
        )
      )
    }
    return part
  }
}
