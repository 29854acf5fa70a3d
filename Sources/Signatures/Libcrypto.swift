internal import CLibcrypto

/// The library that computes digests and signatures.
public enum Libcrypto {
  /// The name and version of the library at run time, such as "OpenSSL 3.0.15 3 Sep 2024".
  public static var version: String { unsafe String(cString: clibcrypto_version()) }
}
