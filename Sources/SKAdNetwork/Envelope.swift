public import JSON

/// The channel through which a postback was received.
public enum Channel: String, CaseIterable, Sendable {
  /// An Apple device sent the postback directly.
  case appleDirect = "apple_direct"
  /// An ad network, or a party that it trusts, forwarded the postback.
  case networkForwarded = "network_forwarded"
}

/// The receiver's record around a postback: time, channel, forwarder and query.
public struct Envelope: Sendable {
  /// The time of receipt as text; expected in RFC 3339, but not yet parsed.
  public internal(set) var receivedAt: ByteRange?
  /// The channel through which the postback was received.
  public internal(set) var channel: Channel?
  /// The name of the forwarder.
  public internal(set) var forwarder: ByteRange?
  /// The query of the HTTP request that delivered the postback, percent-encoded.
  public internal(set) var query: ByteRange?

  init(_ document: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) {
    var reader = FieldReader(document, of: bytes, covered: .all)
    receivedAt = try reader.string(.receivedAt)
    channel = try reader.word(.channel, as: Channel.self, isCaseSensitive: true)
    forwarder = try reader.string(.forwarder)
    query = try reader.string(.query, mayBeEmpty: true)
  }
}

/// The identifying fields that a text claims, even where it is no postback; the reject row shows them. None of them is
/// checked.
public struct Claims: Sendable {
  /// `ad-network-id` or `ad-network-identifier`.
  public internal(set) var adNetworkID: ByteRange?
  /// `transaction-id` or `postback-identifier`.
  public internal(set) var transactionID: ByteRange?
  /// `app-id` or `advertised-item-identifier`.
  public internal(set) var appID: ByteRange?
  /// `version`.
  public internal(set) var version: ByteRange?

  /// No claims.
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
