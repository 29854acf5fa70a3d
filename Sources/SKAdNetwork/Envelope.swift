public import JSON

/// The way by which a postback came.
public enum Channel: String, CaseIterable, Sendable {
  /// An Apple device sent it here.
  case appleDirect = "apple_direct"
  /// An ad network, or whoever it trusts, forwarded it.
  case networkForwarded = "network_forwarded"
}

/// What a receiver notes around a postback.
public struct Envelope: Sendable {
  /// When it was received: RFC 3339, not yet read.
  public internal(set) var receivedAt: ByteRange?
  /// The way by which it came.
  public internal(set) var channel: Channel?
  /// Who forwarded it.
  public internal(set) var forwarder: ByteRange?
  /// The query of the request that brought it, percent-encoded.
  public internal(set) var query: ByteRange?

  init(_ document: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) {
    var reader = FieldReader(document, of: bytes, covered: .all)
    receivedAt = try reader.string(.receivedAt)
    channel = try reader.word(.channel, as: Channel.self, isCaseSensitive: true)
    forwarder = try reader.string(.forwarder)
    query = try reader.string(.query, mayBeEmpty: true)
  }
}

/// What a text that may be no postback says about itself, for the reject row. Nothing of it is checked.
public struct Claims: Sendable {
  /// `ad-network-id` or `ad-network-identifier`.
  public internal(set) var adNetworkID: ByteRange?
  /// `transaction-id` or `postback-identifier`.
  public internal(set) var transactionID: ByteRange?
  /// `app-id` or `advertised-item-identifier`.
  public internal(set) var appID: ByteRange?
  /// `version`.
  public internal(set) var version: ByteRange?

  /// Nothing said.
  public init() {}

  mutating func read(_ document: JSONDocument) {
    func text(_ field: Field) -> ByteRange? {
      let value = document.fields[field.rawValue]
      return value.kind == .string || value.kind == .number ? value.text : nil
    }
    adNetworkID = text(.adNetworkID) ?? text(.adNetworkIdentifier) ?? adNetworkID
    transactionID = text(.transactionID) ?? text(.postbackIdentifier) ?? transactionID
    appID = text(.appID) ?? text(.advertisedItemIdentifier) ?? appID
    version = text(.version) ?? version
  }
}
