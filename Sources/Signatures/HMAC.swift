internal import CLibcrypto

/// HMAC-SHA256 (RFC 2104): a digest that only who knows the secret can make.
public enum HMAC {
  /// The digest's 32 bytes. Throws where libcrypto fails.
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
  /// Whether both are the same, in a time that tells their lengths and nothing else.
  public func isEqualInConstantTime(to other: [UInt8]) -> Bool {
    guard count == other.count else { return false }
    return unsafe clibcrypto_is_equal(self, other, count) == 1
  }
}
