package import Base
internal import JSON
package import PostbackVerification

/// The postbacks that a person's request covers: those of a transaction, and those that came from a network address.
///
/// A record or row is the person's if its own transaction is one of these, or if it was sent from one of the addresses. Text
/// of another postback that names one of them is masked, and never a reason to remove it. A record in which no transaction
/// can be read belongs to nobody else, and is the person's if it names one of them.
package struct RemovalRequest: Sendable {
  /// The extent to which a record or a row is covered.
  package enum Coverage: Equatable, Sendable {
    /// It has nothing of the person.
    case nothing
    /// It is another's, and its text names the person's ids or addresses. The same bytes with these masked.
    case mention(masked: [UInt8])
    /// It is the person's.
    case own
  }

  /// A postback that was sent from one of the addresses.
  private struct Arrival: Hashable {
    let transactionID: String
    /// The time of receipt in milliseconds since 1970.
    let receivedAt: Int64
  }

  /// The ids of transactions, in lower case.
  package private(set) var transactionIDs: Set<String> = []
  /// The keys of the accepted postbacks that were found.
  package internal(set) var keys: Set<PostbackKey> = []
  private var addresses = MentionSearch()
  private(set) var mentions = MentionSearch()
  private var arrivals: Set<Arrival> = []

  /// Indicates that the request has addresses, so that the records of a spool say which rows came from them.
  package let hasAddresses: Bool

  /// Indicates that the request names neither a transaction nor an address.
  package var isEmpty: Bool { transactionIDs.isEmpty && !hasAddresses }

  /// Makes a request for transactions and addresses; letter case does not matter.
  package init(transactionIDs: [String], addresses: [String]) {
    hasAddresses = !addresses.isEmpty
    for address in addresses {
      self.addresses.add(address: address)
      mentions.add(address: address)
    }
    for id in transactionIDs { add(transactionID: id) }
  }

  /// Adds a transaction of the person.
  package mutating func add(transactionID: String) {
    guard transactionIDs.insert(transactionID.lowercased()).inserted else { return }
    mentions.add(id: transactionID)
  }

  /// Adds a postback that was sent from one of the addresses at a time. Its row is the person's; a copy that was sent from
  /// elsewhere at another time may be another's.
  package mutating func add(transactionID: String, receivedAt: Timestamp) {
    arrivals.insert(Arrival(transactionID: transactionID.lowercased(), receivedAt: receivedAt.milliseconds))
  }

  /// Tells if an address, as a receiver wrote it, is one of the request.
  package func covers(address: [UInt8]) -> Bool { addresses.finds(in: address) }

  /// Returns the coverage of a record with this transaction, nil if none can be read, and these bytes.
  package func coverage(of bytes: [UInt8], transactionID: String?) -> Coverage {
    let id = transactionID.flatMap { $0.isEmpty ? nil : $0.lowercased() }
    if let id, transactionIDs.contains(id) { return .own }
    guard let masked = mentions.masked(bytes) else { return .nothing }
    return id == nil ? .own : .mention(masked: masked)
  }

  /// Returns a text of the same length in which the ids and addresses are masked; nil if it has none of them.
  package func masked(_ text: String) -> String? {
    mentions.masked(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the coverage of a row of a table.
  func coverage(of row: borrowing RowCursor, _ places: Places) -> Coverage {
    if let key = places.key.flatMap({ row.key($0) }), keys.contains(key) { return .own }
    if let address = places.address.flatMap({ row.cell($0) }), covers(address: Array(row.bytes[address.indices])) {
      return .own
    }
    let id = places.transaction.flatMap { row.text($0) }
    if let id, let time = places.receivedAt.flatMap({ row.time($0) }),
      arrivals.contains(Arrival(transactionID: id.lowercased(), receivedAt: time))
    {
      return .own
    }
    // Of a removed postback that came again no id is kept, and its row belongs to nobody.
    let isForgotten = places.rejectCode.flatMap { row.text($0) } == "duplicate_forgotten"
    return coverage(of: row.line, transactionID: isForgotten ? row.text(places.key ?? 0) : id)
  }

  /// The indexes of the columns of a table that a request is about.
  struct Places {
    let key: Int?
    let transaction: Int?
    let address: Int?
    let receivedAt: Int?
    let rejectCode: Int?

    init(_ table: Table) {
      func place(_ column: ColumnName) -> Int? { table.columns.firstIndex { $0.name == column } }
      key = place(.postbackKey) ?? place(.firstSeenPostbackKey)
      (transaction, address) = (place(.transactionID), place(.remoteAddress))
      (receivedAt, rejectCode) = (place(.receivedAt), place(.rejectCode))
    }
  }
}
