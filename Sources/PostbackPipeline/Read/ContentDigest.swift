internal import CXxhash

/// A digest of a sequence of records: equal for equal records in the same order, and for no others but with a
/// probability of about 2⁻¹⁰⁰.
///
/// It is a polynomial over the XXH3 hashes of the records, modulo the prime 2¹²⁷−1. A power of two would not do as
/// modulus: some sequences (Thue–Morse) then have the same digest for every factor. The hashes and the factor depend on
/// a seed that is random for each state and kept secret, so that the author of inputs cannot make two with the same
/// digest.
struct ContentDigest: Sendable {
  /// The digest so far.
  private(set) var value: UInt128 = 0
  /// The digest of all records but the last.
  private(set) var prefix: UInt128 = 0
  /// The number of records in the digest.
  private(set) var count: Int64 = 0

  /// The digest of the first record alone; 0 before there is one.
  private(set) var first: UInt128 = 0

  /// The record counts that are watched and not reached yet, in descending order: the next one is last.
  private var watched: [Int64]
  private var reached: [Int64: (value: UInt128, prefix: UInt128)] = [:]

  private let seed: UInt64
  private let factor: UInt128

  /// The digest of no records. `at(_:)` will return the digests at the record counts in `watched`.
  init(seed: UInt64, watching watched: some Sequence<Int64> = []) {
    self.seed = seed
    self.watched = Set(watched).filter { $0 > 0 }.sorted(by: >)
    var bytes = seed
    let spread = unsafe Self.hash(&bytes, MemoryLayout<UInt64>.size, seed)
    factor = Self.reduced(spread)
  }

  /// Adds a record at the end.
  mutating func add(_ record: Span<UInt8>) {
    let hash = unsafe record.withUnsafeBytes { unsafe Self.hash($0.baseAddress, $0.count, seed) }
    prefix = value
    value = Self.reduced(Self.product(value, factor) + Self.reduced(hash))
    count += 1
    if count == 1 { first = value }
    guard count == watched.last else { return }
    reached[count] = (value, prefix)
    watched.removeLast()
  }

  /// Returns the digest of the first `records` records, and the digest without the last of these; nil if there are
  /// fewer records, or if this count was not watched.
  func at(_ records: Int64) -> (value: UInt128, prefix: UInt128)? { records == 0 ? (0, 0) : reached[records] }

  private static let prime: UInt128 = (1 << 127) - 1

  /// Returns the remainder of any number modulo `prime`.
  private static func reduced(_ number: UInt128) -> UInt128 {
    let folded = (number & prime) + (number >> 127)
    return folded >= prime ? folded - prime : folded
  }

  /// Returns the remainder of the product of two remainders modulo `prime`.
  private static func product(_ left: UInt128, _ right: UInt128) -> UInt128 {
    let (high, low) = left.multipliedFullWidth(by: right)
    // 2¹²⁸ leaves 2. High is below 2¹²⁶, so that none of this overflows.
    return reduced(2 * high + (low & prime) + (low >> 127))
  }

  private static func hash(_ bytes: UnsafeRawPointer?, _ count: Int, _ seed: UInt64) -> UInt128 {
    let hash = unsafe XXH3_128bits_withSeed(bytes, count, seed)
    return UInt128(hash.high64) << 64 | UInt128(hash.low64)
  }
}
