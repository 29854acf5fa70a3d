internal import JSON
internal import PostbackPipeline

/// The limits on one body of a forwarder.
package struct ForwarderLimits: Sendable {
  /// The largest size of a postback in its envelope line, in bytes.
  package var postbackBytes: Int
  /// The largest body in bytes, both before and after decoding.
  package var bodyBytes: Int
  /// The largest number of postbacks.
  package var postbacks: Int
  /// The largest size of all envelope lines together, in bytes.
  package var lineBytes: Int

  /// Takes the limits from the configuration of a server.
  package init(_ configuration: ServerConfiguration) {
    postbackBytes = configuration.postbackBytes
    bodyBytes = configuration.forwarderBodyBytes
    postbacks = configuration.forwarderPostbacks
    // Lines above `waitingBytes` could never enter the commit queue.
    lineBytes = min(configuration.forwarderBodyBytes * 2, configuration.waitingBytes)
  }
}

/// The envelope lines of a forwarder's body, which is decoded and split piece by piece. Either all of its postbacks are
/// stored, or the body is refused.
struct ForwardedBody: ~Copyable {
  /// The reason that a body is refused as a whole, as an HTTP response.
  struct Refusal: Error {
    let response: HTTPResponse
  }

  /// The envelope lines so far, each with a line feed at its end.
  private(set) var lines: [UInt8] = []
  /// The number of envelope lines so far.
  private(set) var count = 0
  /// The number of stored records so far that have nothing of a postback.
  private(set) var otherCount = 0
  /// The number of such records that are left out. One of them is stored, and stands for the others.
  private(set) var leftOutCount = 0

  private let limits: ForwarderLimits
  /// The number of records without anything of a postback that may be stored.
  private let otherLimit: Int
  /// The first of those that are left out.
  private var firstLeftOut: [UInt8]?
  /// The largest number of records, with the reason as a sentence.
  private var recordLimit: (count: Int, reason: String)
  private let reception: Reception
  private let writer: EnvelopeLineWriter
  private var splitter: RecordSplitter

  private static let pieceBytes = 64 << 10

  /// The number of records that any compressed body may hold, and the least number of its bytes for each further one.
  /// The signature of a postback alone has more, and cannot be compressed.
  private static let (freeRecords, recordBytes) = (100, 16)

  /// Creates a body without lines, which may hold `otherLimit` records that have nothing of a postback.
  init(
    _ reception: Reception,
    _ limits: ForwarderLimits,
    _ writer: EnvelopeLineWriter,
    otherLimit: Int = .max
  ) throws {
    splitter = try RecordSplitter(recordBytes: limits.postbackBytes)
    self.limits = limits
    self.reception = reception
    self.writer = writer
    self.otherLimit = otherLimit
    recordLimit = (limits.postbacks, "The body holds more than \(limits.postbacks) postbacks.")
  }

  /// Reads the whole body and appends the lines of its postbacks.
  mutating func read(_ body: Span<UInt8>, _ coding: ContentCoding) throws {
    switch coding {
    case .identity:
      lines.reserveCapacity(min(body.count * 2, limits.lineBytes))
      try verifyText(body)
      try add(body)
    case .gzip:
      let count = Self.freeRecords + body.count / Self.recordBytes
      if count < recordLimit.count {
        let reason =
          "The body of \(body.count) bytes holds more than \(count) postbacks, which is more than gzip can hold."
        recordLimit = (count, reason)
      }
      try addText(ofGzip: body)
    }
    try splitter.finish()
    try addRecords()
    if let firstLeftOut { try append(firstLeftOut.span, line: nil, leftOut: leftOutCount) }
    if count == 0 { throw Refusal(400, "The body holds no postback.") }
  }

  /// Returns the text of a body that is coded with gzip; nil if it has more than so many bytes.
  static func text(ofGzip body: Span<UInt8>, upTo limit: Int) throws -> [UInt8]? {
    var text = GzipText()
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    var whole: [UInt8] = []
    while true {
      let count = try text.read(body, into: &piece)
      if count == 0 { return whole }
      guard whole.count + count <= limit else { return nil }
      whole += piece[..<count]
    }
  }

