import Base
import Foundation
import PostbackPipeline
import PostbackServer
import TestSupport
import Testing

/// A service that a client asks for conversion values.
protocol ConversionValueService {
  /// Returns the seconds by which the service's clock is ahead of the client's when the client's shows `time`.
  func clockOffset(at time: Int) -> Int

  /// Returns the body of the answer to a GET when the client's clock shows `time`; nil if there is none.
  func get(_ path: String, query: String, at time: Int) throws -> [UInt8]?
}

/// The API without HTTP, at the time of the client's clock.
struct DirectService: ConversionValueService {
  let api: ConversionValueAPI

  func clockOffset(at time: Int) -> Int { 0 }

  func get(_ path: String, query: String, at time: Int) throws -> [UInt8]? {
    let versions: [String: ConversionValueVersion] = ["/api/v1/conversion_value": .v1, "/api/v2/conversion_value": .v2]
    guard let version = versions[path] else { return nil }
    return api.answer(version, query: query, now: Timestamp(milliseconds: Int64(time) * 1000)).body
  }
}

/// The API behind an HTTP server on this machine, at the time of the machine's clock.
final class HTTPService: ConversionValueService {
  private let server: HTTPServer
  private let client: RawClient

  init(_ api: ConversionValueAPI) throws {
    var limits = ServerLimits()
    limits.requestsPerMinute = 0
    let socket = try ListeningSocket(try #require(ListenAddress("127.0.0.1:0")))
    let routes = ConversionValueRoutes(api)
    let metrics = ServerMetrics()
    server = HTTPServer(socket, Router(routes.routes), limits: limits, proxies: TrustedProxies([]), metrics: metrics)
    try server.start()
    client = try RawClient(port: Int(socket.port))
  }

  deinit {
    server.quiesce()
    server.stop()
  }

  func clockOffset(at time: Int) -> Int {
    // Waits for the start of a second, so that the server answers within the same second.
    while Timestamp.now.milliseconds % 1000 > 700 { Thread.sleep(forTimeInterval: 0.05) }
    return Int(Timestamp.now.milliseconds / 1000) - time
  }

  func get(_ path: String, query: String, at time: Int) throws -> [UInt8]? {
    let answer = try client.request("GET", "\(path)?\(query)")
    return answer.status == 200 ? answer.body : nil
  }
}
