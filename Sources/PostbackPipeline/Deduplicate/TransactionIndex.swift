package import SKAdNetwork
package import Signatures

/// What the postbacks were that came so far, by their keys.
///
/// A pure state machine: tells what a postback is, and does nothing about it. Exact on the 128 bits of the keys. Takes
/// 27 to 32 bytes of memory for each distinct postback, and grows in small steps.
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

  /// Each holds the keys of an equal part of the key space, so that one at a time grows.
  private var segments: [SortedSegment]
  /// What does not fit into an entry, of the few postbacks of version 1.0 that have it.
  private var sourceAppIDs: [PostbackKey: Int64] = [:]
  /// Distinct postbacks so far.
  package private(set) var count = 0

  private static let segmentBits: UInt64 = 10

  /// An index of nothing.
  package init() {
    segments = Array(repeating: SortedSegment(), count: 1 << Int(Self.segmentBits))
  }

  /// Tells what a verified postback is, and keeps it if it is the first.
  ///
  /// Copies are known by the digest of what is signed, never by the signature: s and n−s both verify. Of the digest 32
  /// bits are kept: they only tell one class of duplicate from another.
  package mutating func admit(_ key: PostbackKey, _ digest: SHA256Digest, _ unsigned: UnsignedFields) -> Admission {
    let segment = Int(truncatingIfNeeded: key.high >> (64 - Self.segmentBits))
    let content = SortedSegment.Content(
      digest: UInt32(truncatingIfNeeded: digest.words.0),
      unsigned: unsigned.bits
    )
    guard let first = segments[segment].insert(key.high << Self.segmentBits, key.low, content) else {
      count += 1
      if let sourceAppID = unsigned.sourceAppID { sourceAppIDs[key] = sourceAppID }
      return .first
    }
    if first.digest != content.digest { return .transaction }
    let firstUnsigned = UnsignedFields(bits: first.unsigned, sourceAppID: sourceAppIDs[key])
    return firstUnsigned == unsigned ? .identical : .conflict(firstUnsigned.conflicts(with: unsigned))
  }
}
