internal import JSON
package import PostbackVerification

/// The postbacks that a person's request covers: by transaction, or by the network address that sent them.
package struct RemovalRequest: Sendable {
  /// The ids of transactions, in lower case.
  package private(set) var transactionIDs: Set<String> = []
  /// The keys of the accepted postbacks that were found.
  package internal(set) var keys: Set<PostbackKey> = []
  private let addresses: [[UInt8]]
  private var ids: [[UInt8]] = []

  /// Makes a request for transactions and addresses; letter case does not matter.
  package init(transactionIDs: [String], addresses: [String]) {
    self.addresses = addresses.map { Array($0.lowercased().utf8) }
    for id in transactionIDs { add(transactionID: id) }
  }

  /// Adds a transaction that was found with one of the addresses.
  package mutating func add(transactionID: String) {
    guard transactionIDs.insert(transactionID.lowercased()).inserted else { return }
    ids.append(Array(transactionID.lowercased().utf8))
  }

  /// Tells if a text has one of the ids or of the addresses as a whole.
  package func covers(_ text: some Collection<UInt8>) -> Bool {
    names(ids, in: text) || covers(addressIn: text)
  }

  /// Tells if a text has one of the addresses as a whole.
  package func covers(addressIn text: some Collection<UInt8>) -> Bool { names(addresses, in: text) }

  /// Tells if one of the words is in a text, and is not a part of a longer word of the same kind.
  private func names(_ words: [[UInt8]], in text: some Collection<UInt8>) -> Bool {
    guard !words.isEmpty else { return false }
    let text = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return words.contains { word in
      guard let first = word.first, word.count <= text.count else { return false }
      let isIPv4 = word.contains(UInt8(ascii: ".")) && !word.contains(UInt8(ascii: ":"))
      func continues(_ index: Int) -> Bool {
        guard text.indices.contains(index) else { return false }
        return isIPv4 ? text[index].isDigit || text[index] == UInt8(ascii: ".") : text[index].isWordByte
      }
      return (0...text.count - word.count).contains { start in
        text[start] == first && text[start..<start + word.count].elementsEqual(word) && !continues(start - 1)
          && !continues(start + word.count)
      }
    }
  }

  /// Tells if a row of a table is covered.
  func covers(_ row: borrowing RowCursor, of table: Table, _ places: Places) -> Bool {
    if let key = places.key.flatMap({ row.key($0) }), keys.contains(key) { return true }
    if let place = places.transaction, let id = row.text(place), transactionIDs.contains(id.lowercased()) {
      return true
    }
    let body = places.bodyBase64 == nil ? places.body : nil
    for place in [places.address, places.extras, places.query, body].compactMap(\.self) {
      if let cell = row.cell(place), covers(addressIn: row.bytes[cell.indices]) { return true }
    }
    guard let body = places.body, let base64 = places.bodyBase64, let raw = row.rawBody(body, base64: base64) else {
      return false
    }
    return covers(raw)
  }

  /// The indexes of the columns of a table that a request is about.
  struct Places {
    let key: Int?
    let transaction: Int?
    let address: Int?
    let extras: Int?
    let query: Int?
    let body: Int?
    let bodyBase64: Int?

    init(_ table: Table) {
      func place(_ column: ColumnName) -> Int? { table.columns.firstIndex { $0.name == column } }
      key = place(.postbackKey) ?? place(.firstSeenPostbackKey)
      transaction = place(.transactionID)
      (address, extras, query) = (place(.remoteAddress), place(.extras), place(.query))
      (body, bodyBase64) = (place(.rawBody), place(.rawBodyBase64))
    }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
  fileprivate var isWordByte: Bool {
    isDigit || (0x61...0x7A).contains(self) || self == UInt8(ascii: "-") || self == UInt8(ascii: ":")
  }
}
