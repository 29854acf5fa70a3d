package import PostbackVerification
package import SKAdNetwork
package import Signatures

/// The index in memory of the newest accepted postbacks by key, which recognises duplicates.
///
/// A pure state machine: it classifies a postback and does no I/O. Keys are compared in all of their 128 bits. Takes 36
/// to 41 bytes of memory for each distinct postback, and grows in small steps.
package struct RecentIndex: Sendable {
  /// The class of a postback, compared with the earlier ones.
  package enum Admission: Equatable, Sendable {
    /// The first postback with its key.
    case first
    /// A copy of the first postback, with the same signed content and the same unsigned fields.
    case identical
    /// A copy with the same signed content and other unsigned fields.
    case conflict([UnsignedFields.Conflict])
    /// A postback with the same key and other signed content.
    case transaction
  }

  /// The entry of a postback that was the first with its key.
  package struct Seen: Equatable, Sendable {
    /// The key of the postback.
    package let key: PostbackKey
    /// The 32 bits of the digest of the signed content, and the packed unsigned fields.
    package let content: SortedSegment.Content
    /// The unsigned field of 64 bits; nil if there is none.
    package let number: Int64?

    /// Makes an entry from its parts.
    package init(key: PostbackKey, content: SortedSegment.Content, number: Int64?) {
      self.key = key
      self.content = content
      self.number = number
    }

    /// The digest by which resends are recognised; nil in entries of earlier versions.
    package var resend: UInt64? { content.resend }

    /// Makes an entry from the postback's key, the digest of the signed content, the unsigned fields, and the digest by
    /// which resends are recognised.
    package init(_ key: PostbackKey, _ digest: SHA256Digest, _ unsigned: UnsignedFields, resend: UInt64? = nil) {
      self.key = key
      content = SortedSegment.Content(
        digest: UInt32(truncatingIfNeeded: digest.words.0),
        unsigned: unsigned.bits,
        resend: resend
      )
      number = unsigned.number
    }

    /// Returns the class of this postback, whose key `first` has too.
    ///
    /// Copies are recognised by the digest of the signed content, never by the signature, because s and n−s both verify.
    /// Only 32 bits of the digest are kept: they separate one class of duplicates from another.
    package func admission(after first: Seen) -> Admission {
      if first.content.digest != content.digest { return .transaction }
      let unsigned = UnsignedFields(bits: content.unsigned, number: number)
      let firstUnsigned = UnsignedFields(bits: first.content.unsigned, number: first.number)
      return firstUnsigned == unsigned ? .identical : .conflict(firstUnsigned.conflicts(with: unsigned))
    }
  }

  /// Each holds the keys of an equal part of the key space, so that one at a time grows.
  private var segments: [SortedSegment]
  /// The `UnsignedFields.number` of the few postbacks that have one, which does not fit into an entry.
  private var numbers: [PostbackKey: Int64] = [:]
  /// The combination of all words that `prepare(for:)` read, kept so that the compiler does not remove the reads.
  private var prefetched: UInt64 = 0
  /// The number of distinct postbacks so far.
  package private(set) var count = 0

  private static let segmentBits: UInt64 = 10

  /// Makes an empty index with room for the expected number of postbacks.
  package init(expecting expected: Int = 0) {
    segments = Array(repeating: SortedSegment(), count: 1 << Int(Self.segmentBits))
    guard expected > 0 else { return }
    // Keys are spread evenly, but not exactly so.
    let share = Double(expected) / Double(segments.count)
    for segment in segments.indices { segments[segment].reserve(Int(share + 4 * share.squareRoot())) }
  }

  /// Classifies a verified postback, and stores it if it is the first with its key.
  package mutating func admit(_ seen: Seen) -> Admission {
    guard let first = insert(seen) else { return .first }
    return seen.admission(after: Seen(key: seen.key, content: first, number: numbers[seen.key]))
  }

  /// Reads the home slots of these keys in advance, so that their memory is in the cache when they are admitted: the
  /// waits for memory overlap. Does not change the entries.
  package mutating func prepare(for keys: some Sequence<PostbackKey>) {
    for key in keys { prefetched ^= segments[Self.segment(of: key)].prefetch(at: key.high << Self.segmentBits) }
  }

  /// Inserts many entries at once, to rebuild the index from the log. Several times as fast as one by one, because it
  /// visits the segments in order. For a key that is already there the first entry is kept.
  package mutating func restore(_ seen: [Seen]) {
    var ends = [Int](repeating: 0, count: segments.count)
    for one in seen { ends[Self.segment(of: one.key)] += 1 }
    var start = 0
    for segment in ends.indices {
      start += ends[segment]
      ends[segment] = start - ends[segment]
    }
    var order = [Int32](repeating: 0, count: seen.count)
    for (index, one) in seen.enumerated() {
      let segment = Self.segment(of: one.key)
      order[ends[segment]] = Int32(index)
      ends[segment] += 1
    }
    for index in order { _ = insert(seen[Int(index)]) }
  }

  /// Returns the entry with a key; nil if there is none.
  func entry(for key: PostbackKey) -> Seen? {
    segments[Self.segment(of: key)].content(key.high << Self.segmentBits, key.low)
      .map { Seen(key: key, content: $0, number: numbers[key]) }
  }

  /// Inserts an entry. Returns nil if the key is new, otherwise the content of the first entry.
  private mutating func insert(_ seen: Seen) -> SortedSegment.Content? {
    let (high, low) = (seen.key.high << Self.segmentBits, seen.key.low)
    if let first = segments[Self.segment(of: seen.key)].insert(high, low, seen.content) { return first }
    count += 1
    if let number = seen.number { numbers[seen.key] = number }
    return nil
  }

  private static func segment(of key: PostbackKey) -> Int { Int(truncatingIfNeeded: key.high >> (64 - segmentBits)) }
}
