internal import Base
internal import Dispatch
internal import JSON
internal import SKAdNetwork

/// Receives postbacks and answers 200 as soon as they are durable in the spool, never earlier.
///
/// It checks only sizes and the identity of forwarders. The pipeline verifies the postbacks later.
package struct Receiver: Sendable {
  private let commits: GroupCommit
  /// The commits of apps' events; nil if the server does not take them.
  private let events: GroupCommit?
  private var authentication: ForwarderAuthentication
  private var postbackBytes: Int
  private var limits: ForwarderLimits
  private let quotas: ForwarderQuotas
  private let metrics: ServerMetrics
  /// The consumer in the same process; nil if there is none.
  private let consumer: (any ObservedConsumer)?
  private let writers = EnvelopeLineWriters()
  /// The serial queue that decodes and splits large or compressed bodies of forwarders.
  private let unpacking = DispatchQueue(label: "postback.unpack")

  /// The largest uncompressed body of a forwarder, in bytes, that is split on the thread that read it.
  private static let inlineBytes = 64 << 10

  /// Creates a receiver with the limits and the forwarders of a configuration. Its health is also that of `events` and of
  /// `consumer`, the ones in the same process.
  package init(
    _ commits: GroupCommit,
    _ configuration: ServerConfiguration,
    metrics: ServerMetrics,
    events: GroupCommit? = nil,
    consumer: (any ObservedConsumer)? = nil
  ) {
    self.commits = commits
    self.events = events
    self.consumer = consumer
    authentication = ForwarderAuthentication(configuration.forwarders)
    postbackBytes = configuration.postbackBytes
    limits = ForwarderLimits(configuration)
    quotas = ForwarderQuotas(configuration)
    self.metrics = metrics
    metrics.expect(forwarders: configuration.forwarders.map(\.name))
  }

  /// Returns the receiver with the limits and the forwarders of another configuration. Both write to the same spool.
  package func using(_ configuration: ServerConfiguration) -> Receiver {
    var receiver = self
    receiver.authentication = ForwarderAuthentication(configuration.forwarders)
    receiver.postbackBytes = configuration.postbackBytes
    receiver.limits = ForwarderLimits(configuration)
    quotas.use(configuration)
    metrics.expect(forwarders: configuration.forwarders.map(\.name))
    return receiver
  }

  /// The name of the route for forwarders.
  static let forwarderRoute = "forwarders"

  /// The routes for Apple's devices, for forwarders, and for health checks.
  package var routes: [Route] {
    let devices = ["skadnetwork", "appattribution"].map { framework in
      Route(
        framework,
        "POST",
        "/.well-known/\(framework)/report-attribution",
        longestBody: postbackBytes,
        refusal: { ContentCoding(of: $0) == .identity ? nil : Self.unsupportedCoding("identity") },
        action: .reply(receive)
      )
    }
    return devices + [
      Route(
        Self.forwarderRoute,
        "POST",
        "/v1/postbacks",
        longestBody: limits.bodyBytes,
        // A valid token lifts the rate limit. A signature proves nothing until the body is complete.
        isRateLimited: { authentication.claim($0).name == nil },
        sender: { authentication.claim($0).name == nil ? .unconfirmed : .forwarder },
        refusal: { request in
          let claim = authentication.claim(request)
          if claim == .nobody { return Self.unauthorized }
          if let seconds = claim.name.flatMap({ quotas.wait(of: $0) }) { return Self.exhausted(seconds) }
          return ContentCoding(of: request) == nil ? Self.unsupportedCoding("gzip") : nil
        },
        action: .reply(receiveForwarded)
      ),
      Route(
        Self.forwarderRoute,
        "GET",
        "/v1/postbacks",
        isRateLimited: { authentication.claim($0).name == nil },
        refusal: { request in
          // A HEAD of a link must not become a postback, and a signature of the body says nothing about the query.
          if request.method == "HEAD" { return .error(405, "Use GET or POST.").adding("Allow", "GET, POST") }
          guard let name = authentication.claim(request).name else { return Self.unauthorized }
          return quotas.wait(of: name).map(Self.exhausted)
        },
        action: .reply { receive($0, .identity, $1) }
      ),
      Route("health", "GET", "/healthz", isRateLimited: { _ in false }, action: .answer { _ in health }),
    ]
  }

  /// Receives from a device: the body is stored as one postback, also if it is malformed. A byte order mark before it is left out.
  private func receive(_ request: HTTPRequest, _ reply: HTTPReply) {
    let reception = Reception(request, .appleDirect)
    var line: [UInt8] = []
    let start = ByteOrderMark.length(in: request.body)
    writers.withWriter { $0.append(request.body.span.extracting(droppingFirst: start), reception, to: &line) }
    guard line.count <= postbackBytes else {
      return reply.send(.error(413, "The postback has more than \(postbackBytes) bytes in its envelope."))
    }
    commit(line, count: 1, reception, reply, HTTPResponse(200))
  }

  /// Receives from a forwarder: one postback, an array, or JSON Lines. Either all postbacks are stored or none.
  private func receiveForwarded(_ request: HTTPRequest, _ reply: HTTPReply) {
    guard let coding = ContentCoding(ofComplete: request) else { return reply.send(Self.unsupportedCoding("gzip")) }
    // Large bodies are handled one after the other, so that devices do not wait for them and memory holds only one
    // decoded body.
    if coding == .identity, request.body.count <= Self.inlineBytes {
      receive(request, coding, reply)
    } else {
      unpacking.async { receive(request, coding, reply) }
    }
  }

  private func receive(_ request: HTTPRequest, _ coding: ContentCoding, _ reply: HTTPReply) {
    do {
      guard let forwarder = try forwarder(of: request) else { return reply.send(Self.unauthorized) }
      let (text, coding, query) = try postbacks(in: request, coding)
      let reception = Reception(request, .networkForwarded, forwarder: forwarder, query: query)
      if let seconds = quotas.wait(of: forwarder) { return reply.send(Self.exhausted(seconds)) }
      let otherLimit = quotas.othersLeft(for: forwarder)
      let (lines, count, leftOut, use) = try writers.withWriter { writer in
        var body = try ForwardedBody(reception, limits, writer, otherLimit: otherLimit)
        try body.read(text.span, coding)
        let records = body.count + body.leftOutCount
        let use = QuotaUse(records: records, bytes: body.lines.count, others: body.otherCount)
        return (body.lines, body.count, body.leftOutCount, use)
      }
      if let seconds = quotas.take(use, by: forwarder) { return reply.send(Self.exhausted(seconds)) }
      var answer: [JSONValue.Member] = [.init("status", .string("ok")), .init("received", .integer(use.records))]
      if leftOut > 0 { answer.append(.init("left_out", .integer(leftOut))) }
      commit(lines, count: count, reception, reply, HTTPResponse(200, json: .object(answer))) { isDurable in
        if isDurable { metrics.add(leftOut: leftOut, forwarder) } else { quotas.giveBack(use, by: forwarder) }
      }
    } catch {
      reply.send(ForwardedBody.Refusal(of: error).response)
    }
  }

  /// Returns the text with the postbacks of a request, and its coding: the body, or a postback in the parameters of a form or a
  /// query. Then the query without what is a secret or a part of a postback.
  private func postbacks(
    in request: HTTPRequest,
    _ coding: ContentCoding
  ) throws -> (text: [UInt8], ContentCoding, query: String) {
    let query = authentication.queryWithoutTokens(of: request)
    let isGet = request.method == "GET"
    var body = request.body
    if coding == .gzip, BodyForm.isForm(request) {
      // A form holds one postback, of which each byte may be three. A longer text is none, and is decoded piece by piece.
      let whole = try ForwardedBody.text(ofGzip: body.span, upTo: 4 * limits.postbackBytes)
      guard let whole else { return (body, coding, query) }
      body = whole
    }
    switch isGet ? .form : BodyForm(of: request, body) {
    case .json: return (request.body, coding, query)
    case .parts:
      throw ForwardedBody.Refusal(
        415,
        "This path accepts no multipart/form-data. Send JSON, or a form that is URL-encoded."
      )
    case .form:
      var form = isGet ? Array(query.utf8) : body
      if form.last == UInt8(ascii: "\n") { form.removeLast() }
      guard let postback = FormPostback(form[...]) else {
        throw ForwardedBody.Refusal(
          400,
          "The \(isGet ? "query" : "form") holds no postback: it has neither attribution-signature nor jws-string, or a "
            + "parameter twice."
        )
      }
      let beside = isGet ? [] : Array(query.utf8)
      return (postback.body, .identity, String(decoding: beside.joined(with: postback.rest), as: UTF8.self))
    }
  }

  /// Returns the name of the forwarder that sent a complete request; nil if it proves no known identity.
  private func forwarder(of request: HTTPRequest) throws -> String? {
    switch authentication.claim(request) {
    case .known(let name): return name
    case .nobody: return nil
    case .signed: return try authentication.signer(of: request, now: Timestamp.now.milliseconds / 1000)
    }
  }

  private func commit(
    _ lines: [UInt8],
    count: Int,
    _ reception: Reception,
    _ reply: HTTPReply,
    _ done: HTTPResponse,
    note: @escaping @Sendable (_ isDurable: Bool) -> Void = { _ in }
  ) {
    // A device sends one postback and waits for nothing else; a forwarder may send the next one after the answer.
    let isTaken = commits.submit(lines, mayGather: reception.channel == .appleDirect) { isDurable in
      note(isDurable)
      if isDurable { metrics.add(received: count, reception.channel, reception.forwarder) }
      reply.send(isDurable ? done : Self.unavailable("The request could not be stored."))
    }
    if !isTaken {
      note(false)
      reply.send(Self.unavailable("Too much data waits to be stored."))
    }
  }

  /// The health of the receiver. A failing consumer, or events that cannot be stored, do not change the status code:
  /// postbacks are received, and wait in the spool.
  private var health: HTTPResponse {
    let failure = commits.failure
    let consumer = consumer?.health
    let isDegraded = consumer?.failure != nil || events?.failure != nil
    let status = failure != nil ? "failing" : isDegraded ? "degraded" : "ok"
    var members: [JSONValue.Member] = [
      .init(key: "status", value: .string(status)),
      .init(key: "reason", value: .text(failure)),
      .init(key: "waiting_bytes", value: .number("\(commits.waitingBytes)")),
    ]
    if let consumer {
      let reason: JSONValue = .text(consumer.failure)
      members.append(
        .init(
          key: "consumer",
          value: .object([.init(key: "state", value: .string(consumer.state)), .init(key: "reason", value: reason)])
        )
      )
    }
    if let events {
      let failure = events.failure
      let state = JSONValue.string(failure == nil ? "ok" : "failing")
      let reason: JSONValue = .text(failure)
      members.append(
        .init(key: "events", value: .object([.init(key: "state", value: state), .init(key: "reason", value: reason)]))
      )
    }
    return HTTPResponse(failure == nil ? 200 : 503, json: .object(members))
  }

  private static let retrySeconds = 30

  private static let unauthorized = HTTPResponse.error(
    401,
    "The request does not prove to come from a known forwarder. Send a bearer token, or the HMAC-SHA256 of the body."
  ).adding("WWW-Authenticate", "Bearer")

  private static func unavailable(_ reason: String) -> HTTPResponse {
    .error(503, "\(reason) Send it again later.").retry(afterSeconds: retrySeconds)
  }

  private static func exhausted(_ seconds: Int) -> HTTPResponse {
    let reason = "The quota of this forwarder is used up. Nothing was stored. Send the postbacks again in \(seconds) s."
    return .error(429, reason).retry(afterSeconds: seconds)
  }

  /// Returns the answer to an unsupported Content-Encoding, with the supported one (RFC 9110, section 15.5.16).
  private static func unsupportedCoding(_ supported: String) -> HTTPResponse {
    let reason =
      supported == "identity"
      ? "This path accepts no Content-Encoding." : "The only Content-Encoding that this path accepts is \(supported)."
    return .error(415, reason).adding("Accept-Encoding", supported)
  }
}
