internal import CLibcrypto

/// A SHA-256 digest (FIPS 180-4), 32 bytes.
public struct SHA256Digest: Hashable, Sendable {
  /// The digest as four big-endian words.
  public let words: (UInt64, UInt64, UInt64, UInt64)

  /// The digest of 32 bytes.
  package init(_ bytes: InlineArray<32, UInt8>) {
    func word(_ start: Int) -> UInt64 {
      var value: UInt64 = 0
      for index in start..<start + 8 { value = value << 8 | UInt64(bytes[index]) }
      return value
    }
    words = (word(0), word(8), word(16), word(24))
  }

  /// The digest's 32 bytes.
  public var bytes: InlineArray<32, UInt8> {
    let words = [words.0, words.1, words.2, words.3] as InlineArray<4, UInt64>
    return InlineArray { index in UInt8(truncatingIfNeeded: words[index / 8] >> UInt64(56 - index % 8 * 8)) }
  }

  /// Tells if both digests are equal.
  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  /// Feeds the first word of the digest to a hasher, which is enough because its bits are evenly spread.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}

/// Computes SHA-256 digests, one after the other, with one libcrypto context.
@safe
public struct SHA256: ~Copyable {
  private let handle: OpaquePointer
  private var isBegun = false

  /// Makes a context. Throws if libcrypto has no memory left or no SHA-256.
  public init() throws(LibcryptoFailure) {
    guard let handle = unsafe clibcrypto_sha256_new() else { throw LibcryptoFailure(operation: "SHA-256") }
    unsafe self.handle = handle
  }

  deinit { unsafe clibcrypto_sha256_free(handle) }

  /// Adds bytes to the message.
  public mutating func update(_ bytes: Span<UInt8>) throws(LibcryptoFailure) {
    try beginIfNeeded()
    let result = unsafe bytes.withUnsafeBytes { unsafe clibcrypto_sha256_update(handle, $0.baseAddress, $0.count) }
    guard result == 1 else { throw LibcryptoFailure(operation: "SHA-256") }
  }

  /// Returns the digest of the added bytes. The next message starts empty.
  public mutating func finish() throws(LibcryptoFailure) -> SHA256Digest {
    try beginIfNeeded()
    isBegun = false
    return try unsafe Self.digest { unsafe clibcrypto_sha256_end(handle, $0) }
  }

  /// Returns the digest of the bytes that were added so far. More can be added to them.
  package mutating func digestSoFar() throws(LibcryptoFailure) -> SHA256Digest {
    try beginIfNeeded()
    return try unsafe Self.digest { unsafe clibcrypto_sha256_peek(handle, $0) }
  }

  private static func digest(
    _ write: (UnsafeMutablePointer<UInt8>) -> Int32
  ) throws(LibcryptoFailure) -> SHA256Digest {
    var digest = InlineArray<32, UInt8>(repeating: 0)
    var span = digest.mutableSpan
    let result = unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return Int32(-1) }
      return unsafe write(start)
    }
    guard result == 1 else { throw LibcryptoFailure(operation: "SHA-256") }
    return SHA256Digest(digest)
  }

  private mutating func beginIfNeeded() throws(LibcryptoFailure) {
    guard !isBegun else { return }
    guard unsafe clibcrypto_sha256_begin(handle) == 1 else { throw LibcryptoFailure(operation: "SHA-256") }
    isBegun = true
  }

  /// Returns the digest of one message.
  public mutating func digest(of message: Span<UInt8>) throws(LibcryptoFailure) -> SHA256Digest {
    try update(message)
    return try finish()
  }
}

/// HMAC-SHA256 (RFC 2104): a digest that can be made only with the secret.
public enum HMAC {
  /// Returns the digest's 32 bytes. Throws if libcrypto fails.
  public static func sha256(of message: Span<UInt8>, secret: Span<UInt8>) throws(LibcryptoFailure) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    let result = unsafe secret.withUnsafeBufferPointer { secret in
      unsafe message.withUnsafeBufferPointer { message in
        guard let start = secret.baseAddress else { return Int32(-1) }
        return unsafe clibcrypto_hmac_sha256(start, secret.count, message.baseAddress, message.count, &digest)
      }
    }
    guard result == 1 else { throw LibcryptoFailure(operation: "HMAC-SHA256") }
    return digest
  }
}

extension [UInt8] {
  /// Tells if both arrays are equal, in a time that depends only on their lengths.
  public func isEqualInConstantTime(to other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return unsafe clibcrypto_is_equal(self, other, count) == 1
  }
}
