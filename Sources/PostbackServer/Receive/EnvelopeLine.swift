internal import ConversionModel
internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork
internal import Synchronization

/// What a receiver knows of a postback beside its bytes.
struct Reception: Sendable {
  let receivedAt: Timestamp
  let channel: Channel
  let forwarder: String?
  let client: IPAddress
  /// The query of the request; nil where there is none. Of a very long one, the parameters that fit.
  let query: String?

  /// What there is to know now of a request.
  init(_ request: HTTPRequest, _ channel: Channel, forwarder: String? = nil) {
    receivedAt = .now
    self.channel = channel
    self.forwarder = forwarder
    client = request.client
    let query = Self.bounded(request.query)
    self.query = query.isEmpty ? nil : query
  }

  private static let queryBytes = 4096

  private static func bounded(_ query: String) -> String {
    guard query.utf8.count > queryBytes else { return query }
    let start = query.utf8.prefix(queryBytes + 1)
    return String(decoding: start[..<(start.lastIndex(of: UInt8(ascii: "&")) ?? start.startIndex)], as: UTF8.self)
  }
}

/// Writes postbacks as lines of envelopes (schemas/envelope.schema.json).
///
/// Judges nothing: bytes that are a JSON object go in as they are, all others in base64. Not for several threads at once.
final class EnvelopeLineWriter {
  // One level less than the pipeline allows: an envelope is one around it.
  private var parser = JSONParser(maximumDepth: 63)
  private var document = JSONDocument()
  private var text: [UInt8] = []

  /// Appends the line of a postback.
  func append(_ body: Span<UInt8>, _ reception: Reception, to lines: inout [UInt8]) {
    append("{\"", .receivedAt, reception.receivedAt.description, to: &lines)
    append(",\"", .channel, reception.channel.rawValue, to: &lines)
    if let forwarder = reception.forwarder { append(",\"", .forwarder, forwarder, to: &lines) }
    append(",\"", .remoteAddress, reception.client.description, to: &lines)
    if let query = reception.query { append(",\"", .query, query, to: &lines) }
    text.removeAll(keepingCapacity: true)
    text.append(copying: body)
    let count = text.count
    text.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    if let object = object(count) {
      lines.append(contentsOf: ",\"\(Field.body.name)\":".utf8)
      // Line ends can only stand between tokens.
      for byte in text[object] {
        lines.append(byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") ? UInt8(ascii: " ") : byte)
      }
    } else {
      lines.append(contentsOf: ",\"\(Field.bodyBase64.name)\":\"".utf8)
      lines += Base64.standard.encode(text[..<count])
      lines.append(UInt8(ascii: "\""))
    }
    lines.append(contentsOf: "}\n".utf8)
  }

  private func append(_ start: String, _ field: Field, _ value: String, to lines: inout [UInt8]) {
    lines.append(contentsOf: "\(start)\(field.name)\":".utf8)
    lines.appendJSONString(value)
  }

  /// Where in the text a JSON object stands that is all of it; nil where it is none.
  private func object(_ count: Int) -> Range<Int>? {
    do {
      try parser.parse(0..<count, of: &text, into: &document)
    } catch {
      return nil
    }
    return document.root.kind == .object ? document.root.text.indices : nil
  }
}

/// Writers of envelopes that wait for work: as many as work at the same time.
final class EnvelopeLineWriters: Sendable {
  private let idle = Mutex<Idle>(Idle())

  // Handed from one thread to the next, never shared.
  private struct Idle: @unchecked Sendable {
    var writers: [EnvelopeLineWriter] = []
  }

  /// Calls with a writer that nobody else has meanwhile.
  func withWriter<Value, Failure: Error>(
    _ body: (EnvelopeLineWriter) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let taken = idle.withLock { Taken(writer: $0.writers.popLast()) }
    let writer = taken.writer ?? EnvelopeLineWriter()
    defer {
      let back = Taken(writer: writer)
      idle.withLock { if let writer = back.writer { $0.writers.append(writer) } }
    }
    return try body(writer)
  }

  private struct Taken: @unchecked Sendable {
    let writer: EnvelopeLineWriter?
  }
}
