internal import ConversionModel
internal import JSON
internal import PostbackPipeline
internal import Signatures

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

    init(_ status: Int, _ reason: String) { response = .error(status, "\(reason) Nothing was stored.") }

    init(_ failure: LibcryptoFailure) { response = HTTPResponse.error(503, "\(failure)").retry(afterSeconds: 30) }
  }

  /// The envelope lines so far, each with a line feed at its end.
  private(set) var lines: [UInt8] = []
  /// The number of postbacks so far.
  private(set) var count = 0

  private let limits: ForwarderLimits
  private let reception: Reception
  private let writer: EnvelopeLineWriter
  private var splitter: RecordSplitter

  private static let pieceBytes = 64 << 10

  /// Creates a body without lines.
  init(_ reception: Reception, _ limits: ForwarderLimits, _ writer: EnvelopeLineWriter) throws(Refusal) {
    do throws(LibcryptoFailure) {
      splitter = try RecordSplitter(recordBytes: limits.postbackBytes)
    } catch {
      throw Refusal(error)
    }
    self.limits = limits
    self.reception = reception
    self.writer = writer
  }

  /// Reads the whole body and appends the lines of its postbacks.
  mutating func read(_ body: Span<UInt8>, _ coding: ContentCoding) throws(Refusal) {
    switch coding {
    case .identity:
      lines.reserveCapacity(min(body.count * 2, limits.lineBytes))
      try add(body)
    case .gzip:
      try addText(ofGzip: body)
    }
    do throws(LibcryptoFailure) { try splitter.finish() } catch { throw Refusal(error) }
    try addRecords()
    if count == 0 { throw Refusal(400, "The body holds no postback.") }
  }

  private mutating func addText(ofGzip body: Span<UInt8>) throws(Refusal) {
    var text = GzipText()
    var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
    var total = 0
    while true {
      let count: Int
      do throws(GzipText.Failure) { count = try text.read(body, into: &piece) } catch {
        throw Refusal(400, "The body cannot be decoded: \(error.description).")
      }
      if count == 0 { return }
      total += count
      guard total <= limits.bodyBytes else {
        throw Refusal(413, "The decoded body has more than \(limits.bodyBytes) bytes.")
      }
      try add(piece.span.extracting(first: count))
    }
  }

  private mutating func add(_ text: Span<UInt8>) throws(Refusal) {
    var position = 0
    while position < text.count {
      do throws(LibcryptoFailure) { position += try splitter.split(text.extracting(droppingFirst: position)) } catch {
        throw Refusal(error)
      }
      if position < text.count { try addRecords() }
    }
  }

  /// Appends the lines of the complete records.
  private mutating func addRecords() throws(Refusal) {
    let (bytes, records) = splitter.take()
    count += records.count
    guard count <= limits.postbacks else {
      throw Refusal(413, "The body holds more than \(limits.postbacks) postbacks. Send fewer at once.")
    }
    for record in records {
      let start = lines.count
      if case .tooLarge = record.defect { throw tooLarge(record) }
      writer.append(bytes.span.extracting(record.bytes.indices), reception, to: &lines)
      guard lines.count - start <= limits.postbackBytes else { throw tooLarge(record) }
      guard lines.count <= limits.lineBytes else {
        throw Refusal(
          413,
          "The postbacks in their envelopes have more than \(limits.lineBytes) bytes. Send fewer at once."
        )
      }
    }
  }

  private func tooLarge(_ record: Record) -> Refusal {
    Refusal(413, "The postback at line \(record.line) has more than \(limits.postbackBytes) bytes in its envelope.")
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
}
