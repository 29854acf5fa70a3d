internal import CCurl

/// Requests over libcurl, all on one thread.
@safe
package final class CurlTransport: Transport {
  private let client: OpaquePointer
  private let box: Box
  private let interrupt: Int32

  /// The state that the callbacks of the library see.
  private final class Box {
    var rules: [Int64: @Sendable (String) -> Bool] = [:]
    var responses: [IncomingResponse] = []
  }

  /// The version of libcurl that the program was built with.
  package static var libraryVersion: String { unsafe String(cString: ccurl_version()) }

  /// Creates a transport; `interrupt` is a descriptor that ends waiting when it can be read, or negative.
  package init(interrupt: Int32 = -1) throws(TransportFailure) {
    let box = Box()
    let owner = unsafe Unmanaged.passUnretained(box).toOpaque()
    let client = unsafe ccurl_new(
      { owner, number, address in
        let box = unsafe Unmanaged<Box>.fromOpaque(owner).takeUnretainedValue()
        return unsafe box.rules[number]?(String(cString: address)) ?? false ? 1 : 0
      },
      owner
    )
    guard let client = unsafe client else {
      throw TransportFailure(description: "libcurl cannot be started. Install the package that has libcurl.so.4.")
    }
    unsafe self.client = client
    self.box = box
    self.interrupt = interrupt
  }

  deinit { unsafe ccurl_free(client) }

  package func begin(_ request: OutgoingRequest) throws(TransportFailure) {
    box.rules[request.number] = request.allows
    let result = unsafe request.url.withCString { url in
      unsafe Self.withLines(request.headers) { headers in
        unsafe request.body.withUnsafeBufferPointer { body in
          var described = unsafe ccurl_request(
            number: request.number,
            url: url,
            is_post: request.isPost ? 1 : 0,
            body: body.baseAddress,
            body_count: body.count,
            headers: headers,
            header_count: request.headers.count,
            timeout: Int(request.timeout),
            needs_body: request.needsBody ? 1 : 0
          )
          return unsafe ccurl_begin(client, &described)
        }
      }
    }
    guard result == 1 else { throw TransportFailure(description: "libcurl cannot begin a request.") }
  }

  package func responses(within milliseconds: Int64) throws(TransportFailure) -> [IncomingResponse] {
    let result = unsafe ccurl_run(client, Int32(clamping: milliseconds), interrupt) { owner, result in
      let box = unsafe Unmanaged<Box>.fromOpaque(owner).takeUnretainedValue()
      let result = unsafe result.pointee
      let body = unsafe UnsafeBufferPointer(start: result.body, count: result.body_count)
      let text = unsafe result.error.map { unsafe String(cString: $0) } ?? String(decoding: body, as: UTF8.self)
      box.rules[unsafe result.number] = nil
      box.responses.append(
        unsafe IncomingResponse(
          number: result.number,
          status: Int(result.status),
          retryAfter: min(max(result.retry_after, 0), 86_400) * 1000,
          text: text
        )
      )
    }
    guard result == 1 else { throw TransportFailure(description: "libcurl cannot continue its requests.") }
    defer { box.responses = [] }
    return box.responses
  }

  /// Calls `body` with lines as C strings.
  static func withLines<Value>(
    _ lines: [String],
    _ body: (UnsafePointer<UnsafePointer<CChar>>) -> Value
  ) -> Value {
    var text: [CChar] = []
    var starts: [Int] = []
    for line in lines {
      starts.append(text.count)
      text += line.utf8CString
    }
    text.append(0)
    return unsafe text.withUnsafeBufferPointer { text in
      guard let base = text.baseAddress else { preconditionFailure("the text has a NUL at least") }
      let pointers = unsafe starts.map { unsafe base + $0 } + [base]
      return unsafe pointers.withUnsafeBufferPointer { pointers in
        guard let start = pointers.baseAddress else { preconditionFailure("there is one pointer at least") }
        return unsafe body(start)
      }
    }
  }
}