  private mutating func addText(ofGzip body: Span<UInt8>) throws {
    var text = GzipText()
    var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
    var total = 0
    while true {
      let count = try text.read(body, into: &piece)
      if count == 0 { return }
      if total == 0 { try verifyText(piece.span.extracting(first: count)) }
      total += count
      guard total <= limits.bodyBytes else {
        throw Refusal(413, "The decoded body has more than \(limits.bodyBytes) bytes.")
      }
      try add(piece.span.extracting(first: count))
    }
  }

  /// Throws if a text is still compressed: line feeds would cut it into records that nobody can put together again.
  private func verifyText(_ start: Span<UInt8>) throws {
    guard Compression(start: start) == nil else {
      throw Refusal(
        415,
        "The body is compressed with zstd, or twice. Send JSON, as it is or compressed once with gzip."
      )
    }
  }

  private mutating func add(_ text: Span<UInt8>) throws {
    var position = 0
    while position < text.count {
      position += try splitter.split(text.extracting(droppingFirst: position))
      if position < text.count { try addRecords() }
    }
  }

  /// Appends the lines of the complete records.
  private mutating func addRecords() throws {
    let (bytes, records) = splitter.take()
    guard count + leftOutCount + records.count <= recordLimit.count else {
      throw Refusal(413, "\(recordLimit.reason) Send fewer at once.")
    }
    for record in records {
      if case .tooLarge = record.defect { throw tooLarge(record.line) }
      let text = bytes.span.extracting(record.bytes.indices)
      if !PostbackTraces.occur(in: text) {
        guard otherCount < otherLimit else {
          if firstLeftOut == nil { firstLeftOut = Array(bytes[record.bytes.indices]) } else { leftOutCount += 1 }
          continue
        }
        otherCount += 1
      }
      try append(text, line: record.line)
    }
  }

  private mutating func append(_ text: Span<UInt8>, line: Int?, leftOut: Int = 0) throws {
    let start = lines.count
    writer.append(text, reception, leftOut: leftOut, to: &lines)
    count += 1
    guard lines.count - start <= limits.postbackBytes else { throw tooLarge(line) }
    guard lines.count <= limits.lineBytes else {
      throw Refusal(
        413,
        "The postbacks in their envelopes have more than \(limits.lineBytes) bytes. Send fewer at once."
      )
    }
  }

  private func tooLarge(_ line: Int?) -> Refusal {
    let place = line.map { "The postback at line \($0)" } ?? "A record"
    return Refusal(413, "\(place) has more than \(limits.postbackBytes) bytes in its envelope.")
  }
}

extension ForwardedBody.Refusal {
  init(_ status: Int, _ reason: String) { self.init(response: .error(status, "\(reason) Nothing was stored.")) }

  /// Creates the refusal of a body whose reading has thrown an error.
  init(of error: any Error) {
    switch error {
    case let refusal as ForwardedBody.Refusal: self = refusal
    case let failure as GzipText.Failure: self.init(400, "The body cannot be decoded: \(failure.description)")
    default: self.init(response: .error(503, "\(error)").retry(afterSeconds: 30))
    }
  }
}

/// The coding of a body (RFC 9110, section 8.4.1), among those that the server supports.
enum ContentCoding: Equatable, Sendable {
  /// No coding: the bytes are the content.
  case identity
  /// gzip (RFC 1952), also under its old name `x-gzip`.
  case gzip

  /// Reads the coding of a request's body; nil if it is an unsupported one, or more than one.
  init?(of request: HTTPRequest) {
    var codings: [Substring] = []
    for value in request.values(of: "Content-Encoding") {
      codings += value.split { $0 == "," || $0 == " " || $0 == "\t" }
    }
    codings.removeAll { String($0).isEqualIgnoringCase(to: "identity") }
    switch codings.count {
    case 0: self = .identity
    case 1 where ["gzip", "x-gzip"].contains { String(codings[0]).isEqualIgnoringCase(to: $0) }: self = .gzip
    default: return nil
    }
  }

  /// Reads the coding of a complete request, in which a body that begins as gzip does is gzip also without the header.
  init?(ofComplete request: HTTPRequest) {
    self.init(of: request)
    if Compression(start: request.body.span) == .gzip, self == .identity { self = .gzip }
  }
}
