package import Base
internal import JSON
package import Signatures
package import Tables

/// The attributions of Apple Search Ads that are to be removed.
package struct AttributionSelection: Sendable {
  private let tokens: [String]
  private let digests: Set<String>
  private let keys: Set<String>
  private let before: Timestamp?

  /// Selects the rows of tokens, and those with these keys.
  package init(tokens: [String], keys: [String]) throws(LibcryptoFailure) {
    var digests: Set<String> = []
    // Older versions took white space around a token for a part of it.
    for token in tokens {
      for text in [token, String(token[...].trimmed)] { digests.insert(try AttributionKey.digest([text])) }
    }
    (self.tokens, self.digests) = (tokens, digests)
    (self.keys, before) = (Set(keys.map { $0.lowercased() }), nil)
  }

  /// Selects the rows of the whole days before a time. Rows without a time are not selected.
  package init(before: Timestamp) {
    (tokens, digests, keys) = ([], [], [])
    self.before = before.startOfDay
  }

  /// Indicates that nothing is selected.
  package var isEmpty: Bool { tokens.isEmpty && keys.isEmpty && before == nil }

  /// Indicates that a row is selected.
  package func covers(_ row: AttributionRow) -> Bool {
    covers { row[$0].flatMap { $0.text ?? $0.description } }
  }

  /// Indicates that the row with these cells is selected.
  package func covers(_ cell: (ColumnName) -> String?) -> Bool {
    if let key = cell(.attributionKey), keys.contains(key) { return true }
    if let digest = cell(.tokenSHA256), digests.contains(digest) { return true }
    if let before, let time = cell(.receivedAt).flatMap({ Timestamp($0) }), time < before { return true }
    // A malformed record may hold a token that could not be read.
    guard !tokens.isEmpty, let body = cell(.rawBody) else { return false }
    return tokens.contains { body.contains($0) }
  }
}
