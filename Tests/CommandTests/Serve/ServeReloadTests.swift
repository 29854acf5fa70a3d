import Foundation
import Glibc
import JSON
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"
private let forwarded = "/v1/postbacks"

@Suite struct `A reload of the settings` {
  private static let tokens = [
    "old": "the-old-token-of-16", "new": "the-new-token-of-16", "other": "another-token-of-16",
  ]
  private static let model = String(decoding: Fixtures.bytes("models/525463029.json"), as: UTF8.self)

  private static func configuration(_ tokens: String, _ more: String = "", limits: String = "") -> String {
    let limits = #""limits":{"requests_per_minute":0\#(limits)}"#
    return #"{"forwarders":[{"name":"a","bearer_token_file":\#(tokens)}],\#(limits)\#(more)}"#
  }

  private func site(_ configuration: String, _ options: [String] = []) async throws -> ServerSite {
    try await ServerSite(
      options,
      configuration: configuration,
      files: Self.tokens.merging(["models.json": Self.model]) { first, _ in first }
    )
  }

  /// Replaces the configuration, sends SIGHUP, and waits for the `count`th event of this name.
  private func reload(_ site: ServerSite, _ text: String, expecting event: String, _ count: Int = 1) async throws {
    let configuration = Array(text.replacing("FOLDER", with: site.folder.path("")).utf8)
    try site.folder.makeFile("server.json", holding: configuration)
    site.signal(SIGHUP)
    try await site.wait("\(event) is logged") {
      try site.log().count { $0["event"] == .string(event) } == count
    }
  }

  private func status(_ site: ServerSite, _ token: String) throws -> Int {
    let header = "Authorization: Bearer \(Self.tokens[token] ?? "")"
    return try site.request("POST", forwarded, [header], body: "{}").status
  }

