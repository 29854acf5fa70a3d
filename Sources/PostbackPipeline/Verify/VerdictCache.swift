internal import Signatures
internal import Synchronization

/// Signatures that were verified, so that an exact resend need not be verified again: valid ones and forgeries, each kept
/// apart, so that no flood of the one displaces the other.
///
/// What is known of valid ones is that a certain key signed certain content with certain bytes. The content is known by 128 bits of its
/// SHA-256. The signature's bytes are known by 64 bits of a hash with a key that is drawn for each process and never told:
/// who has no part in drawing it finds no other bytes with the same hash but by chance, one in 2⁶⁴; and then the content is
/// one that the key did sign. Holds the last million or so, in up to 32 MB; what it has forgotten is verified again.
package final class VerdictCache: Sendable {
  /// Content and signature.
  struct Key: Equatable {
    fileprivate var high: UInt64 = 0
    fileprivate var low: UInt64 = 0
    fileprivate var signature: Int = 0

    /// Of nothing.
    init() {}

    init(_ content: SHA256Digest, _ signature: Span<UInt8>) {
      high = content.words.0
      low = content.words.1
      var hasher = Hasher()
      unsafe signature.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
      self.signature = hasher.finalize()
    }
  }

  private struct Entry {
    var key: Key
    /// Index of the trusted key that signed; negative where there is no entry.
    var trustedKey: Int32
  }

  private static let shardCount = 64
  private static let shardSize = 1 << 14

  /// Each is empty until something goes in.
  private let shards: [Shard]
  private let forgeries = ForgeryCache()

  private final class Shard: Sendable {
    let entries = Mutex<[Entry]>([])
  }

  /// A cache of nothing.
  package init() { shards = (0..<Self.shardCount).map { _ in Shard() } }

  /// The trusted key that is known to have signed this.
  func trustedKey(of signed: Key) -> Int? {
    shard(of: signed).entries.withLock { entries in
      guard !entries.isEmpty else { return nil }
      let entry = entries[Self.place(of: signed)]
      return entry.key == signed && entry.trustedKey >= 0 ? Int(entry.trustedKey) : nil
    }
  }

  /// Keeps that the trusted key signed this.
  func insert(_ signed: Key, _ trustedKey: Int) {
    shard(of: signed).entries.withLock { entries in
      if entries.isEmpty {
        let none = Entry(key: Key(), trustedKey: -1)
        entries = Array(repeating: none, count: Self.shardSize)
      }
      entries[Self.place(of: signed)] = Entry(key: signed, trustedKey: Int32(trustedKey))
    }
  }

  /// Whether this signature of this content was found to be by none of these keys.
  func isForgery(_ signature: Span<UInt8>, of content: SHA256Digest, by keys: KeySet) -> Bool {
    forgeries.contains(signature, of: content, by: keys)
  }

  /// Keeps that none of the keys made this signature of this content.
  func insertForgery(_ signature: Span<UInt8>, of content: SHA256Digest, by keys: KeySet) {
    forgeries.insert(signature, of: content, by: keys)
  }

  private func shard(of key: Key) -> Shard { shards[Int(key.low % UInt64(Self.shardCount))] }

  private static func place(of key: Key) -> Int { Int(key.high % UInt64(shardSize)) }
}
