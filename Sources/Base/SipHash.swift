/// SipHash-2-4: a hash of 64 bits with a secret key of 128 bits. Without the key its values cannot be told from random
/// numbers, so nobody can choose messages with the same value.
///
/// Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF".
package struct SipHash: Sendable {
  private let start: (UInt64, UInt64, UInt64, UInt64)

  /// Makes a hash with the halves of a key, each read with its least significant byte first.
  package init(key low: UInt64, _ high: UInt64) {
    start = (
      low ^ 0x736F_6D65_7073_6575, high ^ 0x646F_7261_6E64_6F6D, low ^ 0x6C79_6765_6E65_7261,
      high ^ 0x7465_6462_7974_6573
    )
  }

  /// Returns the hash of a message.
  package func hash(of message: Span<UInt8>) -> UInt64 { State(start).finish(message, after: 0) }

  /// Returns the hash of a message that begins with five words, each with its least significant byte first.
  package func hash(of first: (UInt64, UInt64, UInt64, UInt64, UInt64), _ message: Span<UInt8>) -> UInt64 {
    var state = State(start)
    state.compress(first.0)
    state.compress(first.1)
    state.compress(first.2)
    state.compress(first.3)
    state.compress(first.4)
    return state.finish(message, after: 40)
  }

  private struct State {
    private var v0, v1, v2, v3: UInt64

    init(_ start: (UInt64, UInt64, UInt64, UInt64)) { (v0, v1, v2, v3) = start }

    mutating func compress(_ word: UInt64) {
      v3 ^= word
      round()
      round()
      v0 ^= word
    }

    /// Returns the hash of a message whose rest this is, after `count` bytes that are compressed already.
    func finish(_ rest: Span<UInt8>, after count: Int) -> UInt64 {
      var state = self
      unsafe rest.withUnsafeBytes { bytes in
        let whole = bytes.count & ~7
        for place in stride(from: 0, to: whole, by: 8) {
          state.compress(unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
        }
        var last = UInt64(truncatingIfNeeded: count + bytes.count) << 56
        for place in whole..<bytes.count { last |= unsafe UInt64(bytes[place]) << UInt64(8 * (place - whole)) }
        state.compress(last)
      }
      state.v2 ^= 0xFF
      for _ in 0..<4 { state.round() }
      return state.v0 ^ state.v1 ^ state.v2 ^ state.v3
    }

    private mutating func round() {
      v0 &+= v1
      v2 &+= v3
      v1 = rotated(v1, 13) ^ v0
      v3 = rotated(v3, 16) ^ v2
      v0 = rotated(v0, 32)
      v2 &+= v1
      v0 &+= v3
      v1 = rotated(v1, 17) ^ v2
      v3 = rotated(v3, 21) ^ v0
      v2 = rotated(v2, 32)
    }

    private func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word &<< count | word &>> (64 &- count) }
  }
}
