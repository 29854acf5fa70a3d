package import Base
package import SKAdNetwork
package import Signatures

/// The environment of a key, or of a postback that it signed.
public enum Environment: String, CaseIterable, Sendable {
  /// Apple signs real postbacks with the key.
  case production
  /// Apple signs test postbacks of developers with the key, or a placeholder stands for a real id. Such a postback
  /// proves nothing about an install.
  case development
  /// The key was added by the operator.
  case custom
}

/// A trusted public key with its name.
public struct TrustedKey: Sendable {
  /// The `kid` of AdAttributionKit. SKAdNetwork names no key, so that its keys have a name of this project.
  public let id: String
  /// The environment of the key.
  public let environment: Environment
  /// The public key.
  package let key: PublicKey
  /// The key as it was given, in DER.
  public let subjectPublicKeyInfo: [UInt8]
  /// Indicates that the operator added the key, as one of Apple's or as a key of their own.
  public let isAdded: Bool
  /// The time of receipt from which postbacks may be signed with the key; nil if they always may.
  package let validFrom: Timestamp?

  /// The name of the key in the settings of a run. An added key of Apple's has its environment and its first time beside it.
  package var settingName: String {
    guard isAdded, environment != .custom else { return id }
    return "\(id) (\(environment.rawValue)\(validFrom.map { ", from \($0)" } ?? ""))"
  }
}

/// The public keys that signatures are verified against, and the apps and ad networks whose postbacks are accepted.
///
/// Starts with Apple's published keys, of which only the production keys are accepted unless `allowsDevelopment` is set.
public struct TrustPolicy: Sendable {
  /// All keys, Apple's first.
  public private(set) var keys: [TrustedKey]
  /// Indicates that postbacks signed with Apple's development keys are accepted. Only then are those keys tried for
  /// SKAdNetwork postbacks, which name no key.
  public var allowsDevelopment = false
  /// The method by which signatures are verified.
  package var verification = VerificationMethod.fixedBase
  /// The ids of the advertised apps whose postbacks are accepted; nil accepts all.
  package var allowedApps: Set<Int64>?
  /// The ids of the ad networks whose postbacks are accepted; nil accepts all.
  package var allowedNetworks: Set<String>?

  /// Returns the trust in Apple's published keys, production and development.
  ///
  /// Source: Apple, "Verifying an install-validation postback" and "Verifying a postback" (AdAttributionKit).
  public static func apple() throws(TrustError) -> TrustPolicy {
    var trust = TrustPolicy(keys: [])
    for (id, environment, base64) in appleKeys { try trust.append(id, environment, base64, isAdded: false) }
    return trust
  }

  private static let appleKeys: [(id: String, Environment, base64: String)] = [
    (
      "apple-cas-identifier/0", .production,
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3YVK3sVqW6Af0lfx3gg=="
    ),
    (
      "apple-skadnetwork-p192", .production,
      "MEkwEwYHKoZIzj0CAQYIKoZIzj0DAQEDMgAEMyHD625uvsmGq4C43cQ9BnfN2xslVT5V1nOmAMP6qaRRUll3PB1JYmgSm+62sosG"
    ),
    (
      "apple-development-identifier/0", .development,
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAELeEDzpJEP+/qRSE5hJVC1p1J0ssUnQGMzBBbvnACBok8OVGGLgxL0myrKiy6lvRtSlLRsWit87i+vftD8AEqeQ=="
    ),
    (
      "apple-development-identifier/1", .development,
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8YzdO7eM97s/IJ25kdW5CZ3A14USE5IJ5Ha/vhWaxI6UBI1ZxCEvjrKxVluVGe6qWwF1BDFq+QHqKfH5u+wxHQ=="
    ),
  ]

  /// Adds a key of your own, the public half of one that signs test postbacks. Its environment is `custom`.
  ///
  /// - Parameters:
  ///   - id: The name of the key, and the `kid` by which AdAttributionKit's JWS name it.
  ///   - base64: The SubjectPublicKeyInfo (RFC 5480) of P-256 or P-192 in DER, in base64.
  /// - Throws: An error if the key cannot be read, if the name is in use already, or if it begins with `apple-` as the names
  ///   of Apple's keys do, so that no key of your own passes as Apple's.
  public mutating func add(_ id: String, base64: String) throws(TrustError) {
    guard !id.lowercased().hasPrefix("apple-") || keys.contains(where: { $0.id == id }) else {
      throw TrustError(id: id, reason: "names that begin with apple- are those of Apple's keys; add it as one of them")
    }
    try append(id, .custom, base64)
  }

