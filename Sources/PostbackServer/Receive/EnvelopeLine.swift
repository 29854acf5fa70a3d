internal import Base
internal import JSON
internal import SKAdNetwork
internal import Synchronization

/// The metadata of a postback's reception: the time, the channel, and the sender.
struct Reception: Sendable {
  let receivedAt: Timestamp
  let channel: Channel
  let forwarder: String?
  let client: IPAddress
  /// The query of the request; nil if there is none. A query above 4096 bytes is cut after the last parameter that
  /// fits.
  let query: String?

  /// Records a request as received now, with its query or another one.
  init(_ request: HTTPRequest, _ channel: Channel, forwarder: String? = nil, query: String? = nil) {
    receivedAt = .now
    self.channel = channel
    self.forwarder = forwarder
    client = request.client
    let query = Self.bounded(query ?? request.query)
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
/// It does not validate postbacks. A body that is a JSON object is written as it is, and any other body in base64. Must
/// not be used from several threads at once.
final class EnvelopeLineWriter {
  // The pipeline allows 64 levels of nesting, and the envelope adds one.
  private var parser = JSONParser(maximumDepth: 63)
  private var document = JSONDocument()
  private var text: [UInt8] = []

  /// Appends the envelope line of a postback, or of a record that stands for `leftOut` others too.
  func append(_ body: Span<UInt8>, _ reception: Reception, leftOut: Int = 0, to lines: inout [UInt8]) {
    let head = EnvelopeHead(
      receivedAt: reception.receivedAt.description,
      channel: reception.channel,
      forwarder: reception.forwarder,
      remoteAddress: reception.client.description,
      query: reception.query,
      leftOut: leftOut
    )
    text.removeAll(keepingCapacity: true)
    text.append(copying: body)
    let count = text.count
    text.append(contentsOf: repeatElement(0, count: JSONParser.padding))
    if let object = object(count) {
      head.append(to: &lines, .body) { lines in
        let start = lines.count
        lines += text[object]
        // Line ends in valid JSON stand only between tokens, so spaces can replace them.
        for place in start..<lines.count where lines[place] == UInt8(ascii: "\n") || lines[place] == UInt8(ascii: "\r")
        {
          lines[place] = UInt8(ascii: " ")
        }
      }
    } else {
      head.append(to: &lines, .bodyBase64) { lines in
        lines.append(UInt8(ascii: "\""))
        lines += Base64.standard.encode(text[..<count])
        lines.append(UInt8(ascii: "\""))
      }
    }
    lines.append(UInt8(ascii: "\n"))
  }

  /// Returns the byte range of the JSON object that makes up the first `count` bytes of the text; nil if they are not one
  /// object.
  private func object(_ count: Int) -> Range<Int>? {
    do {
      try parser.parse(0..<count, of: &text, into: &document)
    } catch {
      return nil
    }
    return document.root.kind == .object ? document.root.text.indices : nil
  }
}

/// A pool of writers: each thread takes one for its work and puts it back.
final class EnvelopeLineWriters: Sendable {
  private let idle = Mutex<Idle>(Idle())

  // A writer is passed from one thread to the next and never shared.
  private struct Idle: @unchecked Sendable {
    var writers: [EnvelopeLineWriter] = []
  }

  /// Calls `body` with a writer that no other thread uses during the call.
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
