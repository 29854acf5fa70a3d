package import SKAdNetwork

/// What is known from elsewhere in the same data: values that an edit may have replaced, and genuine postbacks whose
/// signatures may have been taken.
package struct DiagnosisContext: Sendable {
  /// How often a value was seen in a field.
  private var counts: [Field: [String: Int]] = [:]
  /// What was signed of genuine postbacks.
  private(set) var genuine: [GenuinePostback] = []

  /// Nothing known.
  package init() {}

  /// Notes a value of a field that is worth trying in its place: an app id, ad network, source app, domain or marketplace.
  package mutating func note(_ value: String, of field: Field) {
    guard Self.fields.contains(field), !value.isEmpty else { return }
    counts[field, default: [:]][value, default: 0] += 1
  }

  /// Notes a genuine SKAdNetwork postback, such as a row of `skan_postbacks`, by what its signed fields say: its values,
  /// and that its signature may turn up elsewhere.
  ///
  /// Costs some 200 bytes, and 30 µs when a `Diagnoser` is made of the context.
  package mutating func addGenuine(_ values: [Field: String]) {
    for (field, value) in values { note(value, of: field) }
    if let postback = GenuinePostback(values) { genuine.append(postback) }
  }

  /// Notes a postback that was verified, from its bytes; nothing where they are no postback.
  package mutating func addGenuine(record: [UInt8]) {
    guard let arrived = ArrivedPostback(record) else { return }
    guard let jws = arrived.jws else { return addGenuine(arrived.values) }
    for (field, value) in arrived.values { note(value, of: field) }
    genuine.append(GenuinePostback(arrived.values, jws))
  }

  /// The fields whose values are worth keeping.
  static let fields: [Field] = [
    .adNetworkID, .adNetworkIdentifier, .appID, .advertisedItemIdentifier, .sourceAppID, .publisherItemIdentifier,
    .sourceDomain, .marketplaceIdentifier,
  ]

  /// The values of each field, the most frequent first, as many as a search has use for.
  var ranked: [Field: [String]] {
    counts.mapValues { counts in
      counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.valueLimit).map(\.key)
    }
  }

  private static let valueLimit = 512
}
