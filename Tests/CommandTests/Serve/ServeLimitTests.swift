import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@Suite struct `A request with very many events` {
  private static let options = ["--models", Fixtures.path("implementation/models"), "--events", "FOLDER/events"]

  private func site(_ limits: String = "", keys: String = "") async throws -> ServerSite {
    try await ServerSite(Self.options, configuration: #"{"limits":{"requests_per_minute":0\#(limits)}\#(keys)}"#)
  }

  @Test func `is refused before it takes memory`() async throws {
    let site = try await site()
    let idle = try site.metric("process_resident_memory_bytes")
    let answer = try site.request("POST", "/v1/events", body: "[1" + String(repeating: ",1", count: 524_000) + "]")
    #expect(answer.status == 413 && answer.text.contains("more than 1000 events"))
    let status = try String(contentsOfFile: "/proc/\(site.serverID)/status", encoding: .utf8)
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    let kilobytes = try #require(peak?.split(separator: " ").dropFirst().first.flatMap { Double($0) })
    #expect(kilobytes * 1024 - (try #require(idle)) < 8e6)
    let long = "[{\"n\":\"\(String(repeating: "a", count: 70_000))\"}]"
    #expect(try site.request("POST", "/v1/events", body: long).status == 413)
  }

  @Test(arguments: [
    "[1,]", "[,1]", "[1,,1]", "[1]]", "[1] 2", "[1}", "[\"a]", "[{]}]", "[1,2,{\"a\":1,\"a\":2}]", "[ ", " 1",
  ])
  func `must be JSON to its end`(_ body: String) async throws {
    let site = try await site(#","request_events":3"#)
    #expect(try site.request("POST", "/v1/events", body: body).status == 400)
  }

  @Test(arguments: [
    ("[]", 0), (" [ ] \n", 0), ("[1]", 1), ("[ [1,2] , \"a,]\\\"[\" ,{\"a\":[1,{}]}]", 3), ("[1,1,1,1]", 4),
  ])
  func `has one result for each`(_ body: String, _ count: Int) async throws {
    let site = try await site(#","request_events":3"#, keys: #","sdk_keys":["k"]"#)
    let answer = try site.request("POST", "/v1/events", body: body)
    #expect(answer.status == (count > 3 ? 413 : 200))
    #expect(answer.text.split(separator: "\"status\"").count - 2 == (count > 3 ? 0 : count))
  }

  @Test func `is closed if it does not read its answer`() async throws {
    let site = try await site(#","request_events":100000,"stall_seconds":1,"idle_seconds":3600"#)
    let client = try site.client(receiveBytes: 4096)
    let body = "[1" + String(repeating: ",1", count: 16_000) + "]"
    // The system takes up to 4 MiB of answers for a client that does not read; these have 9.6 MB.
    for _ in 0..<10 {
      client.send("POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }
    try await site.wait("it is closed") {
      try site.metric(#"postback_http_refused_total{reason="unread answer"}"#) == 1
    }
    #expect(try site.request("GET", "/healthz").status == 200)
  }
}

@Suite struct `A head that fills the memory of its connection` {
  @Test(arguments: [100, 128, 129, 150, 200, 215, 240, 1500])
  func `gets one answer, however many parameters it has`(_ count: Int) async throws {
    let site = try await ServerSite()
    for headers in [0, 20, 50, 100, 150, 200] {
      let client = try site.client()
      let query = (0..<count).map { _ in "a" }.joined(separator: "&")
      let fields = String(repeating: "a: \(String(repeating: "b", count: 30))\r\n", count: headers)
      client.send("GET /healthz?\(query) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\(fields)\r\n")
      let status = try client.answer().status
      #expect(status == 414 || status == 431 || status == 200 && count + headers <= 220)
      #expect(client.isClosed())
    }
  }
}

@Suite struct `A refusal` {
  @Test(arguments: [
    "GET /healthz HTTP/1.1\r\n\r\n", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
  ]) func `has one head and a reason as JSON`(_ request: String) async throws {
    let site = try await ServerSite()
    let client = try site.client()
    client.send(request)
    let answer = try client.answer()
    #expect(answer.status == 400 && client.isClosed())
    #expect(!answer.text.contains("HTTP/1.1"))
  }
}
