internal import CLibcrypto

/// The library that computes digests and signatures.
public enum Libcrypto {
  /// The name and version of the library at run time, such as "OpenSSL 3.0.15 3 Sep 2024".
  public static var version: String { unsafe String(cString: clibcrypto_version()) }

  /// The method by which batches are verified unless the tables of a key prove wrong when they are built.
  public static var verificationMethod: VerificationMethod { clibcrypto_offers_tables() == 1 ? .fixedBase : .evp }
}

/// A failure of libcrypto itself, such as no memory, a missing provider, or contradictory answers. It says nothing
/// about the input.
public struct LibcryptoFailure: Error, Hashable, CustomStringConvertible {
  /// The operation that failed.
  public let operation: String

  /// The failure for a person.
  public let description: String

  init(operation: String) {
    self.operation = operation
    description =
      "libcrypto failed at this operation: \(operation). Check the memory and the libcrypto of this machine."
  }

  private init(operation: String, description: String) {
    (self.operation, self.description) = (operation, description)
  }

  /// The tables of a key called a signature invalid that libcrypto's ECDSA calls valid.
  static func contradiction(on curve: Curve) -> LibcryptoFailure {
    LibcryptoFailure(
      operation: "check of a verdict",
      description: """
        libcrypto contradicts itself: by its tables of multiples a \(curve.name) signature is invalid, and by its ECDSA it \
        is valid. No verdict of this process can be trusted. Check the memory and the libcrypto of this machine, and give \
        --verification evp to go without tables.
        """
    )
  }
}
