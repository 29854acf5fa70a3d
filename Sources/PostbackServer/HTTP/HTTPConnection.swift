internal import CMicrohttpd
internal import Glibc
internal import Synchronization

/// A connection and its current request.
///
/// The server's threads call it, one at a time. The deadline check and replies come from other threads.
@safe
final class HTTPConnection: Sendable {
  /// The address of the other end of the connection, which may be a proxy.
  let peer: IPAddress
  private let server: HTTPServer
  private let socket: Int32
  nonisolated(unsafe) private let handle: OpaquePointer
  private let state = Mutex(RequestState())
  private let hadRequest = Atomic<Bool>(false)

  init(_ server: HTTPServer, _ handle: OpaquePointer, socket: Int32, peer: IPAddress) {
    self.server = server
    unsafe self.handle = handle
    self.socket = socket
    self.peer = peer
  }

  // MARK: - Callbacks of libmicrohttpd

  /// Handles the first line of a request.
  func began(_ target: String) {
    hadRequest.store(true, ordering: .relaxed)
    state.withLock { $0.begin(target) }
    server.metrics.beginRequest()
    if HeadSize(target).exceeds(server.limits.headerBytes) { cut("414 URI Too Long") }
  }

  /// Handles the end of the headers; returns false to close the connection. `isPlain` is false if the head holds more
  /// than these headers show, such as a folded line.
  func head(_ method: String, _ version: String, isPlain: Bool) -> Bool {
    let target = state.withLock { $0.target }
    let fields = self.fields()
    if HeadSize(target, fields).exceeds(server.limits.headerBytes) {
      cut("431 Request Header Fields Too Large")
      return false
    }
    let headers = fields.map { HTTPRequest.Field($0.name, $0.value.withoutTrailingWhitespace) }
    let request = HTTPRequest(method: method, target: target, headers: headers, client: proxyClient(headers))
    let syntax = HeadSyntax(version: version, target: target, fields: fields, isPlain: isPlain)
    if let refusal = syntax.refusal {
      state.withLock { $0.request(request, nil, refusal) }
      return answer(refusal.adding("Connection", "close"))
    }
    var route: Route?
    let refusal: HTTPResponse?
    switch server.router.route(method, request.path) {
    case .success(let found):
      route = found
      refusal = refusalOfHead(request, found)
    case .failure(let failure): refusal = failure.response
    }
    let length = request.contentLength ?? 0
    let isChunked = request.isChunked
    // The library accepts malformed chunks. The end of a chunked body is therefore too uncertain for another request
    // after it.
    state.withLock { $0.request(request, route, refusal, declaredCount: length, isLast: isChunked) }
    // A short refused body is read and dropped, so that the connection can continue. A long or chunked one is not
    // awaited.
    if let refusal, isChunked || length > Self.droppedBytes || length < 0 { return answer(refusal) }
    return true
  }

  /// Handles a piece of the body; returns false to close the connection.
  func body(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let isTooLong = state.withLock { state in
      unsafe state.append(bytes, within: server.bodies)
      return state.isTooLong
    }
    server.metrics.add(bodyBytes: bytes.count)
    // Only a body without a declared length can become too long here.
    if isTooLong { cut("413 Content Too Large") }
    return !isTooLong
  }

  /// Handles the end of the body, or a reply to a waiting request; returns false to close the connection.
  func complete() -> Bool {
    switch state.withLock({ $0.step }) {
    case .none: return false
    case .answer(let response): return answer(response)
    case .handle(let request, let route):
      switch route.action {
      case .answer(let handler): return answer(handler(request))
      case .reply(let handler):
        guard state.withLock({ $0.suspend() }) else { return false }
        server.beginReply()
        unsafe cmicrohttpd_suspend(handle)
        handler(request, HTTPReply(self))
        return true
      }
    }
  }

  /// Handles the end of the request, answered or not.
  func ended() {
    let (hadBegun, wasAnswered) = state.withLock { $0.end(within: server.bodies) }
    if hadBegun { server.metrics.endRequest(wasAnswered: wasAnswered) }
  }

