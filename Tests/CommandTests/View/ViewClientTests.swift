import Foundation
import JSON
import Ledger
import Signatures
import TestSupport
import Testing

/// The live page and clients that use more than their part, or use it in another way than browsers do.
@Suite struct `The live page under load` {
  private func head(_ site: ViewSite, _ target: String, _ more: String = "") -> String {
    "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(site.port)\r\nCookie: \(site.cookie)\r\n\(more)\r\n"
  }

  /// Waits until the sections are made, and returns the id of the news.
  private func lastID(_ site: ViewSite) async throws -> String {
    var id = ""
    try await site.wait("the sections are made") {
      let text = try site.request("GET", "/api/events").text
      id = String(text.split(separator: "\n").last { $0.hasPrefix("id: ") }?.dropFirst(4) ?? "")
      return text.contains("event: report")
    }
    return id
  }

  /// The page of an output with 300 rejects of 60 000 bytes.
  private func siteOfLongRows(_ folder: TemporaryFolder) async throws -> ViewSite {
    let line = #"{"version":"4.0","x":""# + String(repeating: "a", count: 60_000) + "\"}\n"
    let dump = try folder.makeFile("a", holding: Array(String(repeating: line, count: 300).utf8))
    try await FraudSite.run(["run", dump, "--out", folder.path("out"), "-q"])
    return try await ViewSite(of: folder.path("out"))
  }

  @Test func `keeps no copy of an answer for each client that does not read it`() async throws {
    let site = try await ViewSite()
    _ = try await lastID(site)
    let size = try site.request("GET", "/api/report").body.count
    let before = try site.residentBytes
    let clients = try (0..<150).map { _ in try RawClient(port: site.port, receiveBytes: 4096) }
    for client in clients { client.send(head(site, "/api/report")) }
    try await Task.sleep(for: .seconds(2))
    #expect(try site.request("GET", "/api/overview").status == 200)
    #expect(try site.residentBytes - before < size * clients.count / 4)
  }

  @Test func `refuses further answers to a user who reads none, and takes them up again`() async throws {
    let folder = try TemporaryFolder()
    let site = try await siteOfLongRows(folder)
    let target = "/api/rejects?limit=500"
    #expect(try site.request("GET", target).body.count > 4 << 20)
    // Together more than 32 MiB, which is half of the memory for all.
    var clients = try (0..<12).map { _ in try RawClient(port: site.port, receiveBytes: 4096) }
    for client in clients { client.send(head(site, target)) }
    var refused: RawClient.Answer?
    try await site.wait("an answer is refused") {
      let answer = try site.request("GET", target)
      if answer.status == 503 { refused = answer }
      return refused != nil
    }
    #expect(try site.request("GET", "/api/session").status == 200)
    #expect(refused?.headers["retry-after"] == "5")
    #expect(refused?.text.contains("wait to be read") == true)
    clients = []
    try await site.wait("there is room again") { try site.request("GET", target).status == 200 }
  }

  @Test func `ends the oldest of too many waits of a session, and leaves room for others`() async throws {
    let site = try await ViewSite()
    let id = try await lastID(site)
    let pages = try (0..<51).map { _ in try RawClient(port: site.port) }
    for page in pages {
      page.send(head(site, "/api/events", "Last-Event-ID: \(id)\r\n"))
      try await Task.sleep(for: .milliseconds(2))
    }
    let ended = try pages[0].answer()
    #expect(ended.status == 200 && ended.text.contains("retry: 5000"))
  }

  @Test(arguments: [
    "GET / HTTP/1.1\r\n\r\n", "GET /a b HTTP/1.1\r\nHost: HOST\r\n\r\n", "POST / HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "GET /x/y HTTP/1.1\r\nHost: HOST\r\n\r\n", "GET / HTTP/1.1\r\nHost: HOST\r\nContent-Length: 100000\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: gzip\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: HOST\r\nX: LONG\r\n\r\n", "GET http://HOST/ HTTP/1.1\r\nHost: HOST\r\n\r\n",
    "GET /LONG HTTP/1.1\r\nHost: HOST\r\n\r\n",
  ]) func `forbids everything also in answers that no route gives`(_ text: String) async throws {
    let site = try await ViewSite()
    let client = try RawClient(port: site.port)
    let long = String(repeating: "a", count: 14_500)
    client.send(text.replacing("HOST", with: "127.0.0.1:\(site.port)").replacing("LONG", with: long))
    let answer = try client.answer()
    #expect((400...501).contains(answer.status))
    #expect(answer.headers["content-security-policy"]?.hasPrefix("default-src 'none'") == true)
    #expect(answer.headers["cache-control"] == "no-store" && answer.headers["x-content-type-options"] == "nosniff")
    #expect(answer.headers["referrer-policy"] == "no-referrer")
  }

