internal import CLibcrypto

/// The library that does the arithmetic.
public enum Libcrypto {
  /// Its name and version as it runs, such as "OpenSSL 3.0.15 3 Sep 2024".
  public static var version: String { unsafe String(cString: clibcrypto_version()) }
}