  /// Handles the end of the connection. The library closes the socket next, so it must not be used after this call.
  func closed() {
    ended()
    state.withLock { $0.close() }
    server.remove(self)
  }

  // MARK: - Calls from other threads

  /// Resumes a waiting request with its response.
  func resume(with response: HTTPResponse) {
    state.withLock { $0.reply(response) }
    unsafe cmicrohttpd_resume(handle)
    server.endReply()
  }

  /// Takes room in the budget of bodies for the answer of a waiting request, in exchange for that of its body; returns
  /// false if there is none.
  func reserve(_ count: Int) -> Bool { state.withLock { $0.reserve(count, within: server.bodies) } }

  /// Sets the function that is called once if nobody waits any more for the reply to the waiting request.
  func whenAbandoned(_ handler: @escaping @Sendable () -> Void) { state.withLock { $0.whenAbandoned(handler) } }

  /// Tells the handler of a waiting request that nobody waits for the reply, if the client has closed the connection or in any case.
  func abandon(ifClientIsGone needsCheck: Bool) {
    let handler: (@Sendable () -> Void)? = state.withLock { state in
      guard state.canBeAbandoned, !needsCheck || hasHungUp else { return nil }
      return state.abandon()
    }
    handler?()
  }

  /// Indicates that the client has closed the connection. The socket is open while a request waits.
  private var hasHungUp: Bool {
    // POLLRDHUP, which is not part of the Glibc module.
    var request = pollfd(fd: socket, events: 0x2000, revents: 0)
    return unsafe poll(&request, 1, 0) > 0
  }

  /// Ends the connection if its request is overdue, if a long body has stalled, or if its answer is not read.
  func cut(ifOverdue now: Duration) {
    let limits = server.limits
    state.withLock { state in
      guard state.isUnread(at: now, after: limits.requestSeconds, stalledFor: limits.stallSeconds) else { return }
      _ = shutdown(socket, Int32(SHUT_RDWR))
      server.metrics.add(refused: "unread answer")
      state.cut()
    }
    cut("408 Request Timeout") { state in
      (state.isIdle || state.isReceiving) && now - state.since > .seconds(limits.requestSeconds)
        || state.isStalled(at: now, after: limits.stallSeconds)
    }
  }

  /// The time since which a request is awaited; nil while one is there, or if the connection was cut.
  var idleSince: Duration? { state.withLock { $0.mayMakeRoom ? $0.since : nil } }

  /// Indicates that no request has begun since the connection was accepted.
  var awaitsFirstRequest: Bool { !hadRequest.load(ordering: .relaxed) }

  /// Ends the connection if it has awaited a request since then; returns false if it has not.
  func cut(ifIdleSince since: Duration) -> Bool {
    var isCut = false
    cut("408 Request Timeout") { state in
      isCut = state.mayMakeRoom && state.since == since
      return isCut
    }
    return isCut
  }

