import JSON
import TestSupport
import Testing

/// The address at which `postback serve` offers its metrics.
@Suite struct ServeMetricsAddressTests {
  @Test func `is one of their own with --metrics-listen, and the only one`() async throws {
    let site = try await ServerSite(["--metrics-listen", "127.0.0.1:0"])
    let line = try #require(try site.log().first { $0["event"] == .string("metrics_listening") })
    let port = try #require(line.integer("port"))
    #expect(try site.request("GET", "/metrics").status == 404)
    let answer = try RawClient(port: port).request("GET", "/metrics", [], body: nil)
    #expect(answer.status == 200 && answer.text.contains("postback_http_requests_total"))
    for path in ["/healthz", "/v1/postbacks", "/"] {
      #expect(try RawClient(port: port).request("GET", path, [], body: nil).status == 404)
    }
    site.signal(1)
    try await site.wait("it is reloaded") { try site.log().contains { $0["event"] == .string("reloaded") } }
    #expect(try site.request("GET", "/metrics").status == 404)
    #expect(try await site.stop() == 0)
  }

  @Test func `is warned of where it is that of the postbacks, and not of this machine alone`() async throws {
    for (options, isWarned) in [
      (["--listen", "0.0.0.0:0"], true), (["--listen", "0.0.0.0:0", "--metrics-listen", "127.0.0.1:0"], false),
      ([], false),
    ] {
      let site = try await ServerSite(options)
      #expect(try site.log().contains { $0["event"] == .string("metrics_public") } == isWarned)
    }
  }

  @Test func `ends the start where it is in use`() async throws {
    let other = try await ServerSite()
    let spool = ["--spool", other.spool, "--listen", "127.0.0.1:0"]
    let result = try await BuiltCommand.run(["serve", "--metrics-listen", "127.0.0.1:\(other.port)"] + spool)
    #expect(result.status == 73)
    #expect(result.errorText.contains("127.0.0.1:\(other.port)"), "\(result.errorText)")
    let wrong = try await BuiltCommand.run(["serve", "--metrics-listen", "9464"] + spool)
    #expect(wrong.status == 64)
  }
}
