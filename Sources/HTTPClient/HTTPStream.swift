internal import CCurl

/// A request for a response that is read piece by piece.
package struct StreamRequest {
  package var url: String
  /// True for a PUT without a body, false for GET.
  package var isPut = false
  /// Lines such as `range: bytes=100-`.
  package var headers: [String] = []
  /// True if redirects are followed, from https to https alone.
  package var followsRedirects = false
  /// True if the proxy that the environment names is used.
  package var usesProxy = true
  /// The path of a file with the certificates of authorities; nil for those of the system.
  package var authorities: String?
  /// The time for the connection, in milliseconds.
  package var connectTimeout = 10_000
  /// The time to wait for the next byte, in milliseconds.
  package var timeout: Int32 = 60_000

  /// A GET of a URL.
  package init(url: String) { self.url = url }
}

/// The beginning of a response.
package struct ResponseHead: Sendable {
  package let status: Int
  /// The time of `Last-Modified` in milliseconds since 1970; nil if it is unknown.
  package let modified: Int64?
  /// The time of `Retry-After` in milliseconds; 0 if there is none.
  package let retryAfter: Int64
  private let headers: [String: String]

  init(status: Int, modified: Int64?, retryAfter: Int64, lines: String) {
    (self.status, self.modified, self.retryAfter) = (status, modified, retryAfter)
    var headers: [String: String] = [:]
    for line in lines.split(whereSeparator: \.isNewline) {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      headers[line[..<colon].lowercased()] = String(value)
    }
    self.headers = headers
  }

  /// The value of a header, whose name is in lower case; nil if the response does not have it.
  package subscript(name: String) -> String? { headers[name] }

  /// The length of the body in bytes; nil if it is unknown.
  package var byteCount: Int64? { self["content-length"].flatMap { Int64($0) }.flatMap { $0 < 0 ? nil : $0 } }
}

/// The failure to get a response, or the rest of one.
package struct StreamFailure: Error {
  /// The reason, without its full stop.
  package let reason: String
  /// True if the same request may succeed later.
  package let isTemporary: Bool

  /// A failure with its reason.
  package init(reason: String, isTemporary: Bool) { (self.reason, self.isTemporary) = (reason, isTemporary) }
}

/// One response after the other, each read piece by piece.
@safe
package final class HTTPStream {
  private let stream: OpaquePointer
  private var timeout: Int32 = 0
  /// The number of requests so far: that of the response which can be read now.
  package private(set) var number = 0

  /// A stream without a response. Throws if libcurl cannot be used.
  package init() throws(StreamFailure) {
    guard let stream = unsafe ccurl_stream_new() else {
      throw StreamFailure(
        reason: "libcurl cannot be started. Install the package that has libcurl.so.4",
        isTemporary: false
      )
    }
    unsafe self.stream = stream
  }

  deinit { unsafe ccurl_stream_free(stream) }

  /// Ends the response before, sends a request, and waits for the beginning of its response.
  package func begin(_ request: StreamRequest) throws(StreamFailure) -> ResponseHead {
    number += 1
    timeout = request.timeout
    var response = unsafe ccurl_stream_response()
    let result = unsafe request.url.withCString { url in
      unsafe CurlTransport.withLines(request.headers + [request.authorities ?? ""]) { lines in
        var described = unsafe ccurl_stream_request(
          url: url,
          is_put: request.isPut ? 1 : 0,
          headers: lines,
          header_count: request.headers.count,
          follows_redirects: request.followsRedirects ? 1 : 0,
          uses_proxy: request.usesProxy ? 1 : 0,
          authorities: request.authorities == nil ? nil : lines[request.headers.count],
          connect_timeout: request.connectTimeout,
          timeout: request.timeout
        )
        return unsafe ccurl_stream_begin(stream, &described, &response)
      }
    }
    guard result == 1 else { throw failure(Int(result)) }
    let head = unsafe UnsafeRawBufferPointer(start: response.head, count: response.head_count)
    let modified = unsafe response.modified
    return unsafe ResponseHead(
      status: Int(response.status),
      modified: modified < 0 ? nil : min(modified, 253_402_300_799) * 1000,
      retryAfter: min(max(response.retry_after, 0), 86_400) * 1000,
      lines: String(decoding: head, as: UTF8.self)
    )
  }

  /// Reads into `buffer` from index `start` on. Returns the number of bytes read, 0 at the end of the body.
  package func read(into buffer: inout [UInt8], at start: Int) throws(StreamFailure) -> Int {
    let count = unsafe buffer.withUnsafeMutableBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return 0 }
      return unsafe ccurl_stream_read(stream, base + start, bytes.count - start, timeout)
    }
    guard count >= 0 else { throw failure(count) }
    return count
  }

  /// Returns the rest of the body. Throws if it has more bytes than `most`.
  package func body(upTo most: Int) throws(StreamFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try read(into: &piece, at: 0)
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= most else {
        throw StreamFailure(reason: "The answer has more than \(most) bytes", isTemporary: false)
      }
    }
  }

  private func failure(_ result: Int) -> StreamFailure {
    StreamFailure(
      reason: unsafe String(cString: ccurl_stream_error(stream)),
      isTemporary: result == Int(ccurl_stream_broken)
    )
  }
}
