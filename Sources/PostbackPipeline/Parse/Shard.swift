internal import JSON
internal import PostbackVerification
internal import Signatures

/// One of several shares of all records, so that runs on several machines, each with a state of its own, divide the work.
///
/// All copies of a postback are in the same shard, so each shard deduplicates for itself. The number of a record is its
/// postback key (before the signature is verified); that of a record which is not a well-formed postback is the SHA-256 of
/// its bytes. Shard `K/N` has the records whose number, as a big-endian integer, is K−1 modulo N.
package struct Shard: Sendable, Equatable, CustomStringConvertible {
  /// The place among the shards, from 0.
  let index: UInt64
  /// The number of shards, at most `limit`.
  let count: UInt64

  /// The greatest number of shards.
  package static let limit: UInt64 = 4096

  /// Parses `K/N`, such as 1/4, with K from 1 to N; nil for other texts.
  package init?(_ text: String) {
    let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt64($0) }
    guard numbers.count == 2, let place = numbers[0], let count = numbers[1] else { return nil }
    guard (1...Self.limit).contains(count), (1...count).contains(place) else { return nil }
    (index, self.count) = (place - 1, count)
  }

  /// The shard as `K/N`.
  package var description: String { "\(index + 1)/\(count)" }

  /// Tells if the shard has the records with a number, which is given as big-endian words.
  func contains(_ words: UInt64...) -> Bool {
    // A remainder is below 2^12, so the next word shifts it within 64 bits only in halves.
    let remainder = words.reduce(0 as UInt64) { remainder, word in
      let upper = (remainder << 32 | word >> 32) % count
      return (upper << 32 | word & 0xFFFF_FFFF) % count
    }
    return remainder == index
  }
}

extension Batch<Parsed> {
  /// Leaves only the records of a shard.
  ///
  /// A reject that is taken up again and belongs to another shard stays a reject that was not taken up.
  func extracting(_ shard: Shard) throws(LibcryptoFailure) -> Batch<Parsed> {
    var hash = try SHA256()
    var message: [UInt8] = []
    var kept = Batch(bytes: bytes, outcomes: [], origins: [])
    var rest = outcomes[...]
    for var origin in origins {
      let before = kept.outcomes.count
      for outcome in rest.prefix(origin.recordCount) {
        let isKept: Bool
        switch outcome {
        case .accepted(let parsed):
          let key = try PostbackKey(of: parsed.postback, in: bytes, &hash, &message)
          isKept = shard.contains(key.high, key.low)
        case .rejected(let rejection):
          let record = rejection.record
          let words = try record.digest(of: bytes.span.extracting(record.bytes.indices), &hash).words
          isKept = shard.contains(words.0, words.1, words.2, words.3)
        }
        if isKept { kept.outcomes.append(outcome) }
      }
      rest = rest.dropFirst(origin.recordCount)
      origin.recordCount = kept.outcomes.count - before
      if origin.recordCount > 0 || origin.reprocessed == nil { kept.origins.append(origin) }
    }
    return kept
  }
}
