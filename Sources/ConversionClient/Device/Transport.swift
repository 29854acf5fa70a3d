public import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The HTTP client.
public protocol Transport: Sendable {
  /// Gets a URL; throws if no complete answer comes.
  func get(_ url: URL) async throws -> HTTPAnswer
}

/// The answer to an HTTP request.
public struct HTTPAnswer: Hashable, Sendable {
  /// The status.
  public let status: Int
  /// The body.
  public let body: Data

  /// An answer.
  public init(status: Int, body: Data) {
    self.status = status
    self.body = body
  }
}

/// The HTTP client of Foundation, without cookies and caches.
public struct URLSessionTransport: Transport {
  private let session: URLSession
  private let secondsToWait: Double

  /// A client that waits this long for an answer.
  public init(timeout secondsToWait: Double = 10) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpShouldSetCookies = false
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    session = URLSession(configuration: configuration)
    self.secondsToWait = secondsToWait
  }

  /// Gets a URL; throws if no complete answer comes.
  public func get(_ url: URL) async throws -> HTTPAnswer {
    let request = URLRequest(url: url, timeoutInterval: secondsToWait)
    let (body, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return HTTPAnswer(status: response.statusCode, body: body)
  }
}
