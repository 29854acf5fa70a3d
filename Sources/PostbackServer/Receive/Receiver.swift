internal import ConversionModel
internal import JSON
internal import PostbackPipeline
internal import SKAdNetwork
internal import Signatures

/// Takes postbacks, and answers 200 when they are durable in the spool and not before.
///
/// It judges nothing but sizes: what a postback is worth is the pipeline's to say.
package struct Receiver: Sendable {
  private let commits: GroupCommit
  private let authentication: ForwarderAuthentication
  private let postbackBytes: Int
  private let forwarderBodyBytes: Int
  private let metrics: ServerMetrics
  private let writers = EnvelopeLineWriters()

  /// A receiver into a spool. `postbackBytes` is the longest line of an envelope, `forwarderBodyBytes` the longest body of
  /// a forwarder.
  package init(
    _ commits: GroupCommit,
    authentication: ForwarderAuthentication,
    postbackBytes: Int,
    forwarderBodyBytes: Int,
    metrics: ServerMetrics
  ) {
    self.commits = commits
    self.authentication = authentication
    self.postbackBytes = postbackBytes
    self.forwarderBodyBytes = forwarderBodyBytes
    self.metrics = metrics
  }

  /// The routes of Apple's devices, of forwarders, and of whoever asks whether all is well.
  package var routes: [Route] {
    let devices = ["skadnetwork", "appattribution"].map { framework in
      let path = "/.well-known/\(framework)/report-attribution"
      return Route(framework, "POST", path, path + "/", bodyBytes: postbackBytes, action: .reply(receive))
    }
    return devices + [
      Route(
        "forwarders",
        "POST",
        "/v1/postbacks",
        bodyBytes: forwarderBodyBytes,
        // Who has a token may send as much as there is; a signature is worth nothing until the body is there.
        isRateLimited: { authentication.claim($0).name == nil },
        refusal: { authentication.claim($0) == .nobody ? Self.unauthorized : nil },
        action: .reply(receiveForwarded)
      ),
      Route("health", "GET", "/healthz", isRateLimited: { _ in false }, action: .answer { _ in health }),
    ]
  }

  /// From a device: the body is one postback, whatever it is.
  private func receive(_ request: HTTPRequest, _ reply: HTTPReply) {
    let reception = Reception(receivedAt: .now, channel: .appleDirect, forwarder: nil, client: request.client)
    var line: [UInt8] = []
    writers.withWriter { $0.append(request.body.span, reception, to: &line) }
    guard line.count <= postbackBytes else { return reply.send(.error(413, tooLarge("the postback"))) }
    commit(line, count: 1, .appleDirect, reply, HTTPResponse(200))
  }

  /// From a forwarder: one postback, an array of them, or JSON Lines; all are taken, or none.
  private func receiveForwarded(_ request: HTTPRequest, _ reply: HTTPReply) {
    do throws(LibcryptoFailure) {
      let forwarder: String?
      switch authentication.claim(request) {
      case .known(let name): forwarder = name
      case .signed: forwarder = try authentication.signer(of: request)
      case .nobody: forwarder = nil
      }
      guard let forwarder else { return reply.send(Self.unauthorized) }
      let split = try SplitRecords(of: request.body.span, recordBytes: postbackBytes)
      guard !split.records.isEmpty else { return reply.send(.error(400, "the body holds no postback")) }
      let reception = Reception(
        receivedAt: .now,
        channel: .networkForwarded,
        forwarder: forwarder,
        client: request.client
      )
      switch lines(of: split, reception) {
      case .success(let lines):
        let count = split.records.count
        let done = HTTPResponse(
          200,
          json: .object([
            .init(key: "status", value: .string("ok")), .init(key: "received", value: .number("\(count)")),
          ])
        )
        commit(lines, count: count, .networkForwarded, reply, done)
      case .failure(let defect):
        reply.send(.error(413, tooLarge("nothing was taken: the postback at line \(defect.line)")))
      }
    } catch {
      reply.send(.error(503, "\(error)").retry(afterSeconds: Self.retrySeconds))
    }
  }

  private struct TooLarge: Error {
    let line: Int
  }

  private func lines(of split: SplitRecords, _ reception: Reception) -> Result<[UInt8], TooLarge> {
    var lines: [UInt8] = []
    lines.reserveCapacity(split.bytes.count + split.records.count * 160)
    return writers.withWriter { writer in
      for record in split.records {
        let start = lines.count
        if case .tooLarge = record.defect { return .failure(TooLarge(line: record.line)) }
        writer.append(split.bytes.span.extracting(record.bytes.indices), reception, to: &lines)
        guard lines.count - start <= postbackBytes else { return .failure(TooLarge(line: record.line)) }
      }
      return .success(lines)
    }
  }

  private func commit(_ lines: [UInt8], count: Int, _ channel: Channel, _ reply: HTTPReply, _ done: HTTPResponse) {
    let isTaken = commits.submit(lines) { isDurable in
      if isDurable { metrics.add(received: count, channel) }
      reply.send(isDurable ? done : Self.unavailable("the postback could not be made durable"))
    }
    if !isTaken { reply.send(Self.unavailable("too much waits to be made durable")) }
  }

  private var health: HTTPResponse {
    let failure = commits.failure
    return HTTPResponse(
      failure == nil ? 200 : 503,
      json: .object([
        .init(key: "status", value: .string(failure == nil ? "ok" : "failing")),
        .init(key: "reason", value: failure.map { .string($0) } ?? .null),
        .init(key: "waiting_bytes", value: .number("\(commits.waitingBytes)")),
      ])
    )
  }

  private static let retrySeconds = 30

  private static let unauthorized = HTTPResponse.error(
    401,
    "no forwarder is known by this: give the bearer token, or the HMAC-SHA256 of the body"
  ).adding("WWW-Authenticate", "Bearer")

  private static func unavailable(_ reason: String) -> HTTPResponse {
    .error(503, "\(reason); send it again later").retry(afterSeconds: retrySeconds)
  }

  private func tooLarge(_ what: String) -> String { "\(what) in its envelope has more than \(postbackBytes) bytes" }
}
