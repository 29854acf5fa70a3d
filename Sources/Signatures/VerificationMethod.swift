/// How many signatures of one key are verified.
public enum VerificationMethod: String, Sendable, CaseIterable {
  /// With tables of multiples of the key's point, built once; what they do not show valid, libcrypto's ECDSA decides.
  case fixedBase = "fixed-base"

  /// With libcrypto's ECDSA, one by one.
  case evp
}
