package import Base
package import JSON
package import SKAdNetwork

/// The time of receipt of a postback, its source, and the channel through which the postback came.
package struct Arrival: Sendable {
  /// The time of receipt; nil if no source gives it.
  package var receivedAt: Timestamp?
  /// The source of `receivedAt`; nil if that is nil.
  package var source: ReceivedAtSource?
  /// The channel, as the envelope gives it; nil if it does not.
  package var channel: Channel?
  /// The name of the forwarder in the batch's bytes, as the envelope gives it; nil if it does not.
  package var forwarder: ByteRange?
  /// The query of the request in the batch's bytes; nil if there is none.
  package var query: ByteRange?
  /// The network address of the sender in the batch's bytes; nil if the envelope does not give it.
  package var remoteAddress: ByteRange?
}

/// The rule for the time of receipt of postbacks whose envelope does not give it, or that have no envelope.
package struct ReceivedAtRule: Sendable {
  /// One time for all postbacks.
  package var time: Timestamp?
  /// The name of a key that forwarders add. Its value is an RFC 3339 text, or Unix time in seconds or milliseconds.
  package var field: String?
  /// True if the modification time of the input, where it has one, comes before `time`.
  var prefersModificationTime = false

  /// A rule that takes `time` if it is given, else the value of `field` if it is a valid time, else the time that the
  /// context of the input gives, else the modification time of the input file.
  package init(time: Timestamp? = nil, field: String? = nil) {
    self.time = time
    self.field = field
  }

  func arrival(of value: JSONField, in bytes: [UInt8], from input: InputFile) -> Arrival {
    if let time, !prefersModificationTime || input.modified == nil { return Arrival(receivedAt: time, source: .option) }
    if let time = Self.timestamp(value, in: bytes) { return Arrival(receivedAt: time, source: .field) }
    if let time = input.context.receivedAt { return Arrival(receivedAt: time, source: .option) }
    guard let modified = input.modified else { return Arrival() }
    return Arrival(receivedAt: Timestamp(milliseconds: modified), source: .fileModified)
  }

  private static func timestamp(_ value: JSONField, in bytes: [UInt8]) -> Timestamp? {
    guard value.kind == .number || value.kind == .string else { return nil }
    if let time = Timestamp(parsing: bytes.span.extracting(value.text.indices)) { return time }
    let text = bytes[value.text.indices]
    guard text.count <= 15, let number = Int64(String(decoding: text, as: UTF8.self)), number > 0 else { return nil }
    // 10^11 seconds are past the year 5000; as milliseconds they are in 1973.
    return Timestamp(milliseconds: number < 100_000_000_000 ? number * 1000 : number)
  }
}
