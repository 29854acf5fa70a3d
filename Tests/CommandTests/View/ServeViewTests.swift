import Foundation
import JSON
import TestSupport
import Testing

/// The live page beside the receiver, for users of a configuration.
@Suite struct `serve --view` {
  private let first = "first-token-of-anna"
  private let second = "second-token-of-the-agency"

  /// Starts a receiver with a page, and returns the port of the page.
  private func start(_ extra: String = "") async throws -> (site: ServerSite, port: Int) {
    let site = try await ServerSite(
      ["--view", "--watch", "--out", "FOLDER/out"],
      configuration: configuration("anna.token"),
      files: ["anna.token": first, "agency.token": second]
    )
    var port = 0
    try await site.wait("the page listens") {
      for line in try site.log() where line["event"] == .string("view_listening") {
        guard case .string(let text)? = line["message"] else { continue }
        port = text.firstMatch(of: /:(\d+) for/).flatMap { Int($0.1) } ?? 0
      }
      return port != 0
    }
    return (site, port)
  }

  private func configuration(_ token: String) -> String {
    """
    {"view":{"listen":"127.0.0.1:0","hosts":["reports.example"],"users":[
      {"name":"anna","token_file":"FOLDER/\(token)"},
      {"name":"agency","role":"read_without_revenue","token_file":"FOLDER/agency.token"}]}}
    """
  }

  private func request(_ port: Int, _ target: String, cookie: String = "") throws -> RawClient.Answer {
    let client = try RawClient(port: port)
    client.send("GET \(target) HTTP/1.1\r\nHost: reports.example\r\nCookie: \(cookie)\r\n\r\n")
    return try client.answer()
  }

  private func enter(_ port: Int, _ token: String) throws -> String {
    String((try request(port, "/?token=\(token)").headers["set-cookie"] ?? "").prefix { $0 != ";" })
  }

  @Test func `shows what the receiver takes, to users by their roles`() async throws {
    let (site, port) = try await start()
    #expect(try request(port, "/api/session").status == 401)
    #expect(try request(port, "/?token=a-wrong-token-of-nobody").status == 401)
    let (anna, agency) = (try enter(port, first), try enter(port, second))
    #expect(try request(port, "/?token=\(first)").headers["set-cookie"]?.hasSuffix("SameSite=Strict; Secure") == true)
    func session(_ cookie: String) throws -> JSONValue {
      try JSONValue(parsing: try request(port, "/api/session", cookie: cookie).body)
    }
    #expect(try session(anna)["revenue"] == .bool(true))
    #expect(try session(agency)["role"]?.text == "read_without_revenue")
    let postback = String(decoding: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[0], as: UTF8.self)
    let path = "/.well-known/skadnetwork/report-attribution/"
    #expect(try site.request("POST", path, body: postback).status == 200)
    try await site.wait("the page counts it") {
      let overview = try JSONValue(parsing: try request(port, "/api/overview", cookie: anna).body)
      return overview["totals"]?["accepted"]?.integer == 1
        && overview["periods"]?.elements?.first?["accepted"]?.integer == 1
    }
    let log = String(decoding: try site.folder.contents(of: "log"), as: UTF8.self)
    #expect(!log.contains(first) && !log.contains(second))
    #expect(try await site.stop() == 0)
  }

  @Test func `ends the sessions when a reload changes the users`() async throws {
    let (site, port) = try await start()
    let anna = try enter(port, first)
    #expect(try request(port, "/api/session", cookie: anna).status == 200)
    try site.folder.makeFile("new.token", holding: Array("another-token-of-anna".utf8))
    let text = configuration("new.token").replacing("FOLDER", with: site.folder.path(""))
    try Data(text.utf8).write(to: URL(fileURLWithPath: site.folder.path("server.json")))
    site.signal(SIGHUP)
    try await site.wait("the session ends") { try request(port, "/api/session", cookie: anna).status == 401 }
    #expect(try request(port, "/?token=\(first)").status == 401)
    let again = try enter(port, "another-token-of-anna")
    #expect(try request(port, "/api/session", cookie: again).status == 200)
    #expect(try await site.stop() == 0)
  }

  @Test func `needs users and tables`() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("spool"), withIntermediateDirectories: true)
    func run(_ configuration: String) async throws -> BuiltCommand.Result {
      let path = folder.path("c.json")
      try Data(configuration.utf8).write(to: URL(fileURLWithPath: path))
      return try await BuiltCommand.run(
        ["serve", "--view", "--listen", "127.0.0.1:0", "--spool", folder.path("spool"), "--config", path]
      )
    }
    let without = try await run("{}")
    #expect(without.status == 64 && without.errorText.contains("--view needs the object view"))
    let empty = try await run(#"{"out":"\#(folder.path("out"))","view":{"listen":"127.0.0.1:0"}}"#)
    #expect(empty.status == 65 && empty.errorText.contains("has no users"))
    let tableless = try await run(
      #"{"view":{"listen":"127.0.0.1:0","users":[{"name":"a","token_sha256":"\#(String(repeating: "0", count: 64))"}]}}"#
    )
    #expect(tableless.status == 64 && tableless.errorText.contains("needs the folder of the tables"))
  }
}