  /// Ends the connection with a status on the raw socket, because the library cannot do so in the middle of a request.
  private func cut(_ status: String, if isWanted: (inout RequestState) -> Bool = { _ in true }) {
    state.withLock { state in
      guard !state.isClosed, isWanted(&state) else { return }
      if state.isReceiving {
        let fields = server.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        let text = Array("HTTP/1.1 \(status)\r\n\(fields)Content-Length: 0\r\nConnection: close\r\n\r\n".utf8)
        _ = unsafe send(socket, text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        server.metrics.add(refused: status)
      }
      _ = shutdown(socket, Int32(SHUT_RDWR))
      state.cut()
    }
  }

  // MARK: - Implementation

  /// The largest refused body, in bytes, that is read and dropped to keep the connection open.
  private static let droppedBytes = 64 * 1024

  /// Returns the answer to a request that is refused by its head alone; nil if its body is wanted.
  private func refusalOfHead(_ request: HTTPRequest, _ route: Route) -> HTTPResponse? {
    if route.isRateLimited(request), !server.rate.allows(request.client) {
      return .error(429, "Too many requests came from \(request.client). Try again later.").retry(afterSeconds: 10)
    }
    if route.method == "POST", request.contentLength == nil, !request.isChunked {
      // Without a length the body is empty (RFC 9112, section 6.3), and what the client sends as one would be lost.
      return .error(411, "The request has neither a Content-Length nor a Transfer-Encoding.")
        .adding("Connection", "close")
    }
    if let length = request.contentLength, length > route.longestBody {
      return .error(413, "The body has more than \(route.longestBody) bytes.")
    }
    return route.refusal?(request)
  }

  /// Returns the address of the client, behind a trusted proxy if the headers name it.
  private func proxyClient(_ headers: [HTTPRequest.Field]) -> IPAddress {
    let proxies = server.proxies
    guard proxies.contains(peer) else { return peer }
    return proxies.client(of: peer, forwardedFor: headers.values(of: "X-Forwarded-For"))
  }

  /// Returns the headers as the library reports them, with trailing white space.
  private func fields() -> [HTTPRequest.Field] {
    var fields: [HTTPRequest.Field] = []
    unsafe withUnsafeMutablePointer(to: &fields) { fields in
      unsafe cmicrohttpd_headers(handle, fields) { context, name, nameCount, value, valueCount in
        func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
          guard let start = unsafe start else { return "" }
          return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
        let field = unsafe HTTPRequest.Field(text(name, nameCount), text(value, valueCount))
        unsafe context.assumingMemoryBound(to: [HTTPRequest.Field].self).pointee.append(field)
      }
    }
    return fields
  }

  /// Keeps the system from taking much of an answer that the client does not read, so that its progress is seen.
  private func limitUnsentBytes() {
    var bytes = Int32(8 * LargeBody.pieceBytes)
    _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes, socklen_t(MemoryLayout<Int32>.size))
  }

  private func answer(_ response: HTTPResponse) -> Bool {
    let large = response.body.count > LargeBody.pieceBytes ? LargeBody(response.body) : nil
    let head = state.withLock { $0.answer(large, response.companion, within: server.bodies) }
    guard let head else { return false }
    if large != nil { limitUnsentBytes() }
    server.metrics.add(head.route?.name ?? "other", response.status, SteadyTime.now - head.completeAt)
    let isLast = head.isLast || server.isDraining
    return unsafe response.adding(server.headers).send(over: handle, large, closing: isLast)
  }
}

extension HTTPRequest {
  /// The length of the body that the head declares, in bytes; nil if it declares none.
  fileprivate var contentLength: Int? { values(of: "Content-Length").first.flatMap { Int($0) } }
  fileprivate var isChunked: Bool { !values(of: "Transfer-Encoding").isEmpty }
}

extension HTTPResponse {
  /// Passes the answer to the library, with the body in pieces if it is large; returns false if the library refuses it.
  fileprivate func send(over connection: OpaquePointer, _ large: LargeBody?, closing: Bool) -> Bool {
    let fields = headers + (closing ? [.init("Connection", "close")] : [])
    var text: [UInt8] = []
    var starts: [(name: Int, value: Int)] = []
    for field in fields {
      let name = text.count
      text.append(contentsOf: field.name.utf8)
      text.append(0)
      starts.append((name, text.count))
      text.append(contentsOf: field.value.utf8)
      text.append(0)
    }
    return unsafe text.withUnsafeBytes { bytes in
      let text = unsafe bytes.assumingMemoryBound(to: CChar.self)
      let headers = unsafe starts.compactMap { start in
        unsafe text.baseAddress.map { unsafe cmicrohttpd_header(name: $0 + start.name, value: $0 + start.value) }
      }
      guard let large else {
        return unsafe cmicrohttpd_answer(connection, UInt32(status), headers, headers.count, body, body.count) == 1
      }
      var pieces = unsafe large.pieces
      return unsafe cmicrohttpd_answer_in_pieces(connection, UInt32(status), headers, headers.count, &pieces) == 1
    }
  }
}