  @Test(arguments: [50, 200, 230, 240, 250, 280, 300, 350, 500, 1000])
  func `answers a browser with many cookies of other programs`(_ count: Int) async throws {
    let site = try await ViewSite()
    let others = (0..<count).map { "name\($0)=\($0)" }.joined(separator: "; ")
    let status = try site.request("GET", "/api/session", cookie: "\(others); \(site.cookie)").status
    #expect(status == (count <= 200 ? 200 : 431) || status == 200 && count < 350)
  }

  @Test(arguments: ["GET / HTTP/1.1\r\nHost: x\r\nX: ", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"])
  func `serves others while a thousand clients do not end their requests`(_ start: String) async throws {
    let site = try await ViewSite()
    let clients = try (0..<1150).map { _ in try RawClient(port: site.port) }
    for client in clients { client.send(start) }
    let begun = ContinuousClock.now
    try await site.wait("others are served") { (try? site.request("GET", "/api/session").status) == 200 }
    for _ in 0..<20 { #expect(try site.request("GET", "/api/session").status == 200) }
    #expect(ContinuousClock.now - begun < .seconds(15))
    withExtendedLifetime(clients) {}
  }

  @Test func `looks at twenty wrong tokens`() async throws {
    let site = try await ViewSite(entersPage: false)
    let cookie = try site.enter()
    let statuses = try (0..<25).map {
      try site.request("GET", "/?token=a-wrong-token-of-bytes-\($0)", cookie: "").status
    }
    #expect(statuses.count { $0 == 401 } == 20 && statuses.last == 429)
    #expect(try site.request("GET", "/api/session", cookie: cookie).status == 200)
  }

  @Test func `ends soon while it answers and makes indexes`() async throws {
    let folder = try TemporaryFolder()
    let rows = try Data(
      contentsOf: URL(fileURLWithPath: "\(try await ViewSite.tables)/skan_rejects/part-00000001.jsonl")
    )
    let table = folder.path("out/skan_rejects")
    try FileManager.default.createDirectory(atPath: table, withIntermediateDirectories: true)
    for part in 10...40 { try rows.write(to: URL(fileURLWithPath: "\(table)/part-000000\(part).jsonl")) }
    let site = try await ViewSite(of: folder.path("out"))
    let clients = try (0..<30).map { _ in try RawClient(port: site.port) }
    for (index, client) in clients.enumerated() {
      client.send(head(site, ["/api/rejects.csv?contains=nothing", "/api/postback?id=nothing"][index % 2]))
    }
    try await Task.sleep(for: .milliseconds(200))
    let start = ContinuousClock.now
    #expect(try await site.end(SIGINT) == 0)
    #expect(ContinuousClock.now - start < .seconds(3))
  }

  @Test func `shows nothing of an output that was removed, and another one that takes its place`() async throws {
    let folder = try TemporaryFolder()
    let lines = Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")
    let out = folder.path("out")
    try await FraudSite.run(["run", try folder.makeFile("a", holding: lines[0]), "--out", out, "-q"])
    let site = try await ViewSite(of: out)
    func totals() throws -> JSONValue? {
      try JSONValue(parsing: try site.request("GET", "/api/overview").body)["totals"]
    }
    try await site.wait("it is read") { try totals()?["accepted"]?.integer == 1 }
    try FileManager.default.moveItem(atPath: out, toPath: folder.path("old"))
    var answer: RawClient.Answer?
    try await site.wait("it is gone") {
      answer = try site.request("GET", "/api/overview")
      return answer?.status == 503
    }
    #expect(answer?.text.contains("is not there any more") == true)
    for path in ["/api/session", "/api/campaigns", "/api/rejects", "/api/report", "/api/postback?id=x"] {
      #expect(try site.request("GET", path).status == 503, "\(path)")
    }
    // As many commits as the one before.
    try await FraudSite.run(["run", try folder.makeFile("b", holding: lines[0] + lines[1]), "--out", out, "-q"])
    try await site.wait("the other one is read") { try totals()?["accepted"]?.integer == 2 }
    try FileManager.default.removeItem(atPath: out)
    try FileManager.default.moveItem(atPath: folder.path("old"), toPath: out)
    try await site.wait("the first one is read") { try totals()?["accepted"]?.integer == 1 }
    #expect(site.errors.contains("is not there any more"))
  }

  @Test func `has a bounded page where rows are long`() async throws {
    let folder = try TemporaryFolder()
    let site = try await siteOfLongRows(folder)
    var (count, pages, cursor): (Int, Int, String?) = (0, 0, nil)
    repeat {
      let page = try site.request("GET", "/api/rejects?limit=500" + (cursor.map { "&cursor=\($0)" } ?? ""))
      #expect(page.body.count < 6 << 20)
      let answer = try JSONValue(parsing: page.body)
      count += answer["rows"]?.elements?.count ?? 0
      (pages, cursor) = (pages + 1, answer["next"]?.text)
    } while cursor != nil && pages < 20
    #expect(count == 300 && pages > 3)
  }
}

/// The signal of a reload.
@Suite struct `SIGHUP of the live page` {
  private func configuration(_ name: String, _ token: String, keys: String = "") throws -> String {
    var hash = try SHA256()
    let digest = try hash.hexadecimalDigest(of: token)
    let users = #"[{"name":"\#(name)","token_sha256":"\#(digest)"}]"#
    return #"{"trusted_keys":[\#(keys)],"view":{"listen":"127.0.0.1:0","tls":false,"users":\#(users)}}"#
  }

  @Test func `reads the users again, and keeps them if the configuration is wrong`() async throws {
    let site = try await ViewSite(configuration: try configuration("anna", "token-of-anna-123"))
    let anna = try site.enter("token-of-anna-123")
    #expect(try site.request("GET", "/api/session", cookie: anna).status == 200)
    try site.reload("{")
    try await site.wait("it complains") { site.errors.contains("was not replaced") }
    #expect(try site.request("GET", "/api/session", cookie: anna).status == 200)
    try site.reload(try configuration("berta", "token-of-berta-123"))
    try await site.wait("the session ends") { try site.request("GET", "/api/session", cookie: anna).status == 401 }
    let berta = try site.enter("token-of-berta-123")
    #expect(try site.request("GET", "/api/session", cookie: berta).status == 200)
    #expect(try await site.end(SIGTERM) == 0)
  }

  @Test func `reads the keys of the configuration again, with which cases verify`() async throws {
    func key(_ id: String) -> String { #"{"id":"\#(id)","key":"\#(Self.key)"}"# }
    let token = "token-of-anna-123"
    let site = try await ViewSite(configuration: try configuration("anna", token, keys: key("before")))
    let anna = try site.enter(token)
    func command() throws -> String {
      let answer = try site.request("GET", "/api/rejects?forwarder=nobody&limit=1", cookie: anna)
      return try JSONValue(parsing: answer.body)["case"]?["command"]?.text ?? ""
    }
    #expect(try command().contains("--trust-key 'before=\(Self.key)'"))
    try site.reload(try configuration("anna", token, keys: key("after")))
    try await site.wait("the key is another one") { try command().contains("--trust-key 'after=\(Self.key)'") }
    #expect(try !command().contains("before="))
    #expect(try await site.end(SIGTERM) == 0)
  }

  private static let key =
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWdp8GPcGqmhgzEFj9Z2nSpQVddayaPe4FMzqM9wib1+aHaaIzoHoLN9zW4K8y4SPykE3YVK3sVqW6Af0lfx3gg=="

  @Test func `ends a page without users, as the end of its terminal does`() async throws {
    let site = try await ViewSite()
    #expect(try await site.end(SIGHUP) == 0)
  }
}
