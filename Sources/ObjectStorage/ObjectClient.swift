internal import DurableFiles
internal import HTTPClient

/// The requests for remote objects, one after the other over connections that are used again.
final class ObjectClient {
  /// The response to the last request.
  let stream: HTTPStream
  private let environment: (String) -> String?
  private var openedAccount: ObjectAccount?

  private static let temporary: Set<Int> = [408, 429, 500, 502, 503, 504]
  /// The longest body that is read as a whole: of a page with a thousand keys.
  private static let bodyBytes = 16 << 20
  /// The longest answer of a service for credentials.
  private static let answerBytes = 1 << 20

  /// A client without connections. Throws if libcurl cannot be used.
  init(environment: @escaping (String) -> String?) throws(StreamFailure) {
    stream = try HTTPStream()
    self.environment = environment
  }

  /// Sends a GET with these headers, and returns the beginning of its response. A temporary failure of the server or of the network
  /// is tried again; a request to a wrong region, or with credentials that have ended, is sent once more.
  func get(
    _ address: RemoteAddress,
    _ headers: [String] = [],
    query: [(String, String)] = []
  ) throws(FileFailure) -> ResponseHead {
    var attempts = Attempts()
    var isCorrected = false
    while true {
      var asked: Int64 = 0
      let event: String
      let request = try request(address, headers, query)
      do throws(StreamFailure) {
        let head = try stream.begin(request)
        if !isCorrected, corrects(head, of: address) {
          isCorrected = true
          continue
        }
        guard Self.temporary.contains(head.status) else { return head }
        asked = head.retryAfter
        event = "The server answers \(head.status)"
      } catch {
        guard error.isTemporary else { throw FileFailure(.notFound, address.name, error.reason) }
        event = error.reason
      }
      guard attempts.wait(asked: asked) else { throw Self.broken(address, event) }
    }
  }

  /// Returns the rest of the body of the last response.
  func body(of address: RemoteAddress) throws(FileFailure) -> [UInt8] {
    do throws(StreamFailure) { return try stream.body(upTo: Self.bodyBytes) } catch {
      throw Self.broken(address, error.reason)
    }
  }

  /// Returns the failure for a response that has no content.
  func refusal(_ head: ResponseHead, of address: RemoteAddress) -> FileFailure {
    var event = "The server answers \(head.status)"
    if case .object = address.place, let (code, message) = problem() {
      event += " \(code)" + (message.isEmpty ? "" : ": \(message)")
    }
    return FileFailure(.notFound, address.name, event, advice: advice(head.status, address))
  }

  /// Returns the failure for a server or a network that has failed too often.
  static func broken(_ address: RemoteAddress, _ event: String) -> FileFailure {
    FileFailure(.io, address.name, event, advice: "Run again later, and the run continues where it stopped")
  }

  /// The code and the message of a refusal by an S3 service; nil if its body has none. Reads the body.
  private func problem() -> (code: String, message: String)? {
    guard let bytes = try? stream.body(upTo: Self.bodyBytes) else { return nil }
    var (code, message) = ("", "")
    XMLElements.visit(bytes) { name, text in
      if name == "Code" { code = text }
      if name == "Message" { message = text }
    }
    return code.isEmpty ? nil : (code, message)
  }

  /// Tells if the request may succeed now: because the response names another region of the bucket, or because the credentials
  /// can have ended.
  private func corrects(_ head: ResponseHead, of address: RemoteAddress) -> Bool {
    guard case .object(let bucket, _) = address.place, let account = openedAccount else { return false }
    switch head.status {
    case 301, 307, 400, 403:
      if let region = head["x-amz-bucket-region"], account.note(region: region, of: bucket) { return true }
      return head.status >= 400 && account.forgetCredentials()
    default: return false
    }
  }

  private func advice(_ status: Int, _ address: RemoteAddress) -> String {
    switch (status, address.place) {
    case (401, .object), (403, .object):
      openedAccount?.isSigned == true
        ? "Check the credentials, and that they may read and list it"
        : "No credentials were found. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    case (401, _), (403, _): "Check that you may read it"
    case (300..<400, .object): "Set AWS_REGION to the region of the bucket"
    case (300..<400, _): "The address leads elsewhere. Give the one to which it leads"
    default: "Check the address"
    }
  }

  private func request(
    _ address: RemoteAddress,
    _ headers: [String],
    _ query: [(String, String)]
  ) throws(FileFailure) -> StreamRequest {
    var request: StreamRequest
    switch address.place {
    case .web(let url):
      request = StreamRequest(url: url)
      request.followsRedirects = true
      request.authorities = environment("SSL_CERT_FILE")
    case .object(let bucket, let key):
      request = try account().request(bucket: bucket, key: key, query: query)
    }
    request.headers += ["user-agent: postback"] + headers
    return request
  }

  private func account() throws(FileFailure) -> ObjectAccount {
    if let openedAccount { return openedAccount }
    let account = try ObjectAccount(environment) { [stream] request in
      guard let head = try? stream.begin(request), let bytes = try? stream.body(upTo: Self.answerBytes) else {
        return nil
      }
      return (head.status, String(decoding: bytes, as: UTF8.self))
    }
    openedAccount = account
    return account
  }
}