  /// Adds a key that Apple publishes and this version does not know. Its postbacks are real ones, or those of developers.
  ///
  /// - Parameters:
  ///   - id: The `kid` of the key.
  ///   - base64: The key, as for `add(_:base64:)`.
  ///   - environment: `production` or `development`.
  /// - Throws: An error if the key cannot be read, or if the name is in use already.
  public mutating func addAppleKey(
    _ id: String,
    base64: String,
    environment: Environment
  ) throws(TrustError) {
    try addAppleKey(id, base64: base64, environment: environment, validFrom: nil)
  }

  /// Adds a key that Apple publishes, for postbacks that were received from a time on.
  package mutating func addAppleKey(
    _ id: String,
    base64: String,
    environment: Environment,
    validFrom: Timestamp?
  ) throws(TrustError) {
    guard environment != .custom else {
      throw TrustError(id: id, reason: "a key of Apple's is of production or of development")
    }
    try append(id, environment, base64, validFrom: validFrom)
  }

  mutating func append(
    _ id: String,
    _ environment: Environment,
    _ base64: String,
    isAdded: Bool = true,
    validFrom: Timestamp? = nil
  ) throws(TrustError) {
    guard !id.isEmpty else { throw TrustError(id: id, reason: "the name of the key is empty") }
    guard !keys.contains(where: { $0.id == id }) else {
      throw TrustError(id: id, reason: "a trusted key has that name already; give this one another")
    }
    var der: [UInt8] = []
    guard Base64.standard.decode(Array(base64.utf8).span, appendingTo: &der) else {
      throw TrustError(id: id, reason: "not base64 (RFC 4648, padded)")
    }
    do throws(KeyError) {
      let key = try PublicKey(subjectPublicKeyInfo: der.span)
      keys.append(
        TrustedKey(
          id: id,
          environment: environment,
          key: key,
          subjectPublicKeyInfo: der,
          isAdded: isAdded,
          validFrom: validFrom
        )
      )
    } catch {
      var failure = TrustError(id: id, reason: "\(error)")
      if case .libcrypto = error { failure.isOfLibcrypto = true }
      throw failure
    }
  }

  /// Returns the indices of the keys that may have signed a SKAdNetwork postback of that version, which names no key.
  /// Development keys are included only if they are allowed, because each key makes a forgery more expensive to reject.
  package func keys(for version: Version) -> [Int] {
    let curve = version.isSignedWithP192 ? Curve.p192 : .p256
    return keys.indices.filter { index in
      keys[index].key.curve == curve && (allowsDevelopment || keys[index].environment != .development)
    }
  }

  /// Tells if postbacks with the signature are accepted: not of a development key, unless that is allowed.
  package func accepts(_ signature: AcceptedSignature) -> Bool { !signature.isDevelopment || allowsDevelopment }

  /// Tells if a postback with the signature was received when its key was not valid yet. Without a time of receipt it was not.
  package func isBeforeItsKey(_ signature: AcceptedSignature, receivedAt: Timestamp?) -> Bool {
    guard let start = keys[signature.key].validFrom, let receivedAt else { return false }
    return receivedAt < start
  }

  /// Returns the environment of a postback that the key signed under the layout: that of the key, or development if a
  /// placeholder stands for a real id.
  package func environment(
    of postback: Postback,
    signedBy key: Int,
    _ layout: SignedLayout,
    in bytes: [UInt8]
  ) -> Environment {
    postback.hasDevelopmentPlaceholder(layout, in: bytes) ? .development : keys[key].environment
  }

  /// Returns the index of the P-256 key with that name; nil if none has it.
  func key(named id: ArraySlice<UInt8>) -> Int? {
    keys.firstIndex { $0.key.curve == .p256 && id.elementsEqual($0.id.utf8) }
  }
}

/// An error for a key that cannot be added to the trusted keys.
public struct TrustError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the key that cannot be added.
  public let id: String
  /// The reason in words, to follow the name of the key.
  public let reason: String
  /// Indicates that libcrypto failed to read the key, which says nothing about the key itself.
  package fileprivate(set) var isOfLibcrypto = false

  /// The error for a person.
  public var description: String { "key \(id): \(reason)" }
}
