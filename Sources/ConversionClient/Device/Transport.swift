public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The HTTP client.
public protocol Transport: Sendable {
  /// Gets a URL: the status and the whole body, also of a status that is no success.
  ///
  /// - Throws: An error if no complete answer comes, which the client reports as `network`.
  func get(_ url: URL) async throws -> HTTPAnswer
}

/// The answer to an HTTP request.
public struct HTTPAnswer: Hashable, Sendable {
  /// The HTTP status, such as 200.
  public let status: Int
  /// The body, without transfer and content encodings.
  public let body: Data

  /// An answer.
  public init(status: Int, body: Data) {
    (self.status, self.body) = (status, body)
  }
}

/// The HTTP client of Foundation, without cookies and caches.
public struct URLSessionTransport: Transport {
  private let session: URLSession
  private let secondsToWait: Double

  /// A client that gives up after this many seconds without a byte.
  public init(timeout secondsToWait: Double = 10) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    session = URLSession(configuration: configuration)
    self.secondsToWait = secondsToWait
  }

  /// Gets a URL.
  ///
  /// - Throws: An error of `URLSession`, or of `URLError` for an answer that is not of HTTP.
  public func get(_ url: URL) async throws -> HTTPAnswer {
    let request = URLRequest(url: url, timeoutInterval: secondsToWait)
    let (body, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return HTTPAnswer(status: response.statusCode, body: body)
  }
}
