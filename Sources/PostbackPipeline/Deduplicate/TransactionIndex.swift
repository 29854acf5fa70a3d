package import SKAdNetwork
package import Signatures

/// What the postbacks were that came so far, by their keys.
///
/// A pure state machine: tells what a postback is, and does nothing about it.
package struct TransactionIndex: Sendable {
  private struct Entry {
    var digest: SHA256Digest
    var unsigned: UnsignedFields
  }

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

  private var entries: [PostbackKey: Entry] = [:]

  /// An index of nothing.
  package init() {}

  /// Tells what a verified postback is, and keeps it if it is the first.
  ///
  /// Copies are known by the digest of what is signed, never by the signature: s and n−s both verify.
  package mutating func admit(_ key: PostbackKey, _ digest: SHA256Digest, _ unsigned: UnsignedFields) -> Admission {
    guard let first = entries[key] else {
      entries[key] = Entry(digest: digest, unsigned: unsigned)
      return .first
    }
    if first.digest != digest { return .transaction }
    if first.unsigned == unsigned { return .identical }
    return .conflict(first.unsigned.conflicts(with: unsigned))
  }
}
