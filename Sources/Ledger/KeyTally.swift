package import PostbackVerification

/// A summary of a multiset of keys, independent of their order, by which two multisets are compared.
///
/// Different multisets have the same tally with a chance of only 2⁻¹²⁸, as keys are parts of a SHA-256.
package struct KeyTally: Equatable, Sendable {
  /// The number of keys.
  package private(set) var count: Int64 = 0
  /// The sum of the keys, modulo 2¹²⁸.
  package private(set) var sum: UInt128 = 0
  /// The exclusive or of the keys.
  package private(set) var difference: UInt128 = 0

  /// Creates the tally of no keys.
  package init() {}

  init(count: Int64, sum: UInt128, difference: UInt128) {
    self.count = count
    self.sum = sum
    self.difference = difference
  }

  package mutating func add(_ key: PostbackKey) {
    let key = UInt128(key.high) << 64 | UInt128(key.low)
    self += KeyTally(count: 1, sum: key, difference: key)
  }

  /// Adds all keys of another tally.
  package static func += (tally: inout KeyTally, other: KeyTally) {
    tally.count += other.count
    tally.sum &+= other.sum
    tally.difference ^= other.difference
  }
}
