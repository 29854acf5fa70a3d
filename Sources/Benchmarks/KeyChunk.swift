internal import PostbackVerification
internal import PostbackPipeline
internal import SKAdNetwork
internal import Signatures

/// The keys of one batch of postbacks, made before the time is measured.
struct KeyChunk {
  static let size = 1 << 10

  private(set) var keys: [PostbackKey]
  private(set) var digests: [SHA256Digest]
  let unsigned = UnsignedFields(bits: 0x2A, number: nil)

  init() {
    let digest = SHA256Digest(InlineArray(repeating: 0))
    digests = Array(repeating: digest, count: Self.size)
    keys = Array(repeating: PostbackKey(digest), count: Self.size)
  }

  /// Makes the next keys of a seed.
  mutating func fill(_ generator: inout SplitMix) {
    for position in 0..<Self.size {
      var bytes = InlineArray<32, UInt8>(repeating: 0)
      for start in stride(from: 0, to: 16, by: 8) {
        var word = generator.next()
        for offset in 0..<8 {
          bytes[start + offset] = UInt8(truncatingIfNeeded: word)
          word >>= 8
        }
      }
      digests[position] = SHA256Digest(bytes)
      keys[position] = PostbackKey(digests[position])
    }
  }
}
