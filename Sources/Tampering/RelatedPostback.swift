package import SKAdNetwork
internal import Signatures

/// The field values of a record, with hashes by which records that belong together are found.
package struct RelatedPostback: Sendable {
  /// The values of the fields, signed or not, in UTF-8, in the form of the tables: without fields that the version does
  /// not have, and without values that forwarders fill in.
  package let values: [Field: [UInt8]]
  /// A hash of the signature's r; nil for an accepted postback, as tables hold no signatures, and for a signature that
  /// cannot be read.
  ///
  /// This hash and `transaction` have 64 bits and a random key of the process. Among a million different records, two
  /// have the same hash once in about thirty million processes, and a sender cannot cause it.
  package let signature: Int?
  /// A hash of the framework, ad network, transaction and window; nil if the record names no transaction.
  package let transaction: Int?

  /// A hash of all field values.
  package var content: Int { values.hashValue }

  /// Reads a postback, bare or in its envelope; nil if it has no signature or cannot be read.
  package init?(record: [UInt8]) {
    guard let arrived = ArrivedPostback(record) else { return nil }
    // Anybody can make n - s of an s: r is what tells a signature from another.
    let r = arrived.signatures.first.map { $0.raw.prefix($0.curve.fieldByteCount) }
    let values = arrived.values.merging(arrived.unsigned) { signed, _ in signed }
    self.init(arrived.framework, values, signature: r?.hashValue)
  }

  /// Makes the record of an accepted postback from its fields.
  package init(accepted framework: Framework, _ values: [Field: String]) {
    self.init(framework, values, signature: nil)
  }

  private init(_ framework: Framework, _ texts: [Field: String], signature: Int?) {
    var texts = framework == .skAdNetwork ? Self.asStored(texts) : texts
    if texts[.conversionType] == Postback.otherReengagement { texts[.conversionType] = Postback.reengagement }
    let values = texts.mapValues { Array($0.utf8) }
    self.values = values
    self.signature = signature
    let isSKAdNetwork = framework == .skAdNetwork
    transaction = values[isSKAdNetwork ? .transactionID : .postbackIdentifier].map { id in
      var hasher = Hasher()
      hasher.combine(framework)
      hasher.combine(values[isSKAdNetwork ? .adNetworkID : .adNetworkIdentifier])
      hasher.combine(id)
      hasher.combine(values[.postbackSequenceIndex] ?? [UInt8(ascii: "0")])
      return hasher.finalize()
    }
  }

  /// Returns the values that the tables store for a SKAdNetwork postback; all of them if its version is unknown.
  private static func asStored(_ texts: [Field: String]) -> [Field: String] {
    guard let version = texts[.version].map({ Version(rawValue: $0) }) ?? .v1_0 else { return texts }
    let rules = PostbackFormat.skAdNetwork(version).rules
    var stored = texts.filter { rules.has($0.key) }
    stored[.version] = version.rawValue
    for member in rules.signed where member.presence != .required {
      if stored[member.field] == member.field.type.filler { stored[member.field] = nil }
      if case .alternative(let other) = member.presence, stored[other] != nil { stored[member.field] = nil }
    }
    return stored
  }
}
