/// How many signatures of one key are verified.
public enum VerificationMethod: String, Sendable, CaseIterable {
  /// With tables of multiples of the key's point, which are built once and checked whole. libcrypto's ECDSA asks again
  /// about some that they call invalid.
  case fixedBase = "fixed-base"

  /// With libcrypto's ECDSA through EVP, one by one.
  case evp
}
