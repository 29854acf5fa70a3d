internal import Signatures
internal import Synchronization

/// Signatures that none of certain keys made of certain content.
///
/// Every part of an entry is compared in full: the SHA-256 of the content, the signature, and the keys that were tried.
/// A sender therefore cannot make the cache reject another signature. Holds about the last 130 000 entries, in up to 16
/// MB; a forgotten forgery is verified again.
final class ForgeryCache: Sendable {
  private struct Entry {
    var content: SHA256Digest
    var keys: VerdictCache.KeySet
    /// The bytes of the signature, followed by zeros; `byteCount` is 0 if there is no entry.
    var signature = InlineArray<72, UInt8>(repeating: 0)
    var byteCount: UInt8 = 0

    func isOf(_ bytes: Span<UInt8>) -> Bool {
      guard bytes.count == Int(byteCount) else { return false }
      for index in bytes.indices where signature[index] != bytes[index] { return false }
      return true
    }
  }

  private static let shardCount = 64
  private static let shardSize = 1 << 11
  /// The longest signature of P-256 in DER.
  private static let longestSignature = 72

  /// Each is empty until something goes in.
  private let shards: [Shard]

  private final class Shard: Sendable {
    let entries = Mutex<[Entry]>([])
  }

  /// A cache of nothing.
  init() { shards = (0..<Self.shardCount).map { _ in Shard() } }

  func contains(_ signature: Span<UInt8>, of content: SHA256Digest, by keys: VerdictCache.KeySet) -> Bool {
    shard(of: content).entries.withLock { entries in
      guard !entries.isEmpty, !signature.isEmpty else { return false }
      let place = Self.place(of: content)
      return entries[place].content == content && entries[place].keys == keys && entries[place].isOf(signature)
    }
  }

  func insert(_ signature: Span<UInt8>, of content: SHA256Digest, by keys: VerdictCache.KeySet) {
    guard !signature.isEmpty, signature.count <= Self.longestSignature else { return }
    var entry = Entry(content: content, keys: keys)
    entry.byteCount = UInt8(signature.count)
    for index in signature.indices { entry.signature[index] = signature[index] }
    shard(of: content).entries.withLock { entries in
      if entries.isEmpty { entries = Array(repeating: Entry(content: content, keys: keys), count: Self.shardSize) }
      entries[Self.place(of: content)] = entry
    }
  }

  private func shard(of content: SHA256Digest) -> Shard { shards[Int(content.words.1 % UInt64(Self.shardCount))] }

  private static func place(of content: SHA256Digest) -> Int { Int(content.words.0 % UInt64(shardSize)) }
}

extension VerdictCache {
  /// The keys that a signature was verified with. Keys are compared by reference, because a key has no other identity
  /// here.
  struct KeySet: Equatable, Sendable {
    private let keys: [PublicKey]

    init(_ keys: [PublicKey]) { self.keys = keys }

    static func == (left: Self, right: Self) -> Bool { left.keys.elementsEqual(right.keys, by: ===) }
  }
}
