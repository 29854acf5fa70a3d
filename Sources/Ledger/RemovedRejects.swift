package import Signatures

// The changes to rejects that runs have read again, or will.
extension TableRemoval {
  /// The lines of a removed reject in its part.
  package struct Lines: Equatable, Sendable {
    /// The number of the part.
    package let part: Int
    /// The number of the first line before the removal.
    package let first: Int
    /// The number of lines.
    package let count: Int

    /// Makes the lines of a row.
    package init(part: Int, first: Int, count: Int) { (self.part, self.first, self.count) = (part, first, count) }
  }

  /// The digests of a reject's bytes before and after a person's ids in them were masked.
  package struct Digests: Hashable, Sendable {
    /// The digest before.
    package let old: SHA256Digest
    /// The digest after.
    package let new: SHA256Digest

    /// Makes a pair of digests.
    package init(old: SHA256Digest, new: SHA256Digest) { (self.old, self.new) = (old, new) }
  }
}
