/// What keys there are, in any order: two multisets of keys with the same tally are the same.
///
/// Exact but for a chance of 2⁻¹²⁸, as keys are parts of a SHA-256.
package struct KeyTally: Equatable, Sendable {
  /// How many.
  package private(set) var count: Int64 = 0
  /// Their sum, modulo 2¹²⁸.
  package private(set) var sum: UInt128 = 0
  /// Their exclusive or.
  package private(set) var difference: UInt128 = 0

  /// No keys.
  package init() {}

  init(count: Int64, sum: UInt128, difference: UInt128) {
    self.count = count
    self.sum = sum
    self.difference = difference
  }

  mutating func add(_ key: PostbackKey) {
    let key = UInt128(key.high) << 64 | UInt128(key.low)
    self += KeyTally(count: 1, sum: key, difference: key)
  }

  /// Takes all keys of another in.
  package static func += (tally: inout KeyTally, other: KeyTally) {
    tally.count += other.count
    tally.sum &+= other.sum
    tally.difference ^= other.difference
  }
}
