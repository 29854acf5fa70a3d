import Foundation
import Glibc
import JSON
import TestSupport
import Testing

private let forwarded = "/v1/postbacks"
private let bearer = "Authorization: Bearer 0123456789abcdef-token"

/// The configuration of a receiver with two forwarders, the second of which has limits of its own.
private func configuration(_ limits: String, own: String = "") -> String {
  """
  {"forwarders":[{"name":"bear","bearer_token_file":"FOLDER/token"},
    {"name":"other","bearer_token_file":"FOLDER/other"\(own)}],"limits":{"requests_per_minute":0\(limits)}}
  """
}

private func site(_ limits: String, own: String = "", _ options: [String] = []) async throws -> ServerSite {
  let files = ["token": "0123456789abcdef-token", "other": "fedcba9876543210-token"]
  return try await ServerSite(options, configuration: configuration(limits, own: own), files: files)
}

@Suite struct `A forwarder's quota` {
  private static let lines = String(repeating: "{\"version\":\"x\"}\n", count: 8)

  @Test(arguments: ["postbacks_per_minute", "postbacks_per_day", "bytes_per_minute", "bytes_per_day"])
  func `refuses what follows the body that used it up, also after a reload`(_ limit: String) async throws {
    let site = try await site(#","forwarder_\#(limit)":5"#)
    #expect(try site.request("POST", forwarded, [bearer], body: Self.lines).status == 200)
    let refused = try site.request("POST", forwarded, [bearer], body: Self.lines)
    #expect(refused.status == 429 && refused.text.contains("quota"))
    let seconds = try #require(refused.headers["retry-after"].flatMap { Int($0) })
    #expect((1...60).contains(seconds) == limit.hasSuffix("minute") && seconds <= 86_400)
    site.signal(SIGHUP)
    try await site.wait("it is reloaded") { try site.log().contains { $0["event"] == .string("reloaded") } }
    #expect(try site.request("POST", forwarded, [bearer], body: Self.lines).status == 429)
    let other = ["Authorization: Bearer fedcba9876543210-token"]
    #expect(try site.request("POST", forwarded, other, body: Self.lines).status == 200)
    #expect(try site.envelopes().count == 16)
  }

  @Test func `has a count of refused requests from the start, so that an alert sees the first ones`() async throws {
    let site = try await site(#","forwarder_postbacks_per_day":5"#)
    func refused(_ status: Int) throws -> Double? {
      try site.metric(#"postback_http_requests_total{route="forwarders",status="\#(status)"}"#)
    }
    #expect(try refused(401) == 0 && refused(429) == 0)
    for _ in 0..<3 { _ = try site.request("POST", forwarded, [bearer], body: Self.lines) }
    #expect(try site.request("POST", forwarded, [], body: Self.lines).status == 401)
    #expect(try refused(401) == 1 && refused(429) == 2)
    let other = try await ServerSite()
    #expect(try other.metric(#"postback_http_requests_total{route="forwarders",status="429"}"#) == nil)
  }

  @Test func `may differ from that of others`() async throws {
    let site = try await site(
      #","forwarder_postbacks_per_day":5"#,
      own: #","limits":{"forwarder_postbacks_per_day":9}"#
    )
    let other = ["Authorization: Bearer fedcba9876543210-token"]
    for status in [200, 200, 429] {
      #expect(try site.request("POST", forwarded, other, body: Self.lines).status == status)
    }
  }

  @Test func `is given back if the postbacks cannot be stored`() async throws {
    let site = try await site(#","forwarder_postbacks_per_day":5"#)
    let folder = "\(site.spool)/new"
    try FileManager.default.moveItem(atPath: folder, toPath: folder + "2")
    #expect(try site.request("POST", forwarded, [bearer], body: Self.lines).status == 503)
    try FileManager.default.moveItem(atPath: folder + "2", toPath: folder)
    try await site.wait("it is stored") {
      try site.request("POST", forwarded, [bearer], body: Self.lines).status == 200
    }
    #expect(try site.request("POST", forwarded, [bearer], body: Self.lines).status == 429)
  }
}

@Suite struct `A record without anything of a postback` {
  @Test func `is stored once with a count, beyond some a minute, and postbacks are never left out`() async throws {
    let options = ["--watch", "--out", "FOLDER/out", "--commit-ms", "50", "--part-bytes", "1"]
    let site = try await site(#","forwarder_others_per_minute":10"#, options)
    let traces = [
      #"{"version":7}"#, #"{"a":{"JWS_String":1}}"#, #"{"\u0076ersion":"4.0"}"#, #""eyJhbGciOiJFUzI1NiJ9.e30.x""#,
      #"{"app-id":12,"#,
    ]
    let body = String(repeating: "{}\n", count: 500) + "[1]\nx\n" + traces.joined(separator: "\n")
    let answer = try site.request("POST", forwarded, [bearer], body: body)
    #expect(answer.text == "{\"status\":\"ok\",\"received\":507,\"left_out\":491}\n")
    let next = try site.request("POST", forwarded, [bearer], body: "{}\n{}\n{}\n\(traces[0])\n")
    #expect(next.text == "{\"status\":\"ok\",\"received\":4,\"left_out\":2}\n")
    #expect(try site.metric(#"postback_receiver_left_out_total{forwarder="bear"}"#) == 493)
    #expect(try site.metric(#"postback_received_total{channel="network_forwarded",forwarder="bear"}"#) == 18)
    let folder = site.folder.path("out/skan_rejects")
    func rows() throws -> [JSONObject] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return try names.filter { $0.hasPrefix("part-") }.sorted().flatMap { name in
        try JSONObject.lines(try site.folder.contents(of: "out/skan_rejects/\(name)"))
      }
    }
    try await site.wait("the rows are there") { try rows().count == 18 }
    let details = try rows().map { "\($0["reject_detail"] ?? .null)" }
    #expect(details.count { $0.contains("491 more records") } == 1 && details.count { $0.contains("2 more rec") } == 1)
  }

  @Test func `cannot be compressed into more rows than postbacks could be`() async throws {
    let site = try await site("")
    let lines = String(repeating: "{\"version\":\"\"}\n", count: 1000)
    let gzip = try await BuiltCommand.run(executable: "/usr/bin/env", ["gzip", "-9"], input: Array(lines.utf8)).output
    let answer = try site.client().request("POST", forwarded, [bearer, "Content-Encoding: gzip"], body: gzip)
    #expect(answer.status == 413 && answer.text.contains("more than gzip can hold"))
    #expect(try site.names("new").isEmpty)
  }
}
