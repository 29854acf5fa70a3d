package import ConversionModel
package import JSON
package import SKAdNetwork

/// Which of its possible sources said when a postback was received.
package enum ReceivedAtSource: String, CaseIterable, Sendable {
  /// The envelope.
  case envelope
  /// The operator, for all.
  case option
  /// A key of the postback that the operator named.
  case field
  /// The input file's modification time.
  case fileModified = "file_mtime"
}

/// When and how a postback came.
package struct Arrival: Sendable {
  /// When it was received; nil where nothing says.
  package var receivedAt: Timestamp?
  /// What says when.
  package var source: ReceivedAtSource?
  /// The way by which it came.
  package var channel: Channel?
  /// Who forwarded it.
  package var forwarder: ByteRange?
}

/// How the time of receipt is found where no envelope says it.
package struct ReceivedAtRule: Sendable {
  /// A time for all.
  package var time: Timestamp?
  /// The name of a key that forwarders add: RFC 3339, or Unix time in seconds or milliseconds.
  package var field: String?

  /// The rule: first `time`, then `field`, then the input's modification time.
  package init(time: Timestamp? = nil, field: String? = nil) {
    self.time = time
    self.field = field
  }

  func arrival(of value: JSONField, in bytes: [UInt8], from input: InputFile) -> Arrival {
    if let time { return Arrival(receivedAt: time, source: .option) }
    if let time = Self.timestamp(value, in: bytes) { return Arrival(receivedAt: time, source: .field) }
    guard let modified = input.modified else { return Arrival() }
    return Arrival(receivedAt: Timestamp(milliseconds: modified), source: .fileModified)
  }

  private static func timestamp(_ value: JSONField, in bytes: [UInt8]) -> Timestamp? {
    let text = bytes[value.text.indices]
    guard value.kind == .number || value.kind == .string else { return nil }
    if let time = Timestamp(parsing: text.span) { return time }
    guard text.count <= 15, let number = Int64(String(decoding: text, as: UTF8.self)), number > 0 else { return nil }
    // 10^11 seconds are past the year 5000; as milliseconds they are in 1973.
    return Timestamp(milliseconds: number < 100_000_000_000 ? number * 1000 : number)
  }
}
