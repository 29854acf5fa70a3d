package import SKAdNetwork
internal import Signatures

/// What a record says, and by what others are known that belong to it.
package struct RelatedPostback: Sendable {
  /// What the fields say, signed or not, in UTF-8, as it is in the tables: without what the version does not have and what
  /// forwarders fill in.
  package let values: [Field: [UInt8]]
  /// Stands for the signature; nil of what was accepted, as tables have no signatures.
  ///
  /// This and the next are hashes with a key of the process, of 64 bits: two of a million that are not the same agree once
  /// in thirty million processes, whatever somebody sends.
  package let signature: Int?
  /// Stands for the framework, ad network, transaction and window; nil where the record names no transaction.
  package let transaction: Int?

  /// Stands for all that it says.
  package var content: Int { values.hashValue }

  /// Reads a postback, bare or in its envelope; nil where it has no signature or cannot be read.
  package init?(record: [UInt8]) {
    guard let arrived = ArrivedPostback(record) else { return nil }
    // Anybody can make n - s of an s: r is what tells a signature from another.
    let r = arrived.signatures.first.map { $0.raw.prefix($0.curve.fieldByteCount) }
    let values = arrived.values.merging(arrived.unsigned) { signed, _ in signed }
    self.init(arrived.framework, values, signature: r?.hashValue)
  }

  /// An accepted postback, by its fields.
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

  /// What the tables have of a SKAdNetwork postback; all of one whose version is unknown.
  private static func asStored(_ texts: [Field: String]) -> [Field: String] {
    guard let version = texts[.version].map({ Version(rawValue: $0) }) ?? .v1_0 else { return texts }
    var fields = version.signedFields + [.countryCode]
    switch version {
    case .v1_0: fields += [.redownload, .sourceAppID]
    case .v2_0, .v2_1, .v2_2, .v3_0: fields += [.conversionValue]
    case .v4_0: fields += [.conversionValue, .coarseConversionValue]
    }
    var stored = texts.filter { fields.contains($0.key) }
    stored[.version] = version.rawValue
    if version != .v1_0 {
      if stored[.sourceAppID] == "0" { stored[.sourceAppID] = nil }
      if stored[.sourceDomain] == "" || stored[.sourceAppID] != nil { stored[.sourceDomain] = nil }
    }
    return stored
  }
}
