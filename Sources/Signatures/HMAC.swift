internal import CLibcrypto

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
