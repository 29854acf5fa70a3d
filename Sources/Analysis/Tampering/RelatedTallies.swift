internal import PostbackPipeline
internal import SKAdNetwork
internal import TableReading
internal import Tables
internal import Tampering

/// Counts of postbacks by signature and by transaction. Each tally also records if all contents, and all transactions,
/// are the same.
struct RelatedTallies {
  /// The hashes of a postback's signature, transaction and content, as far as it has them.
  struct Sighting: Sendable {
    let signature: Int?
    let transaction: Int?
    let content: Int

    init(_ postback: RelatedPostback) {
      signature = postback.signature
      transaction = postback.transaction
      content = postback.content
    }
  }

  private struct Tally {
    let first: Sighting
    /// The position in the order of first sightings. Of equally frequent groups, the one that was seen first comes
    /// first.
    let order: Int
    var count = 0
    var isOfOneContent = true
    var isOfOneTransaction = true

    mutating func add(_ sighting: Sighting) {
      count += 1
      isOfOneContent = isOfOneContent && sighting.content == first.content
      isOfOneTransaction = isOfOneTransaction && sighting.transaction == first.transaction
    }
  }

  /// Tallies by the hash of a signature or of a transaction; at most `mostTallies` of them.
  private struct Index {
    private(set) var tallies: [Int: Tally] = [:]
    private(set) var isFull = false

    private static let mostTallies = 500_000

    mutating func add(_ sighting: Sighting, _ key: Int?) {
      guard let key else { return }
      if tallies[key] != nil || tallies.count < Self.mostTallies {
        let order = tallies.count
        tallies[key, default: Tally(first: sighting, order: order)].add(sighting)
      } else {
        isFull = true
      }
    }
  }

  private var bySignature = Index()
  private var byTransaction = Index()

  mutating func add(_ sightings: [Sighting]) {
    for sighting in sightings {
      bySignature.add(sighting, sighting.signature)
      byTransaction.add(sighting, sighting.transaction)
    }
  }

  /// The hashes of the transactions that were seen.
  var transactions: Set<Int> { Set(byTransaction.tallies.keys) }

  /// True if no signature and no transaction was left out because there were too many.
  var isComplete: Bool { !bySignature.isFull && !byTransaction.isFull }

  private func groups(_ bond: RelatedRejects.Bond) -> [Int: Tally] {
    switch bond {
    case .signature: bySignature.tallies.filter { !$0.value.isOfOneTransaction }
    case .transaction: byTransaction.tallies.filter { !$0.value.isOfOneContent }
    }
  }

  /// The number of groups by signature, and by transaction.
  var counts: [RelatedRejects.Bond: Int] {
    Dictionary(uniqueKeysWithValues: RelatedRejects.Bond.allCases.map { ($0, groups($0).count) })
  }

  /// The groups with the most postbacks, by signature and then by transaction, at most `limit` of each.
  func largest(_ limit: Int) -> [(bond: RelatedRejects.Bond, key: Int)] {
    RelatedRejects.Bond.allCases.flatMap { bond in
      groups(bond).sorted { ($1.value.count, $0.value.order) < ($0.value.count, $1.value.order) }.prefix(limit).map {
        (bond, $0.key)
      }
    }
  }
}

/// A reader of postbacks from rows of both tables.
struct RelatedRows: Sendable {
  private let filter: RowFilter
  private let rejects = RejectColumns()
  private let postbacks = PostbackColumns()

  private let fields = AcceptedFields()

  /// Creates a reader of the rejects that match `query`, and of all accepted postbacks.
  init(_ query: RejectQuery) { filter = RowFilter(query.conditions, during: query.span, in: .rejects) }

  /// Returns the results of `make`, without nil, for the rejects that match and can be read as a postback.
  func rejects<Part>(in batch: RawBatch, _ make: (RelatedPostback, borrowing RowCursor) -> Part?) -> [Part] {
    var parts: [Part] = []
    var row = RowCursor(batch, of: .rejects)
    while row.next() {
      guard filter.matches(row),
        let postback = RelatedPostback(record: row.rawBody(rejects.body, base64: rejects.bodyBase64) ?? [])
      else { continue }
      if let part = make(postback, row) { parts.append(part) }
    }
    return parts
  }

  /// Returns the results of `make`, without nil, for all accepted postbacks with a known framework.
  func accepted<Part>(in batch: RawBatch, _ make: (RelatedPostback, borrowing RowCursor) -> Part?) -> [Part] {
    var parts: [Part] = []
    var row = RowCursor(batch, of: .postbacks)
    while row.next() {
      guard let framework = fields.framework(row) else { continue }
      let postback = RelatedPostback(accepted: framework, fields.values(row, of: framework))
      if let part = make(postback, row) { parts.append(part) }
    }
    return parts
  }

  func rejectedMember(_ row: borrowing RowCursor, _ values: [Field: [UInt8]]) -> RelatedRejects.Member {
    RelatedRejects.Member(
      code: row.text(rejects.code) ?? "",
      key: row.text(rejects.digest) ?? "",
      origin: CopyOrigin(channel: row.text(rejects.channel), forwarder: row.text(rejects.forwarder)),
      receivedAt: row.text(rejects.receivedAt),
      values: values
    )
  }

  func acceptedMember(_ row: borrowing RowCursor, _ values: [Field: [UInt8]]) -> RelatedRejects.Member {
    RelatedRejects.Member(
      code: nil,
      key: row.text(postbacks.key) ?? "",
      origin: CopyOrigin(channel: row.text(postbacks.channel), forwarder: row.text(postbacks.forwarder)),
      receivedAt: row.text(postbacks.receivedAt),
      values: values
    )
  }
}
