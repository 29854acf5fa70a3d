internal import Base
internal import Dispatch
internal import JSON
internal import PostbackPipeline
internal import Signatures

/// The HTTP route for the sessions and events of apps, which answers each with its conversion value once all are durable.
package struct SessionEventRoutes: Sendable {
  private let api: ConversionValueAPI
  private let commits: GroupCommit
  /// The serial queue for large bodies, so that devices do not wait for them.
  private let large = DispatchQueue(label: "postback.events")

  /// The largest body, in bytes, and the largest that is answered on the thread that read it.
  private static let bodyBytes = 1 << 20
  private static let inlineBytes = 64 << 10
  private static let retrySeconds = 30

  /// Creates routes that answer by `api`, and make events durable in `commits`.
  package init(_ api: ConversionValueAPI, _ commits: GroupCommit) { (self.api, self.commits) = (api, commits) }

  /// The route `/v1/events`.
  package var routes: [Route] {
    [
      Route(
        "events",
        "POST",
        "/v1/events",
        bodyBytes: Self.bodyBytes,
        refusal: { request in
          ContentCoding(of: request) == .identity ? nil : .error(415, "This path accepts no Content-Encoding.")
        },
        action: .reply { request, reply in
          if request.body.count <= Self.inlineBytes {
            receive(request, reply)
          } else {
            large.async { receive(request, reply) }
          }
        }
      )
    ]
  }

  private func receive(_ request: HTTPRequest, _ reply: HTTPReply) {
    guard case .array(let events) = try? JSONValue(parsing: request.body) else {
      return reply.send(.error(400, "The body is not a JSON array. Send an array with an object for each event."))
    }
    let now = Timestamp.now
    var lines: [UInt8] = []
    var results: [UInt8] = Array(#"{"status":"ok","results":["#.utf8)
    for (index, event) in events.enumerated() {
      if index > 0 { results.append(UInt8(ascii: ",")) }
      guard case .object(let members) = event else {
        results += ConversionValueAnswer(refusing: "The element is not an object.").body
        continue
      }
      let (answer, isKnown) = api.answer(members, now: now)
      results += answer.body
      guard isKnown else { continue }
      do throws(LibcryptoFailure) {
        try SessionEventRow(members, receivedAt: now).append(to: &lines)
      } catch {
        return reply.send(.error(500, "libcrypto failed: \(error)"))
      }
      guard lines.count <= SessionEventWriter.requestBytes else {
        let reason =
          "The rows of the events have more than \(SessionEventWriter.requestBytes) bytes. Send fewer at once."
        return reply.send(.error(413, reason))
      }
    }
    results += Array("]}\n".utf8)
    let done = HTTPResponse(200, headers: [.init("Content-Type", ConversionValueAnswer.contentType)], body: results)
    guard !lines.isEmpty else { return reply.send(done) }
    let isTaken = commits.submit(lines) { isDurable in
      reply.send(isDurable ? done : Self.unavailable("The events could not be stored."))
    }
    if !isTaken { reply.send(Self.unavailable("Too much data waits to be stored.")) }
  }

  private static func unavailable(_ reason: String) -> HTTPResponse {
    .error(503, "\(reason) Send them again later.").retry(afterSeconds: retrySeconds)
  }
}

extension ConversionValueAPI {
  /// Returns the answer to an event, as version 2 answers a request with the same parameters, and false if its SDK key is
  /// not accepted.
  fileprivate func answer(
    _ members: [JSONValue.Member],
    now: Timestamp
  ) -> (answer: ConversionValueAnswer, isKnown: Bool) {
    var query: [UInt8] = []
    var isKnown = sdkKeys == nil
    for member in members where member.value != .null {
      let text = member.value.text ?? member.value.description
      if let sdkKeys, member.key.lowercased() == "a" { isKnown = sdkKeys.contains(text) }
      if !query.isEmpty { query.append(UInt8(ascii: "&")) }
      query.append(percentEncoding: member.key)
      query.append(UInt8(ascii: "="))
      query.append(percentEncoding: text)
    }
    return (answer(.v2, query: String(decoding: query, as: UTF8.self), now: now), isKnown)
  }
}

extension [UInt8] {
  /// Appends a text with each byte that is no ASCII letter or digit percent-encoded.
  fileprivate mutating func append(percentEncoding text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        append(byte)
      default:
        append(UInt8(ascii: "%"))
        append(.hexadecimalDigit(byte >> 4))
        append(.hexadecimalDigit(byte & 15))
      }
    }
  }
}
