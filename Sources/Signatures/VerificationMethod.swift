/// The method by which many signatures of one key are verified.
public enum VerificationMethod: String, Sendable, CaseIterable {
  /// Verification with tables of multiples of the key's point, which are built once and checked completely. libcrypto's
  /// ECDSA checks some of the signatures that the tables call invalid.
  case fixedBase = "fixed-base"

  /// Verification with libcrypto's ECDSA through EVP, one signature at a time.
  case evp
}
