internal import CXxhash

/// What a sequence of records is known by: equal for equal records in the same order, and, but for one case in 2¹⁰⁰, for
/// no others.
///
/// A polynomial over the records' XXH3 hashes, modulo the prime 2¹²⁷−1: modulo a power of two there are sequences that every
/// factor takes to one digest (Thue and Morse's). Hashes and factor depend on a seed that is random for each state and told
/// to nobody, so that who writes inputs cannot make two with one digest.
struct ContentDigest: Sendable {
  /// The digest so far.
  private(set) var value: UInt128 = 0
  /// The digest without the last record.
  private(set) var prefix: UInt128 = 0
  /// How many records it is of.
  private(set) var count: Int64 = 0

  /// The digest of the first record alone; 0 before there is one.
  private(set) var first: UInt128 = 0

  /// The numbers of records that are asked for and not reached, the next one last.
  private var watched: [Int64]
  private var reached: [Int64: (value: UInt128, prefix: UInt128)] = [:]

  private let seed: UInt64
  private let factor: UInt128

  /// The digest of no records; it will be kept what it was at the numbers `watched`.
  init(seed: UInt64, watching watched: some Sequence<Int64> = []) {
    self.seed = seed
    self.watched = Set(watched).filter { $0 > 0 }.sorted(by: >)
    var bytes = seed
    let spread = unsafe Self.hash(&bytes, MemoryLayout<UInt64>.size, seed)
    factor = Self.reduced(spread)
  }

  /// Takes in a record.
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

  /// The digest of the first so many records, and without the last of them; nil where there are not as many, or nobody
  /// watched for them.
  func at(_ records: Int64) -> (value: UInt128, prefix: UInt128)? { records == 0 ? (0, 0) : reached[records] }

  private static let prime: UInt128 = (1 << 127) - 1

  /// The remainder of any number.
  private static func reduced(_ number: UInt128) -> UInt128 {
    let folded = (number & prime) + (number >> 127)
    return folded >= prime ? folded - prime : folded
  }

  /// The remainder of the product of two remainders.
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
