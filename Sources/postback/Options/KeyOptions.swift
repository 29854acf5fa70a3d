internal import PostbackServer
internal import PostbackVerification
internal import Signatures

/// The options for the trusted keys.
struct KeyOptions: OptionGroup {
  let keys = Option(
    "--trust-key KID=BASE64",
    "Trust another key, named KID: P-256 or P-192, as DER SubjectPublicKeyInfo. Its rows have the\nenvironment custom. May be repeated."
  ).configured { $0.trustedKeys.map(\.option) }.values("KID=BASE64") { ConfiguredKey(trustedKey: $0) }
  let appleKeys = Option(
    "--apple-key KID=BASE64,ENVIRONMENT[,TIME]",
    "Trust another key as one of Apple's, of production or development, for postbacks received from\nTIME on. Only for a key that Apple publishes. May be repeated."
  ).configured { $0.appleKeys.map(\.option) }
    .values("KID=BASE64,production or KID=BASE64,development,TIME") { ConfiguredKey(appleKey: $0) }
  let allowsDevelopment = Option(
    "--allow-development",
    "Accept postbacks signed with Apple's development keys, of SKAdNetwork from version 2.1."
  ).isGiven
  let method = Option(
    "--verification METHOD",
    "fixed-base (default) uses precomputed multiples of the keys if libcrypto allows it; evp uses only\nlibcrypto's ECDSA, as FIPS 140 requires. The verdicts are the same."
  ).value(ValueKind<VerificationMethod>.word)

  /// Returns a trust store of Apple's keys, extended by `configured` and by the options.
  func trust(adding configured: [ConfiguredKey] = []) throws -> TrustPolicy {
    var trust = try TrustPolicy.apple()
    for key in configured + appleKeys + keys { try key.add(to: &trust) }
    if let method { trust.verification = method }
    trust.allowsDevelopment = allowsDevelopment
    return trust
  }
}

/// The options for the trusted keys and for the accepted apps and ad networks.
struct TrustOptions: OptionGroup {
  let keys = KeyOptions()
  let apps = Option("--allow-app ID", "Accept only postbacks of this app. May be repeated.").values(.appID)
  let networks = Option("--allow-network ID", "Accept only postbacks of this ad network. May be repeated.")
    .values(.text)

  /// Returns a trust store of Apple's keys, extended by `configured`, and extended and restricted by the options.
  func trust(adding configured: [ConfiguredKey] = []) throws -> TrustPolicy {
    var trust = try keys.trust(adding: configured)
    if !networks.isEmpty { trust.allowedNetworks = Set(networks) }
    if !apps.isEmpty { trust.allowedApps = Set(apps) }
    return trust
  }

  /// Prints the keys trusted besides Apple's production keys, so that users know of them before they read the tables.
  static func announce(_ trust: TrustPolicy) {
    for key in trust.keys where key.isAdded {
      let isCustom = key.environment == .custom
      Terminal.note(
        isCustom
          ? "The custom \(key.key.curve.name) key \(key.id) is trusted."
          : "The \(key.key.curve.name) key \(key.settingName) is trusted as one of Apple's."
      )
    }
    if trust.allowsDevelopment { Terminal.note("Apple's development keys are trusted.") }
  }
}
