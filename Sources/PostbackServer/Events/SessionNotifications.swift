internal import Base
internal import JSON
internal import SKAdNetwork
internal import Signatures

/// The routes for one session or one event, with the paths and the parameters of Singular's server-to-server API.
///
/// Its senders repeat whatever is not answered by 200, so a request that is wrong gets 200 too, with the reason.
extension SessionEventRoutes {
  var notificationRoutes: [Route] {
    [("launch", true), ("evt", false)].flatMap { name, isSession in
      ["/api/v1/\(name)", "/\(name)"].map { path in
        Route(
          name,
          "GET",
          path,
          // A HEAD of a link must not become a session.
          refusal: { $0.method == "HEAD" ? .error(405, "Use GET.").adding("Allow", "GET") : nil },
          action: .reply { receive($0, isSession: isSession, $1) }
        )
      }
    }
  }

  private func receive(_ request: HTTPRequest, isSession: Bool, _ reply: HTTPReply) {
    let now = Timestamp.now
    @Sendable func send(_ answer: ConversionValueAnswer) {
      let fields = [HTTPRequest.Field("Content-Type", ConversionValueAnswer.contentType)]
      reply.send(HTTPResponse(200, headers: fields, body: answer.body))
    }
    do throws(ConversionValueRefusal) {
      let members = try Self.members(of: request.query, isSession: isSession, sdkKeys: api.sdkKeys)
      guard members.contains(where: { $0.key == "p" && $0.value.text == "iOS" }) else {
        return send(ConversionValueAnswer(receivedWithout: "The platform is not iOS. Nothing was kept."))
      }
      var line: [UInt8] = []
      do throws(LibcryptoFailure) { try SessionEventRow(members, receivedAt: now).append(to: &line) } catch {
        return reply.send(.error(503, "libcrypto failed: \(error)"))
      }
      let value = api.answer(members, now: now)
      let answer = value.reason.map { ConversionValueAnswer(receivedWithout: $0) } ?? value
      let isTaken = commits.submit(line) { isDurable in
        if isDurable { send(answer) } else { reply.send(Self.unavailable("The event could not be stored.")) }
      }
      if !isTaken { reply.send(Self.unavailable("Too much data waits to be stored.")) }
    } catch {
      send(ConversionValueAnswer(error))
    }
  }

  /// Returns the parameters of a query under the names of `s2s_events`.
  private static func members(
    of query: String,
    isSession: Bool,
    sdkKeys: Set<String>?
  ) throws(ConversionValueRefusal) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    var names: Set<String> = []
    for (name, value) in QueryParameter.pairs(in: Array(query.utf8)[...]) {
      guard names.insert(name).inserted else { throw .invalidParameter(name) }
      members.append(JSONValue.Member(key: name, value: .string(value)))
    }
    let key = members.first { $0.key == "a" }?.value.text
    if let sdkKeys, !(key.map(sdkKeys.contains) ?? false) { throw .invalidParameter("a") }
    // Singular's name for the version of the system.
    if !names.contains("v"), let place = members.firstIndex(where: { $0.key == "ve" }) { members[place].key = "v" }
    if isSession, !names.contains("n") {
      members.append(JSONValue.Member(key: "n", value: .string("__SESSION__")))
    }
    guard members.contains(where: { $0.key == "n" && $0.value.text?.isEmpty == false }) else {
      throw .invalidParameter("n")
    }
    return members
  }
}
