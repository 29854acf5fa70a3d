internal import Signatures
internal import Synchronization

/// Signatures that were verified, so that an exact resend need not be verified again. Valid signatures and forgeries
/// are kept separately, so that a flood of one does not displace the other.
///
/// An entry for a valid signature records that a certain key signed certain content with certain bytes. The content is
/// identified by 128 bits of its SHA-256. The bytes of the signature are identified by 64 bits of a hash with a random
/// key, which each process draws and never reveals. A sender who does not know that key finds other bytes with the same
/// hash only by chance, one in 2⁶⁴, and even then for content that the trusted key did sign. A forgotten signature is
/// verified again, unless the index of accepted postbacks has it.
package final class VerdictCache: Sendable {
  /// A cache key of content and signature.
  struct Key: Equatable {
    fileprivate var high: UInt64 = 0
    fileprivate var low: UInt64 = 0
    fileprivate var signature: Int = 0

    /// The key of an empty entry.
    init() {}

    init(_ content: SHA256Digest, _ signature: SignatureHash) {
      high = content.words.0
      low = content.words.1
      self.signature = signature.value
    }
  }

  /// The hash of a signature with the key of this process.
  struct SignatureHash {
    fileprivate let value: Int

    init(_ signature: Span<UInt8>) {
      var hasher = Hasher()
      unsafe signature.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
      value = hasher.finalize()
    }
  }

  private struct Entry {
    var key: Key
    /// Index of the trusted key that signed; negative where there is no entry.
    var trustedKey: Int32
  }

  private static let shardCount = 64

  /// The number of entries of a shard.
  private static let shardSize = 1 << 11
  /// Each is empty until something goes in.
  private let shards: [Shard]
  private let forgeries = ForgeryCache()

  private final class Shard: Sendable {
    let entries = Mutex<[Entry]>([])
  }

  /// Makes an empty cache of about the last 130 000 valid signatures, in 32 bytes each.
  package init() { shards = (0..<Self.shardCount).map { _ in Shard() } }

  /// Returns the index of the trusted key that is known to have signed the content; nil if none is known.
  func trustedKey(of signed: Key) -> Int? {
    shard(of: signed).entries.withLock { entries in
      guard !entries.isEmpty else { return nil }
      let entry = entries[place(of: signed)]
      return entry.key == signed && entry.trustedKey >= 0 ? Int(entry.trustedKey) : nil
    }
  }

  /// Stores that the trusted key signed the content.
  func insert(_ signed: Key, _ trustedKey: Int) {
    shard(of: signed).entries.withLock { entries in
      if entries.isEmpty {
        let none = Entry(key: Key(), trustedKey: -1)
        entries = Array(repeating: none, count: Self.shardSize)
      }
      entries[place(of: signed)] = Entry(key: signed, trustedKey: Int32(trustedKey))
    }
  }

  /// Tells if the cache knows that none of these keys made this signature of this content.
  func isForgery(_ signature: Span<UInt8>, of content: SHA256Digest, by keys: KeySet) -> Bool {
    forgeries.contains(signature, of: content, by: keys)
  }

  /// Stores that none of the keys made this signature of this content.
  func insertForgery(_ signature: Span<UInt8>, of content: SHA256Digest, by keys: KeySet) {
    forgeries.insert(signature, of: content, by: keys)
  }

  private func shard(of key: Key) -> Shard { shards[Int(key.low % UInt64(Self.shardCount))] }

  private func place(of key: Key) -> Int { Int(key.high % UInt64(Self.shardSize)) }
}
