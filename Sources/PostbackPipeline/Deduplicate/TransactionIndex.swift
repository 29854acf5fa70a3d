package import SKAdNetwork
package import Signatures

/// What the postbacks were that came so far, by their keys.
///
/// A pure state machine: tells what a postback is, and does nothing about it. Exact on the 128 bits of the keys. Takes
/// 27 to 31 bytes of memory for each distinct postback, and grows in small steps.
package struct TransactionIndex: Sendable {
  /// What a postback is, seen against those before.
  package enum Admission: Equatable, Sendable {
    /// The first of its kind.
    case first
    /// A copy, in all that counts.
    case identical
    /// A copy whose unsigned fields are not the first's.
    case conflict([UnsignedFields.Conflict])
    /// Another postback with the same transaction.
    case transaction
  }

  /// A postback that was the first of its kind.
  package struct Seen: Equatable, Sendable {
    let key: PostbackKey
    let content: SortedSegment.Content
    let number: Int64?

    init(key: PostbackKey, content: SortedSegment.Content, number: Int64?) {
      self.key = key
      self.content = content
      self.number = number
    }

    /// What is kept of a postback: its key, the digest of what is signed, and the unsigned fields.
    package init(_ key: PostbackKey, _ digest: SHA256Digest, _ unsigned: UnsignedFields) {
      self.key = key
      content = SortedSegment.Content(
        digest: UInt32(truncatingIfNeeded: digest.words.0),
        unsigned: unsigned.bits
      )
      number = unsigned.number
    }
  }

  /// Each holds the keys of an equal part of the key space, so that one at a time grows.
  private var segments: [SortedSegment]
  /// The `UnsignedFields.number` of the few postbacks that have one, which does not fit into an entry.
  private var numbers: [PostbackKey: Int64] = [:]
  /// Depends on all that was looked at in advance, so that the looking is not optimised away.
  private var glances: UInt64 = 0
  /// Distinct postbacks so far.
  package private(set) var count = 0

  private static let segmentBits: UInt64 = 10

  /// An index of nothing, with room for as many postbacks as are expected.
  package init(expecting expected: Int = 0) {
    segments = Array(repeating: SortedSegment(), count: 1 << Int(Self.segmentBits))
    guard expected > 0 else { return }
    // Keys are spread evenly, but not exactly so.
    let share = Double(expected) / Double(segments.count)
    for segment in segments.indices { segments[segment].reserve(Int(share + 4 * share.squareRoot())) }
  }

  /// Tells what a verified postback is, and keeps it if it is the first.
  ///
  /// Copies are known by the digest of what is signed, never by the signature: s and n−s both verify. Of the digest 32
  /// bits are kept: they only tell one class of duplicate from another.
  package mutating func admit(_ key: PostbackKey, _ digest: SHA256Digest, _ unsigned: UnsignedFields) -> Admission {
    let seen = Seen(key, digest, unsigned)
    guard let first = insert(seen) else { return .first }
    if first.digest != seen.content.digest { return .transaction }
    let firstUnsigned = UnsignedFields(bits: first.unsigned, number: numbers[key])
    return firstUnsigned == unsigned ? .identical : .conflict(firstUnsigned.conflicts(with: unsigned))
  }

  /// Looks at where these keys will be searched for, so that the memory is in the cache when they are admitted: many
  /// waits for memory at once, not one after the other. Changes nothing.
  package mutating func prepare(for keys: [PostbackKey]) {
    for key in keys { glances ^= segments[Self.segment(of: key)].glance(at: key.high << Self.segmentBits) }
  }

  /// Keeps many at once, as when the index is made anew from what was kept: several times as fast as one by one, as the
  /// segments are gone through one after the other. Of a key that is there already the first is kept.
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

  /// Keeps a postback, if it is the first; else what is kept of the first.
  private mutating func insert(_ seen: Seen) -> SortedSegment.Content? {
    let (high, low) = (seen.key.high << Self.segmentBits, seen.key.low)
    if let first = segments[Self.segment(of: seen.key)].insert(high, low, seen.content) { return first }
    count += 1
    if let number = seen.number { numbers[seen.key] = number }
    return nil
  }

  private static func segment(of key: PostbackKey) -> Int { Int(truncatingIfNeeded: key.high >> (64 - segmentBits)) }
}