  @Test(arguments: [[], ["--watch", "--out", "FOLDER/out"]])
  func `exchanges a token while both are accepted`(_ options: [String]) async throws {
    let site = try await site(Self.configuration(#""FOLDER/old""#), options)
    #expect(try status(site, "old") == 200 && status(site, "new") == 401)
    try await reload(site, Self.configuration(#"["FOLDER/old","FOLDER/new"]"#), expecting: "reloaded")
    #expect(try status(site, "old") == 200 && status(site, "new") == 200 && status(site, "other") == 401)
    try await reload(site, Self.configuration(#""FOLDER/new""#), expecting: "reloaded", 2)
    #expect(try status(site, "old") == 401 && status(site, "new") == 200)
    #expect(try site.envelopes().allSatisfy { $0["forwarder"] == .string("a") })
    try await site.wait("the metrics count the reloads") {
      try site.metric(#"postback_reloads_total{outcome="done"}"#) == 2
    }
    #expect(try await site.stop() == 0)
  }

  @Test(arguments: [
    #"["FOLDER/old","FOLDER/missing"]"#, #"["FOLDER/new","FOLDER/new"]"#, #"[]"#,
    #"["FOLDER/old","FOLDER/new","FOLDER/other"]"#,
  ]) func `replaces nothing if a secret is wrong`(_ tokens: String) async throws {
    let site = try await site(Self.configuration(#""FOLDER/old""#))
    try await reload(site, Self.configuration(tokens), expecting: "reload_failed")
    #expect(try status(site, "old") == 200 && status(site, "new") == 401)
    #expect(try site.metric(#"postback_reloads_total{outcome="failed"}"#) == 1)
    let log = try site.log().first { $0["event"] == .string("reload_failed") }
    #expect("\(log?["message"] ?? .null)".contains("/forwarders/0"))
  }

  @Test(arguments: [
    #","models":["FOLDER/broken"]"#, #","rates":"FOLDER/missing""#, #","trusted_keys":[{"id":"a","key":"AAAA"}]"#,
    #","spool":7"#,
  ]) func `replaces no token if another setting is wrong`(_ wrong: String) async throws {
    let site = try await site(Self.configuration(#""FOLDER/old""#))
    try site.folder.makeFile("broken", holding: Array("{".utf8))
    try await reload(site, Self.configuration(#""FOLDER/new""#, wrong), expecting: "reload_failed")
    #expect(try status(site, "old") == 200 && status(site, "new") == 401)
  }

  @Test func `replaces no token if the ledger refuses a model`() async throws {
    let models = #","models":["FOLDER/models.json"]"#
    let watch = ["--watch", "--out", "FOLDER/out", "--log-level", "debug"]
    let site = try await site(Self.configuration(#""FOLDER/old""#, models), watch)
    #expect(try site.request("POST", device, body: "{}").status == 200)
    try await site.wait("there is a commit") { try site.log().contains { $0["event"] == .string("committed") } }
    let changed = Self.model.replacing("sign_up", with: "signed_up")
    try #require(changed != Self.model)
    try site.folder.makeFile("models.json", holding: Array(changed.utf8))
    try await reload(site, Self.configuration(#""FOLDER/new""#, models), expecting: "reload_failed")
    #expect(try status(site, "old") == 200 && status(site, "new") == 401)
  }

  @Test func `replaces nothing if a model has changed under its name, and takes one with another end`() async throws {
    let models = #","models":["FOLDER/models.json"]"#
    let site = try await site(Self.configuration(#""FOLDER/old""#, models))
    let changed = Self.model.replacing("sign_up", with: "signed_up")
    try #require(changed != Self.model)
    try site.folder.makeFile("models.json", holding: Array(changed.utf8))
    try await reload(site, Self.configuration(#""FOLDER/new""#, models), expecting: "reload_failed")
    #expect(try status(site, "old") == 200 && status(site, "new") == 401)
    let log = try site.log().first { $0["event"] == .string("reload_failed") }
    #expect("\(log?["message"] ?? .null)".contains("Give the changed model a new version, or restore the file."))
    let ended = Self.model.replacing("\"effective_to\": null", with: "\"effective_to\": \"2030-01-01T00:00:00Z\"")
    try #require(ended != Self.model)
    try site.folder.makeFile("models.json", holding: Array(ended.utf8))
    try await reload(site, Self.configuration(#""FOLDER/new""#, models), expecting: "reloaded")
    #expect(try status(site, "old") == 401 && status(site, "new") == 200)
  }

  @Test func `changes limits for the receiver and the consumer at once`() async throws {
    let watch = ["--watch", "--out", "FOLDER/out", "--commit-ms", "0"]
    let site = try await site(Self.configuration(#""FOLDER/old""#, limits: #","postback_bytes":1024"#), watch)
    let long = #"{"x":"\#(String(repeating: "y", count: 2000))"}"#
    #expect(try site.request("POST", device, body: long).status == 413)
    let more = #","postback_bytes":4096"#
    try await reload(site, Self.configuration(#""FOLDER/old""#, limits: more), expecting: "reloaded")
    #expect(try site.request("POST", device, body: long).status == 200)
    try await site.wait("the consumer takes it") {
      try site.metric(#"postback_rejected_total{stage="schema",code="missing_field"}"#) == 1
        || site.metric(#"postback_rejected_total{stage="schema",code="unknown_version"}"#) == 1
    }
    #expect(try site.metric(#"postback_rejected_total{stage="parse",code="too_large"}"#) == 0)
  }

  @Test func `names the settings that need another start`() async throws {
    let site = try await site(Self.configuration(#""FOLDER/old""#))
    let text = Self.configuration(#""FOLDER/new""#, limits: #","threads":3,"idle_seconds":9"#)
    try await reload(site, text, expecting: "restart_needed")
    let log = try site.log().first { $0["event"] == .string("restart_needed") }
    #expect("\(log?["message"] ?? .null)".contains("limits.threads, limits.idle_seconds take effect"))
    #expect(try status(site, "new") == 200)
  }

  @Test func `trusts another key for postbacks after it`() async throws {
    let dump = try await GeneratedDump(count: 30, seed: 8, options: ["--valid-only", "--versions", "4.0=1"])
    let keys = dump.keys.filter { $0.contains("=") }.map { key in
      let parts = key.split(separator: "=", maxSplits: 1)
      return #"{"id":"\#(parts[0])","key":"\#(parts[1])"}"#
    }
    let lines = dump.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    let site = try await ServerSite(["--watch", "--out", "FOLDER/out", "--commit-ms", "0"])
    #expect(try site.client().request("POST", device, body: lines[0]).status == 200)
    try await site.wait("it is rejected") {
      try site.metric(#"postback_rejected_total{stage="signature",code="signature_invalid"}"#) == 1
    }
    let text = "{\"trusted_keys\":[\(keys.joined(separator: ","))]}"
    try await reload(site, text, expecting: "reloaded")
    for line in lines.dropFirst() { #expect(try site.client().request("POST", device, body: line).status == 200) }
    try await site.wait("the others are accepted") {
      try site.metric("postback_accepted_total") == Double(lines.count - 1)
    }
    #expect(try site.log().contains { $0["event"] == .string("settings_changed") })
    try await reload(site, "{}", expecting: "reloaded", 2)
    #expect(try site.client().request("POST", device, body: lines[0]).status == 200)
    try await site.wait("it is rejected again") {
      try site.metric(#"postback_rejected_total{stage="signature",code="signature_invalid"}"#) == 2
    }
    #expect(try await site.stop() == 0)
  }
}

@Suite struct `A socket of the service manager` {
  @Test func `lets restarts and reloads under load refuse and lose nobody`() async throws {
    let script = Fixtures.path("../Tests/Server/restart_under_load.py")
    let arguments = ["python3", script, "--binary", try BuiltCommand.path, "--restarts", "3", "--count", "20000"]
    let result = try await BuiltCommand.run(executable: "/usr/bin/env", arguments)
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }

  @Test(arguments: [("2", 73), ("1", 73), ("0", 64)])
  func `must be one listening TCP socket`(_ count: String, _ status: Int32) async throws {
    let folder = try TemporaryFolder()
    // Standard input is no socket. Without sockets the address is used, which is wrong.
    let script = "exec env LISTEN_PID=$$ LISTEN_FDS=\(count) \"$@\" 3<&0 4<&0"
    let spool = ["--spool", folder.path("")]
    let address = count == "0" ? ["--listen", "nowhere"] : ["--listen", "127.0.0.1:0"]
    let result = try await BuiltCommand.run(
      executable: "/bin/sh",
      ["-c", script, "sh", try BuiltCommand.path, "serve"] + spool + address
    )
    #expect(result.status == status, "\(result.errorText)")
    if status == 73 { #expect(result.errorText.contains("ListenStream=")) }
  }
}
