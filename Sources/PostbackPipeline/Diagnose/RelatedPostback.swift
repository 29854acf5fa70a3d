package import SKAdNetwork
internal import Signatures

/// What a record says, and by what others are known that belong to it.
package struct RelatedPostback: Sendable {
  /// What the fields say, signed or not.
  package let values: [Field: String]
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
    var values = arrived.values.merging(arrived.unsigned) { signed, _ in signed }
    if arrived.framework == .skAdNetwork, values[.version] == nil { values[.version] = Version.v1_0.rawValue }
    self.values = values
    // Anybody can make n - s of an s: r is what tells a signature from another.
    signature = arrived.signatures.first.map { $0.raw.prefix($0.curve.fieldByteCount).hashValue }
    let isSKAdNetwork = arrived.framework == .skAdNetwork
    transaction = values[isSKAdNetwork ? .transactionID : .postbackIdentifier].map {
      Self.transaction(
        arrived.framework,
        network: values[isSKAdNetwork ? .adNetworkID : .adNetworkIdentifier],
        id: $0,
        window: values[.postbackSequenceIndex]
      )
    }
  }

  /// An accepted postback, by its fields.
  package init(accepted values: [Field: String], transaction: Int) {
    self.values = values
    signature = nil
    self.transaction = transaction
  }

  /// What stands for a transaction of an ad network, in a window.
  package static func transaction(_ framework: Framework, network: String?, id: String, window: String?) -> Int {
    var hasher = Hasher()
    hasher.combine(framework)
    hasher.combine(network)
    hasher.combine(id)
    hasher.combine(window ?? "0")
    return hasher.finalize()
  }
}
