import Foundation
import Glibc
import JSON
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"

@Suite(.enabled(if: Tracer.works, "strace is not there, or may not trace")) struct `A failing spool` {
  /// Makes calls that concern a folder of the spool fail, all of them or one. The first write attempt makes a file durable; then comes
  /// the first commit.
  private func site(_ call: String, _ error: String, _ count: String?) async throws -> ServerSite {
    try await ServerSite(fault: Fault(call: call, effect: "error=\(error)", count: count))
  }

  @Test(arguments: [("fsync", "EIO"), ("rename", "ENOSPC"), ("rename", "EIO"), ("fsync", "ENOSPC")])
  func `makes the server answer 503 and store nothing, until the disk works again`(_ call: String, _ error: String)
    async throws
  {
    let site = try await site(call, error, call == "fsync" ? "2" : "1")
    let answer = try site.request("POST", device, body: #"{"n":1}"#)
    #expect(answer.status == 503 && answer.headers["retry-after"] == "30")
    #expect(try site.names("new").isEmpty && site.names("tmp").isEmpty)
    #expect(try site.log().contains { $0["event"] == .string("spool_failing") })
    // Nobody has to send anything for it to be well again.
    try await site.wait("it is healthy again") { try site.request("GET", "/healthz").status == 200 }
    #expect(try site.request("POST", device, body: #"{"n":2}"#).status == 200)
    #expect(try site.envelopes().map { $0["body"] } == [.object([.init(key: "n", value: .number("2"))])])
    #expect(try site.log().contains { $0["event"] == .string("spool_recovered") })
    #expect(try site.metric(#"postback_receiver_commits_total{outcome="failed"}"#) == 1)
  }

  @Test func `makes the server answer 503 and store nothing if fsync of the folder fails`() async throws {
    // The second fsync is the file's, the third that of the folder that it was renamed into.
    let site = try await site("fsync", "EIO", "3")
    #expect(try site.request("POST", device, body: "{}").status == 503)
    #expect(try site.names("new").isEmpty && site.names("tmp").isEmpty)
  }

  @Test func `is reported as long as it lasts, and nothing is acknowledged`() async throws {
    let site = try await site("fsync", "EIO", nil)
    // Also before the first postback.
    try await site.wait("it is failing") { try site.request("GET", "/healthz").status == 503 }
    for _ in 0..<5 { #expect(try site.request("POST", device, body: "{}").status == 503) }
    let health = try site.request("GET", "/healthz")
    #expect(health.status == 503 && health.text.contains("cannot be made durable"))
    #expect(try site.names("new").isEmpty && site.names("tmp").isEmpty)
    #expect(try await site.stop() == 0)
  }
}

@Suite struct `A spool that is gone` {
  @Test func `is told to load balancers without a request that fails`() async throws {
    let site = try await ServerSite()
    let (spool, other) = (site.folder.path("spool"), site.folder.path("elsewhere"))
    try FileManager.default.moveItem(atPath: spool, toPath: other)
    try await site.wait("it is failing") { try site.request("GET", "/healthz").status == 503 }
    try FileManager.default.moveItem(atPath: other, toPath: spool)
    try await site.wait("it is healthy again") { try site.request("GET", "/healthz").status == 200 }
    #expect(try site.request("POST", device, body: "{}").status == 200)
  }
}

@Suite struct `A receiver that is asked to stop` {
  @Test func `finishes requests that have begun`() async throws {
    let site = try await ServerSite()
    let clients = try (0..<20).map { _ in try site.client() }
    for client in clients { client.send("POST \(device) HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n{\"n\"") }
    // One more is that which asks. The receiver waits for them for some seconds only: nothing is awaited here until all have
    // their answer, as other tests may take the time meanwhile.
    try Self.block { try site.metric("postback_http_requests_in_flight") == 21 }
    site.signal(SIGTERM)
    try Self.block { (try? site.client()) == nil }
    for client in clients {
      client.send(":1}")
      let answer = try client.answer()
      #expect(answer.status == 200 && answer.headers["connection"]?.lowercased() == "close")
    }
    #expect(try await site.end() == 0)
    #expect(try site.envelopes().count == 20)
  }

  private static func block(until isSo: () throws -> Bool) throws {
    for _ in 0..<500 {
      if try isSo() { return }
      usleep(10_000)
    }
    Issue.record("it does not become so")
  }

  @Test func `does not wait for idle connections`() async throws {
    let site = try await ServerSite()
    let client = try site.client()
    #expect(try client.request("GET", "/healthz").status == 200)
    #expect(try await site.stop() == 0)
    #expect(client.isClosed())
  }

  @Test func `removes its unacknowledged files at the next start, and no others`() async throws {
    let site = try await ServerSite()
    #expect(try site.request("POST", device, body: "{}").status == 200)
    let own = try #require(try site.names("new").first)
    #expect(try await site.stop() == 0)
    let old = Date(timeIntervalSinceNow: -3600)
    for name in [own, "serve-1.jsonl", "other", own + ".x"] {
      let path = try site.folder.makeFile("spool/tmp/\(name)")
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
    }
    let young = "serve-99999999999999999-0000000001-00000000.jsonl"
    try site.folder.makeFile("spool/tmp/\(young)")
    let next = try await ServerSite(in: site.folder)
    #expect(try await next.stop() == 0)
    #expect(try site.names("tmp") == ["other", "serve-1.jsonl", own + ".x", young].sorted())
  }
}
