internal import Base
package import DurableFiles
package import PostbackVerification
package import Signatures

/// The postbacks that were removed on a person's request, by digests alone.
package struct ForgottenIDs: Sendable {
  /// The keys of the postbacks.
  package var keys: Set<PostbackKey> = []
  /// The key of a postback for each digest of a transaction.
  fileprivate(set) var transactions: [UInt128: PostbackKey] = [:]

  /// No postbacks.
  package init() {}

  /// Indicates that pieces of no postback are known.
  package var isEmpty: Bool { transactions.isEmpty }

  /// The length of a UUID as text.
  private static let uuidLength = 36

  /// Returns the first 128 bits of the SHA-256 of a transaction's id in lower case.
  package static func digest(of id: some Sequence<UInt8>, _ hash: inout SHA256) throws(LibcryptoFailure) -> UInt128 {
    let text = id.map(\.asciiLowercased)
    let words = try hash.digest(of: text.span).words
    return UInt128(words.0) << 64 | UInt128(words.1)
  }

  /// Returns the key of the postback of which a record may be a piece that the parser refuses: the record claims its
  /// transaction, or claims none and has its UUID anywhere. Returns nil if there is none.
  package func key(
    ofClaimed id: ArraySlice<UInt8>?,
    in record: ArraySlice<UInt8>,
    _ hash: inout SHA256
  ) throws(LibcryptoFailure) -> PostbackKey? {
    guard !transactions.isEmpty else { return nil }
    if let id, !id.isEmpty { return transactions[try Self.digest(of: id, &hash)] }
    var start = record.startIndex
    while start + Self.uuidLength <= record.endIndex {
      let word = record[start..<start + Self.uuidLength]
      if Self.isUUID(word), let key = transactions[try Self.digest(of: word, &hash)] { return key }
      start += 1
    }
    return nil
  }

  private static func isUUID(_ word: ArraySlice<UInt8>) -> Bool {
    let hyphens = [8, 13, 18, 23]
    guard hyphens.allSatisfy({ word[word.startIndex + $0] == UInt8(ascii: "-") }) else { return false }
    return word.count { Character(Unicode.Scalar($0)).isHexDigit } == uuidLength - hyphens.count
  }
}

extension Ledger {
  /// Returns the postbacks that were ever removed on request.
  package func forgottenIDs() throws(FileFailure) -> ForgottenIDs {
    let statement = try SQLiteStatement(
      database,
      """
      SELECT DISTINCT postback_key, transaction_digest FROM removed_rows
      WHERE table_name = ? AND postback_key IS NOT NULL AND length > 0
      """
    )
    var forgotten = ForgottenIDs()
    _ = try statement.all(.text("skan_postbacks")) { row throws(FileFailure) in
      let key = PostbackKey(try row.wide(0))
      forgotten.keys.insert(key)
      if !row.isNull(1) { forgotten.transactions[try row.wide(1)] = key }
    }
    return forgotten
  }
}
