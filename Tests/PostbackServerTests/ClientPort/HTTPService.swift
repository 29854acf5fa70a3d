import ConversionModel
import Foundation
import PostbackPipeline
import PostbackServer
import TestSupport
import Testing

/// The API behind a server on this machine, by its clock.
final class HTTPService: ConversionValueService {
  private let server: HTTPServer
  private let client: RawClient

  init(_ api: ConversionValueAPI) throws {
    var limits = ServerLimits()
    limits.requestsPerMinute = 0
    let socket = try ListeningSocket(try #require(ListenAddress("127.0.0.1:0")))
    let routes = ConversionValueRoutes(CurrentModels(api.models), api)
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
    // Not at the end of a second, so that the server's clock shows the same one.
    while Timestamp.now.milliseconds % 1000 > 700 { Thread.sleep(forTimeInterval: 0.05) }
    return Int(Timestamp.now.milliseconds / 1000) - time
  }

  func get(_ path: String, query: String, at time: Int) throws -> [UInt8]? {
    let answer = try client.request("GET", "\(path)?\(query)")
    return answer.status == 200 ? answer.body : nil
  }
}
