internal import Base
internal import Dispatch
internal import JSON

/// The HTTP route for the sessions and events of apps, which answers each with its conversion value once all are durable.
package struct SessionEventRoutes: Sendable {
  let api: ConversionValueAPI
  let commits: GroupCommit
  /// The most events of one request.
  private let requestEvents: Int
  /// The serial queue for large bodies, so that devices do not wait for them.
  private let large = DispatchQueue(label: "postback.events")

  /// The largest body, in bytes, and the largest that is answered on the thread that read it.
  private static let longestBody = 1 << 20
  private static let inlineBytes = 64 << 10
  private static let retrySeconds = 30

  /// The largest event, in bytes, so that its members take little memory.
  private static let eventBytes = 64 << 10

  /// Creates routes that answer by `api`, and make at most `requestEvents` events of a request durable in `commits`.
  package init(_ api: ConversionValueAPI, _ commits: GroupCommit, requestEvents: Int) {
    (self.api, self.commits, self.requestEvents) = (api, commits, requestEvents)
  }

  /// The route `/v1/events`, and those for one session or event.
  package var routes: [Route] {
    notificationRoutes + [
      Route(
        "events",
        "POST",
        "/v1/events",
        longestBody: Self.longestBody,
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
    let rows: (lines: [UInt8], results: [UInt8])
    do { rows = try answer(request.body) } catch { return reply.send(Refusal(of: error).response) }
    // The answer takes the room of the body, from the same budget.
    guard reply.reserve(rows.results.count) else {
      return reply.send(Self.unavailable("Too many answers wait to be read."))
    }
    let fields = [HTTPRequest.Field("Content-Type", ConversionValueAnswer.contentType)]
    let done = HTTPResponse(200, headers: fields, body: rows.results)
    guard !rows.lines.isEmpty else { return reply.send(done) }
    let isTaken = commits.submit(rows.lines) { isDurable in
      reply.send(isDurable ? done : Self.unavailable("The events could not be stored."))
    }
    if !isTaken { reply.send(Self.unavailable("Too much data waits to be stored.")) }
  }

  /// The reason that a request is refused as a whole.
  private struct Refusal: Error {
    let response: HTTPResponse

    init(_ status: Int, _ reason: String) { response = .error(status, reason) }

    /// Creates the refusal of a request whose reading has thrown an error.
    init(of error: any Error) {
      switch error {
      case let refusal as Refusal: self = refusal
      case is JSONDefect:
        self.init(400, "The body is not a JSON array. Send an array with an object for each event.")
      default: self.init(500, "libcrypto failed: \(error)")
      }
    }
  }

  /// Returns the rows of a body, and the answer to it.
  private func answer(_ body: [UInt8]) throws -> (lines: [UInt8], results: [UInt8]) {
    var events = try SessionEventList(body)
    let count = try events.count(upTo: requestEvents)
    guard count <= requestEvents else {
      throw Refusal(413, "The body holds more than \(requestEvents) events. Send fewer at once.")
    }
    let now = Timestamp.now
    var parser = JSONParser()
    var document = JSONDocument()
    var lines: [UInt8] = []
    var results: [UInt8] = Array(#"{"status":"ok","results":["#.utf8)
    for index in 0..<count {
      guard let text = try events.next() else { break }
      guard text.count <= Self.eventBytes else {
        throw Refusal(413, "An event has more than \(Self.eventBytes) bytes.")
      }
      if index > 0 { results.append(UInt8(ascii: ",")) }
      let event = try SessionEvent(text, sdkKeys: api.sdkKeys, &parser, &document)
      switch event.kind {
      case .notAnObject: results += ConversionValueAnswer(refusing: "The element is not an object.").body
      case .unknown: results += ConversionValueAnswer(.invalidParameter("a")).body
      case .known:
        let members = try event.members()
        results += api.answer(members, now: now).body
        try SessionEventRow(members, receivedAt: now).append(to: &lines)
      }
      guard lines.count <= SessionEventWriter.requestBytes, results.count <= Self.longestBody else {
        throw Refusal(413, "The rows of the events, or the answers to them, have too many bytes. Send fewer at once.")
      }
    }
    return (lines, results + Array("]}\n".utf8))
  }

  static func unavailable(_ reason: String) -> HTTPResponse {
    .error(503, "\(reason) Send them again later.").retry(afterSeconds: retrySeconds)
  }
}

extension ConversionValueAPI {
  /// Returns the answer to an event, as version 2 answers a request with the same parameters, or version 1 where they have the
  /// names of metadata for SKAdNetwork 3.
  func answer(_ members: [JSONValue.Member], now: Timestamp) -> ConversionValueAnswer {
    let parameters = members.filter { $0.value != .null }.map { member in
      "\(member.key.percentEncoded)=\((member.value.text ?? member.value.description).percentEncoded)"
    }
    let isOfVersion1 = members.contains { Parameter.metadataNames.contains($0.key.lowercased()) }
    return answer(isOfVersion1 ? .v1 : .v2, query: parameters.joined(separator: "&"), now: now)
  }
}
