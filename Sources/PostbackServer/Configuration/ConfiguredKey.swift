package import Base
package import PostbackVerification

/// A public key that the configuration or an option adds to the trusted ones.
package struct ConfiguredKey: Hashable, Sendable {
  /// The name of the key.
  package let id: String
  /// The SubjectPublicKeyInfo in DER, in base64.
  package let base64: String
  /// The environment: that of a key of Apple's, or custom.
  package var environment = Environment.custom
  /// The time of receipt from which postbacks may be signed with it; nil if they always may.
  package var validFrom: Timestamp?

  /// A key with this name.
  package init(id: String, base64: String, environment: Environment = .custom, validFrom: Timestamp? = nil) {
    (self.id, self.base64, self.environment, self.validFrom) = (id, base64, environment, validFrom)
  }

  /// Reads a key in the form of the option `--trust-key`: `KID=BASE64`. Nil for other texts.
  package init?(trustedKey option: String) {
    let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return nil }
    self.init(id: parts[0], base64: parts[1])
  }

  /// Reads a key of Apple's in the form of the option `--apple-key`: `KID=BASE64,ENVIRONMENT[,TIME]`. Nil for other texts.
  package init?(appleKey option: String) {
    let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let values = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    guard (2...3).contains(values.count), let environment = Environment(rawValue: values[1]), environment != .custom
    else { return nil }
    if values.count == 3 {
      guard let time = Timestamp(dateOrTime: values[2]) else { return nil }
      validFrom = time
    }
    (id, base64) = (String(parts[0]), values[0])
    self.environment = environment
  }

  /// The value of the option by which a command trusts the key.
  package var option: String {
    let key = "\(id)=\(base64)"
    guard environment != .custom else { return key }
    return "\(key),\(environment.rawValue)\(validFrom.map { ",\($0)" } ?? "")"
  }

  /// Adds the key to the trusted ones.
  package func add(to trust: inout TrustPolicy) throws(TrustError) {
    guard environment != .custom else { return try trust.add(id, base64: base64) }
    try trust.addAppleKey(id, base64: base64, environment: environment, validFrom: validFrom)
  }
}
