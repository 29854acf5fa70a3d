internal import Base
package import PostbackVerification
package import SKAdNetwork
internal import Signatures

/// Knowledge from the same data for the search: values that an edit may have replaced, and genuine postbacks whose
/// signatures may have been taken.
package struct DiagnosisContext: Sendable {
  /// The number of occurrences of each value, by field.
  private var counts: [Field: [String: Int]] = [:]
  /// The signed content of genuine postbacks.
  private(set) var genuine: [GenuinePostback] = []
  /// The genuine postbacks to which the signatures of records belong.
  private(set) var owners: [SignatureR: SignatureOwner] = [:]

  /// Makes an empty context.
  package init() {}

  /// Counts a value that is worth trying in its field: an app id, ad network, source app, domain or marketplace.
  /// Ignores empty values and other fields.
  package mutating func note(_ value: String, of field: Field) {
    guard Self.fields.contains(field), !value.isEmpty else { return }
    counts[field, default: [:]][value, default: 0] += 1
  }

  /// Adds a genuine SKAdNetwork postback, such as a row of `skan_postbacks`, by the values of its signed fields. Its
  /// signature is then recognised on other postbacks.
  ///
  /// Costs about 200 bytes, and 30 µs for each `Diagnoser` that is made with the context.
  package mutating func addGenuine(_ values: [Field: String]) {
    for (field, value) in values { note(value, of: field) }
    if let postback = GenuinePostback(values) { genuine.append(postback) }
  }

  /// Adds the genuine postback to which a signature belongs; the first one counts.
  package mutating func addOwner(_ owner: SignatureOwner, of signature: SignatureR) {
    if owners[signature] == nil { owners[signature] = owner }
  }

  /// Adds a verified postback by its bytes. Ignores bytes that are not a postback.
  package mutating func addGenuine(record: [UInt8]) {
    guard let arrived = ArrivedPostback(record) else { return }
    guard let jws = arrived.jws else { return addGenuine(arrived.values) }
    for (field, value) in arrived.values { note(value, of: field) }
    genuine.append(GenuinePostback(arrived.values, jws))
  }

  /// The fields whose values are counted.
  static let fields: [Field] = [
    .adNetworkID, .adNetworkIdentifier, .appID, .advertisedItemIdentifier, .sourceAppID, .publisherItemIdentifier,
    .sourceDomain, .marketplaceIdentifier,
  ]

  /// The values of each field, the most frequent first, at most `valueLimit`.
  var ranked: [Field: [String]] {
    counts.mapValues { counts in
      counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.valueLimit).map(\.key)
    }
  }

  private static let valueLimit = 512
}

/// An accepted postback whose signature other postbacks carry. What is not known of it is nil.
package struct SignatureOwner: Sendable, Equatable {
  package var transactionID: String
  /// The key of the postback, in hexadecimal digits.
  package var postbackKey: String?
  package var adNetworkID: String?
  /// The advertised app.
  package var appID: String?
  package var channel: String?
  package var forwarder: String?
  /// The time of receipt.
  package var receivedAt: String?
  /// The input with the postback.
  package var sourceFile: String?
  /// The line of the postback in its input.
  package var sourceLine: Int64?

  /// Makes an owner of which the transaction alone is known.
  package init(transactionID: String) { self.transactionID = transactionID }

  /// Tells if a transaction is that of the owner. Letter case and white space do not count: those are edits.
  package func hasTransaction(_ other: String) -> Bool {
    transactionID.withoutWhiteSpaceAround.lowercased() == other.withoutWhiteSpaceAround.lowercased()
  }
}

/// The signed content of a genuine postback.
struct GenuinePostback: Sendable {
  let framework: Framework
  /// The values of its signed fields.
  let values: [Field: String]
  /// The bytes that were signed.
  let message: [UInt8]
  let curve: Curve

  /// Makes the content of a SKAdNetwork postback from its values; nil if its version is unknown.
  init?(_ values: [Field: String]) {
    let content = SKAdNetworkContent(values)
    guard let rules = SKAdNetworkContent.rules(values[.version]) else { return nil }
    var message: [UInt8] = []
    curve = rules.isSignedWithP192 ? .p192 : .p256
    guard content.append(Variant(form: 0), on: curve, to: &message) else { return nil }
    framework = .skAdNetwork
    self.values = values
    self.message = message
  }

  /// Makes the content of an AdAttributionKit postback.
  init(_ values: [Field: String], _ jws: ArrivedJWS) {
    framework = .adAttributionKit
    self.values = values
    message = Base64.url.encode(jws.headerBytes) + [UInt8(ascii: ".")] + Base64.url.encode(jws.payloadBytes)
    curve = .p256
  }

  /// The transaction identifier, if the postback has one.
  var transactionID: String? { values[framework == .skAdNetwork ? .transactionID : .postbackIdentifier] }

  /// Tells if the postback's version signs the field. AdAttributionKit's fields are all signed.
  func signs(_ field: Field) -> Bool {
    guard framework == .skAdNetwork, field != .version else { return true }
    return SKAdNetworkContent.rules(values[.version])?.signs(field) ?? false
  }

  /// Returns the postback as JSON with a signature, which is given as r and s.
  func postback(signature: [UInt8]) -> [UInt8] {
    switch framework {
    case .adAttributionKit: JWSContent.postback(message, signature: signature)
    case .skAdNetwork: SKAdNetworkContent(values).postback(Variant(form: 0), signature: signature)
    }
  }
}
