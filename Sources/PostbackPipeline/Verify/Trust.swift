package import SKAdNetwork
package import Signatures

/// The origin of a key, or of a postback that it signed, and so its worth.
package enum Environment: String, CaseIterable, Sendable {
  /// Apple signs real postbacks with it.
  case production
  /// Apple signs with it for developers who test, or a placeholder stands for a real id; proves nothing about an install.
  case development
  /// The operator's own.
  case custom
}

/// A key with the name that rows give it.
package struct TrustedKey: Sendable {
  /// The `kid` of AdAttributionKit; for SKAdNetwork, which names no key, a name.
  package let id: String
  /// Where it comes from.
  package let environment: Environment
  /// The key.
  package let key: PublicKey
  /// The key as it was given, in DER.
  package let subjectPublicKeyInfo: [UInt8]
}

/// Whose signatures count, and whose postbacks are wanted. Nothing but Apple's production keys unless told.
package struct Trust: Sendable {
  /// All keys, Apple's first.
  package private(set) var keys: [TrustedKey]
  /// Whether postbacks signed with Apple's development keys are accepted, and those keys tried where none is named.
  package var allowsDevelopment = false
  /// How signatures are verified.
  package var verification = VerificationMethod.fixedBase
  /// The advertised apps whose postbacks are wanted; nil: all.
  package var allowedApps: Set<Int64>?
  /// The ad networks whose postbacks are wanted; nil: all.
  package var allowedNetworks: Set<String>?

  /// Apple's keys.
  ///
  /// Source: Apple, "Verifying an install-validation postback" and "Verifying a postback" (AdAttributionKit).
  package static func apple() throws(TrustError) -> Trust {
    var trust = Trust(keys: [])
    for (id, environment, base64) in appleKeys { try trust.append(id, environment, base64) }
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

  /// Trusts one more key, named `id`: DER SubjectPublicKeyInfo of P-256 or P-192 in base64.
  ///
  /// A name that is taken is refused: nobody's key passes as Apple's.
  package mutating func add(_ id: String, base64: String) throws(TrustError) {
    guard !id.isEmpty else { throw TrustError(id: id, reason: "the name of the key is empty") }
    guard !keys.contains(where: { $0.id == id }) else {
      throw TrustError(id: id, reason: "a trusted key has that name already; give this one another")
    }
    try append(id, .custom, base64)
  }

  mutating func append(_ id: String, _ environment: Environment, _ base64: String) throws(TrustError) {
    var der: [UInt8] = []
    guard Base64.standard.decode(Array(base64.utf8).span, appendingTo: &der) else {
      throw TrustError(id: id, reason: "not base64 (RFC 4648, padded)")
    }
    do throws(KeyError) {
      let key = try PublicKey(subjectPublicKeyInfo: der.span)
      keys.append(TrustedKey(id: id, environment: environment, key: key, subjectPublicKeyInfo: der))
    } catch {
      var failure = TrustError(id: id, reason: "\(error)")
      if case .libcrypto = error { failure.isOfLibcrypto = true }
      throw failure
    }
  }

  /// The keys that may have signed a SKAdNetwork postback of that version, which names none. Those for development are
  /// tried only where they are allowed, as each key makes a forgery cost more.
  package func keys(for version: Version) -> [Int] {
    let curve = version.isSignedWithP192 ? Curve.p192 : .p256
    return keys.indices.filter { index in
      keys[index].key.curve == curve && (allowsDevelopment || keys[index].environment != .development)
    }
  }

  /// The environment of a postback that the key signed under the layout: the key's, or development, whatever the key, where an
  /// id stands in the place of a real one.
  package func environment(
    of postback: Postback,
    signedBy key: Int,
    _ layout: SignedLayout,
    in bytes: [UInt8]
  ) -> Environment {
    postback.hasDevelopmentPlaceholder(layout, in: bytes) ? .development : keys[key].environment
  }

  /// The key that an AdAttributionKit postback names.
  func key(named id: ArraySlice<UInt8>) -> Int? {
    keys.firstIndex { $0.key.curve == .p256 && id.elementsEqual($0.id.utf8) }
  }
}

/// A key that cannot be trusted as it was given.
package struct TrustError: Error, CustomStringConvertible {
  /// The key's name.
  package let id: String
  /// What is wrong with it.
  package let reason: String
  /// Whether nothing is, but libcrypto failed to read it.
  package fileprivate(set) var isOfLibcrypto = false

  /// The error for a person.
  package var description: String { "key \(id): \(reason)" }
}
