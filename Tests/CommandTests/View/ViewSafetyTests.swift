import Foundation
import JSON
import TestSupport
import Testing

/// The live page under attack.
@Suite struct `The live page` {
  @Test func `prints one address, whose token opens one session`() async throws {
    let site = try await ViewSite()
    #expect(site.output.split(separator: "\n").count == 1)
    #expect(try site.request("GET", "/api/session").status == 200)
    #expect(try site.request("GET", "/?token=\(site.token)", cookie: "").status == 401)
    #expect(try site.request("GET", "/", cookie: "").status == 401)
    #expect(try site.request("GET", "/api/overview", cookie: "").status == 401)
    #expect(try site.request("GET", "/page.js", cookie: "").status == 401)
    #expect(!site.errors.contains(site.token))
  }

  @Test(arguments: [SIGTERM, SIGINT]) func `ends with status 0, also while pages wait for news`(_ signal: Int32)
    async throws
  {
    let site = try await ViewSite()
    let id = try #require(
      try site.request("GET", "/api/events").text.split(separator: "\n").last { $0.hasPrefix("id: ") }
    )
    let waiting = try RawClient(port: site.port)
    waiting.send(
      "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:\(site.port)\r\nCookie: \(site.cookie)\r\nLast-Event-ID: \(id.dropFirst(4))\r\n\r\n"
    )
    try await Task.sleep(for: .milliseconds(100))
    #expect(try await site.end(signal) == 0)
  }

  @Test func `tells of each commit`() async throws {
    let folder = try TemporaryFolder()
    let lines = Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")
    let out = folder.path("out")
    try await FraudSite.run(["run", try folder.makeFile("a", holding: lines[0]), "--out", out, "-q"])
    let site = try await ViewSite(of: out)
    var last = ""
    try await site.wait("the first news is there") {
      last = try site.request("GET", "/api/events").text
      return last.contains("event: commit") && last.contains("event: generation")
    }
    try await FraudSite.run(["run", try folder.makeFile("b", holding: lines[1]), "--out", out, "-q"])
    // The commit may come after the sections of the first one.
    try await site.wait("the commit is told") {
      let id = try #require(last.split(separator: "\n").last { $0.hasPrefix("id: ") }).dropFirst(4)
      let answer = try site.request("GET", "/api/events", ["Last-Event-ID: \(id)"])
      #expect(answer.headers["content-type"] == "text/event-stream; charset=utf-8")
      last = answer.text
      return last.contains("event: commit\ndata: {\"commit\":\"2-") && last.contains("\"accepted\":2")
    }
    #expect(try site.get("/api/overview")["totals"]?["accepted"]?.integer == 2)
  }

  @Test func `tells fifty pages of a commit, and answers all of them at once`() async throws {
    let folder = try TemporaryFolder()
    let lines = Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")
    let out = folder.path("out")
    try await FraudSite.run(["run", try folder.makeFile("a", holding: lines[0]), "--out", out, "-q"])
    let site = try await ViewSite(of: out)
    var id = ""
    try await site.wait("the sections are made") {
      let text = try site.request("GET", "/api/events").text
      id = String(text.split(separator: "\n").last { $0.hasPrefix("id: ") }?.dropFirst(4) ?? "")
      return text.contains("event: report")
    }
    let pages = try (0..<50).map { _ in try RawClient(port: site.port) }
    for page in pages {
      page.send(
        "GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:\(site.port)\r\nCookie: \(site.cookie)\r\nLast-Event-ID: \(id)\r\n\r\n"
      )
    }
    // While all of them wait, others are answered.
    #expect(try site.request("GET", "/api/overview").status == 200)
    try await FraudSite.run(["run", try folder.makeFile("b", holding: lines[1]), "--out", out, "-q"])
    for page in pages { #expect(try page.answer().text.contains("event: commit")) }
    for page in pages {
      page.send("GET /api/overview HTTP/1.1\r\nHost: 127.0.0.1:\(site.port)\r\nCookie: \(site.cookie)\r\n\r\n")
    }
    for page in pages { #expect(try page.answer().text.contains("\"accepted\":2")) }
  }

  @Test(arguments: [
    "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/..%2f..%2fetc%2fpasswd", "/page.css/../../x",
    "//etc/passwd",
    "/api/../page.js", "/_state/ledger", "/api/campaigns/../../x", "/.git/config", "/api/", "/api",
  ]) func `has no file but its own`(_ path: String) async throws {
    let site = try await ViewSite()
    let answer = try site.request("GET", path)
    #expect([400, 404].contains(answer.status), "\(path): \(answer.status)")
    #expect(!answer.text.contains("root:"))
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
  func `changes nothing by any method`(_ method: String) async throws {
    let site = try await ViewSite()
    for path in ["/", "/api/overview", "/api/campaigns.csv"] {
      let answer = try site.request(method, path)
      #expect([400, 405, 501].contains(answer.status), "\(method) \(path): \(answer.status)")
    }
  }

  @Test func `writes nothing to the tables`() async throws {
    let copy = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: try await ViewSite.tables, toPath: copy.path("out"))
    let site = try await ViewSite(of: copy.path("out"))
    let before = try site.fileTimes()
    for path in ["/api/overview", "/api/campaigns", "/api/rejects", "/api/postbacks", "/api/session"] {
      _ = try site.get(path)
    }
    try await site.wait("the sections are made") { try site.request("GET", "/api/report").status == 200 }
    #expect(try await site.end(SIGTERM) == 0)
    let after = try site.fileTimes()
    #expect(Set(after.keys) == Set(before.keys))
    for (name, time) in after { #expect(time == before[name], "\(name)") }
  }

  @Test func `is not called by another name`() async throws {
    let site = try await ViewSite()
    for host in ["evil.example", "127.0.0.1:1", "localhost.evil.example:\(site.port)"] {
      let client = try RawClient(port: site.port)
      client.send("GET /api/session HTTP/1.1\r\nHost: \(host)\r\nCookie: \(site.cookie)\r\n\r\n")
      #expect(try client.answer().status == 403, "\(host)")
    }
    let client = try RawClient(port: site.port)
    client.send("GET /api/session HTTP/1.1\r\nHost: localhost:\(site.port)\r\nCookie: \(site.cookie)\r\n\r\n")
    #expect(try client.answer().status == 200)
  }

  @Test func `forbids everything that it does not need`() async throws {
    let site = try await ViewSite()
    for path in ["/", "/api/session", "/api/campaigns.csv", "/api/nothing", "/page.js"] {
      let headers = try site.request("GET", path).headers
      #expect(headers["content-security-policy"]?.contains("default-src 'none'; script-src 'self'") == true, "\(path)")
      #expect(headers["content-security-policy"]?.contains("unsafe-inline") == false)
      #expect(headers["cache-control"] == "no-store" && headers["x-content-type-options"] == "nosniff")
      #expect(headers["access-control-allow-origin"] == nil)
    }
  }

  @Test func `shows hostile texts as text, in JSON and in CSV`() async throws {
    let folder = try TemporaryFolder()
    let hostile = #"{"version":"=cmd|' /C calc'!A0","ad-network-id":"</script><script>alert(1)</script>\u2028","x":1}"#
    let dump = try folder.makeFile("a", holding: Array((hostile + "\n").utf8))
    try await FraudSite.run(["run", dump, "--out", folder.path("out"), "-q"])
    let site = try await ViewSite(of: folder.path("out"))
    let row = try #require(try site.get("/api/rejects")["rows"]?.elements?.first)
    #expect(row["raw"]?.text == hostile)
    let csv = try site.request("GET", "/api/rejects.csv").text
    #expect(csv.contains(",'=cmd|") && !csv.contains(",=cmd|"), "\(csv)")
    let answer = try site.request("GET", "/api/rejects?contains=%3Cscript%3E")
    #expect(answer.headers["content-type"] == "application/json")
    #expect(try JSONValue(parsing: answer.body)["command"]?.text?.contains("<script>") == false)
    for wrong in ["/api/rejects?%3Cscript%3E=1", "/api/campaigns?by=%3Cscript%3E", "/api/rejects?cursor=;DROP"] {
      #expect(try site.request("GET", wrong).headers["content-type"] == "application/json")
    }
  }

  @Test func `shows no amount to a role without revenue`() async throws {
    let out = try await ViewSite.tables
    func get(_ address: String) async throws -> String {
      let result = try await BuiltCommand.run(["view", out, "--role", "read_without_revenue", "--get", address])
      #expect(result.status == 0, "\(result.errorText)")
      return result.text
    }
    let postbacks = try JSONValue(parsing: Array(try await get("/api/postbacks?limit=1").utf8))
    let key = try #require(postbacks["rows"]?.elements?.first?["postback_key"]?.text)
    for address in [
      "/api/session", "/api/overview", "/api/campaigns?by=campaign_id", "/api/campaigns.csv", "/api/postbacks",
      "/api/postbacks.csv", "/api/postback?id=\(key)", "/api/report",
    ] {
      let text = try await get(address)
      for word in [
        "\"revenue\":\"", "\"revenue\":0", "revenue_min", "USD", "roas", "ecpi", "effective_revenue", "\"cost\"",
      ] {
        #expect(!text.contains(word), "\(address) has \(word)")
      }
    }
    let sorted = try await BuiltCommand.run(
      ["view", out, "--role", "read_without_revenue", "--get", "/api/campaigns?sort=-revenue"]
    )
    #expect(sorted.status == 1)
  }
}
