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
  /// The network address of the sender, as text that was not parsed.
  package internal(set) var remoteAddress: ByteRange?
  /// The number of records like this one that the receiver did not store; nil if there are none.
  package internal(set) var leftOut: Int64?

  init(_ document: JSONDocument, _ bytes: [UInt8]) throws(PostbackDefect) {
    var reader = FieldReader(document, of: bytes, covered: .all)
    receivedAt = try reader.string(.receivedAt)
    channel = try reader.word(.channel, isCaseSensitive: true)
    forwarder = try reader.string(.forwarder)
    query = try reader.string(.query, mayBeEmpty: true)
    let address = document.fields[Field.remoteAddress.rawValue]
    if address.kind == .string, address.text.count > 0 { remoteAddress = address.text }
    let others = document.fields[Field.leftOut.rawValue]
    if others.kind == .number { leftOut = Int64(String(decoding: bytes[others.text.indices], as: UTF8.self)) }
  }

  /// The keys of an envelope; an object with another key is none. It has a `body` or a `body_base64`.
  package static let fields = FieldSet([
    .receivedAt, .channel, .forwarder, .remoteAddress, .query, .leftOut, .body, .bodyBase64,
  ])
}

/// The members of an envelope that a receiver or a generator writes before the body.
package struct EnvelopeHead: Sendable {
  /// The time of receipt as an RFC 3339 text.
  package var receivedAt: String
  /// The channel through which the postback came.
  package var channel: Channel
  /// The name of the forwarder; nil for a device.
  package var forwarder: String?
  /// The IP address of the sender.
  package var remoteAddress: String
  /// The query of the request, as it was sent; nil if there was none.
  package var query: String?
  /// The number of records like this one that are not stored; 0 if there are none.
  package var leftOut: Int

  /// The members of an envelope; those that are nil are left out.
  package init(
    receivedAt: String,
    channel: Channel,
    forwarder: String? = nil,
    remoteAddress: String,
    query: String? = nil,
    leftOut: Int = 0
  ) {
    (self.receivedAt, self.channel, self.forwarder) = (receivedAt, channel, forwarder)
    (self.remoteAddress, self.query, self.leftOut) = (remoteAddress, query, leftOut)
  }

  /// Appends the envelope. `appendBody` appends the value of the member `body`, which is `.body` or `.bodyBase64`.
  package func append(to json: inout [UInt8], _ body: Field, _ appendBody: (inout [UInt8]) -> Void) {
    json.append(UInt8(ascii: "{"))
    append(.receivedAt, receivedAt, to: &json)
    append(.channel, channel.rawValue, to: &json)
    if let forwarder { append(.forwarder, forwarder, to: &json) }
    append(.remoteAddress, remoteAddress, to: &json)
    if let query { append(.query, query, to: &json) }
    if leftOut > 0 {
      json.appendJSONString(Field.leftOut.name)
      json.append(contentsOf: ":\(leftOut),".utf8)
    }
    json.appendJSONString(body.name)
    json.append(UInt8(ascii: ":"))
    appendBody(&json)
    json.append(UInt8(ascii: "}"))
  }

  private func append(_ field: Field, _ value: String, to json: inout [UInt8]) {
    json.appendJSONString(field.name)
    json.append(UInt8(ascii: ":"))
    json.appendJSONString(value)
    json.append(UInt8(ascii: ","))
  }
}

/// The identifying fields that a text claims, even where it is no postback; the reject row shows them. None of them is
/// checked.
public struct Claims: Sendable {
  /// `ad-network-id` or `ad-network-identifier`.
  public internal(set) var adNetworkID: ByteRange?
  /// `transaction-id` or `postback-identifier`.
  public package(set) var transactionID: ByteRange?
  /// `app-id` or `advertised-item-identifier`.
  public internal(set) var appID: ByteRange?
  /// `version`.
  public internal(set) var version: ByteRange?

  /// No claims.
  public init() {}

  /// Claims that are all the same empty text, in place of ids that are not kept.
  package init(empty text: ByteRange) { (adNetworkID, transactionID, appID) = (text, text, text) }

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

/// The source of a postback's time of receipt.
package enum ReceivedAtSource: String, CaseIterable, Sendable {
  /// The envelope around the postback.
  case envelope
  /// One time that the operator gave for all postbacks.
  case option
  /// A key of the postback, whose name the operator gave.
  case field
  /// The input file's modification time.
  case fileModified = "file_mtime"
}
