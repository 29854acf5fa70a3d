@testable import Signatures
import Foundation
import JSON
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"
private let forwarded = "/v1/postbacks"

@Suite struct `The receiver` {
  private static let postback = String(decoding: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[0], as: UTF8.self)

  @Test(arguments: [
    device, String(device.dropLast()), "/.well-known/appattribution/report-attribution/",
    "/.well-known/appattribution/report-attribution", "\(device)/", "\(device)//?a=b",
  ]) func `stores the unchanged postback of a device in its envelope`(_ path: String) async throws {
    let site = try await ServerSite()
    let answer = try site.request("POST", path, body: Self.postback)
    #expect(answer.status == 200 && answer.body.isEmpty)
    let envelope = try #require(try site.envelopes().first)
    #expect(envelope["channel"] == .string("apple_direct") && envelope["forwarder"] == nil)
    #expect(envelope["remote_address"] == .string("127.0.0.1"))
    #expect(try envelope["body"] == JSONValue(parsing: Array(Self.postback.utf8)))
    let line = try site.folder.contents(of: "spool/new/\(try #require(try site.names("new").first))")
    #expect(String(decoding: line, as: UTF8.self).contains(#""body":\#(Self.postback)}"#))
    #expect(try site.names("tmp").isEmpty)
    #expect(try await site.stop() == 0)
  }

  @Test(arguments: [
    #"{"version":"4.0","a":"#, "[\(postback)]", "", "hello", #"{"a":1,"a":2}"#,
    "\(postback)\n\(postback)",
    #"{"a":"# + String(repeating: "[", count: 63) + String(repeating: "]", count: 63) + "}", "null", "\u{0}",
  ]) func `loses no body that is not a postback`(_ body: String) async throws {
    let site = try await ServerSite()
    #expect(try site.request("POST", device, body: body).status == 200)
    let encoded = try site.envelopes().first?["body_base64"]
    #expect(encoded == .string(Data(body.utf8).base64EncodedString()))
  }

  @Test func `writes a pretty-printed postback on one line`() async throws {
    let site = try await ServerSite()
    let pretty = "{\r\n  \"version\" : \"4.0\",\n\t\"x\": [1,\r2]\n}\n"
    #expect(try site.request("POST", device, body: pretty).status == 200)
    let lines = try site.folder.contents(of: "spool/new/\(try #require(try site.names("new").first))")
    #expect(lines.count { $0 == UInt8(ascii: "\n") } == 1 && !lines.contains(UInt8(ascii: "\r")))
    #expect(try site.envelopes()[0]["body"] == JSONValue(parsing: Array(pretty.utf8)))
  }

  @Test func `answers many requests on one connection`() async throws {
    let site = try await ServerSite()
    let client = try site.client()
    for number in 0..<50 {
      #expect(try client.request("POST", device, body: Array(#"{"n":\#(number)}"#.utf8)).status == 200)
    }
    // In the order of the names, which is that of arrival.
    let numbers = try site.envelopes().map { $0["body"] }
    #expect(numbers == (0..<50).map { .object([.init(key: "n", value: .number("\($0)"))]) })
    #expect(try site.metric(#"postback_received_total{channel="apple_direct"}"#) == 50)
    #expect(try site.metric(#"postback_http_requests_total{route="skadnetwork",status="200"}"#) == 50)
    #expect(try site.metric("postback_receiver_commit_duration_seconds_count") == 50)
  }

  /// With a consumer in another process, which may be dead, these are the only numbers.
  @Test func `counts the files that wait in its spool, and their age, without a consumer`() async throws {
    let site = try await ServerSite()
    #expect(try site.request("POST", device, body: "{}").status == 200)
    let name = try #require(try site.names("new").first)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -1000)],
      ofItemAtPath: "\(site.spool)/new/\(name)"
    )
    try await site.wait("the file is counted") { try site.metric("postback_spool_oldest_seconds") ?? 0 >= 1000 }
    #expect(try site.metric("postback_spool_waiting_files") == 1)
    #expect(try site.metric("postback_consumer_heartbeat_timestamp_seconds") == nil)
    #expect(try site.metric("process_start_time_seconds") != nil)
  }

  @Test func `reports its health, and refuses unknown paths and methods`() async throws {
    let site = try await ServerSite()
    let health = try site.request("GET", "/healthz")
    #expect(health.status == 200 && health.text == #"{"status":"ok","reason":null,"waiting_bytes":0}"# + "\n")
    let head = try site.request("HEAD", "/healthz")
    #expect(head.status == 200 && head.headers["content-length"] == health.headers["content-length"])
    #expect(try site.request("GET", "/metrics").headers["content-type"]?.hasPrefix("text/plain; version=0.0.4") == true)
    #expect(try site.metric("process_open_fds") != nil)
    let wrong = try site.request("GET", device)
    #expect(wrong.status == 405 && wrong.headers["allow"] == "POST")
    #expect(try site.request("DELETE", "/healthz").headers["allow"] == "GET, HEAD")
    for target in ["/", "//", "//healthz", "/.well-known/skadnetwork", "/healthz%00", "/healthz%2F", "*"] {
      #expect(try site.request("GET", target).status == 404, "\(target)")
    }
    for target in ["/healthz/", "/healthz//", "/metrics/?x", "/healthz" + String(repeating: "/", count: 5000)] {
      #expect(try site.request("GET", target).status == 200, "\(target.prefix(20))")
    }
    #expect(try site.request("GET", "/v1/postbacks/").status == 401)
    #expect(try site.request("PUT", "/v1/postbacks/").status == 405)
    #expect(try site.request("GET", "/healthz?x=%zz&a+b").status == 200)
  }
}

@Suite struct `A forwarder` {
  private static let configuration = """
    {"forwarders":[{"name":"bear","bearer_token_file":"FOLDER/token"},
     {"name":"hmac","hmac_secret_file":"FOLDER/secret"},
     {"name":"other","hmac_secret_file":"FOLDER/other","hmac_header":"X-Other"}],
     "limits":{"requests_per_minute":RATE,"request_burst":1,"forwarder_body_bytes":200000}}
    """
  private static let files = [
    "token": "0123456789abcdef-token\n", "secret": "secret-secret-secret\n", "other": "other-other-other-other",
  ]
  private static let bearer = ["Authorization: Bearer 0123456789abcdef-token"]

  private func site(requestsPerMinute rate: Int = 1) async throws -> ServerSite {
    try await ServerSite(configuration: Self.configuration.replacing("RATE", with: "\(rate)"), files: Self.files)
  }

  @Test(arguments: [
    (#"{"n":0}"#, 1), (#"[{"n":0},{"n":1},{"n":2}]"#, 3), ("{\"n\":0}\n{\"n\":1}\r\n\n{\"n\":2}", 3),
    ("[\n  {\n \"n\": 0\n },\n {\"n\":1}\n]\n", 2), ("{\n\"n\"\n:\n0}", 1),
  ]) func `may send one postback, an array, or lines`(_ body: String, _ count: Int) async throws {
    let site = try await site()
    let answer = try site.request("POST", forwarded, Self.bearer, body: body)
    #expect(answer.status == 200 && answer.text == #"{"status":"ok","received":\#(count)}"# + "\n")
    let envelopes = try site.envelopes()
    #expect(envelopes.map { $0["body"] } == (0..<count).map { .object([.init(key: "n", value: .number("\($0)"))]) })
    #expect(
      envelopes.allSatisfy { $0["forwarder"] == .string("bear") && $0["channel"] == .string("network_forwarded") }
    )
    #expect(try site.names("new").count == 1)
  }

  @Test func `has every element of its array stored, postbacks or not`() async throws {
    let site = try await site()
    let answer = try site.request("POST", forwarded, Self.bearer, body: #"[{"n":0}, 7, "x", {"n":1,"n":2}, {"n":3}"#)
    #expect(answer.text == #"{"status":"ok","received":6}"# + "\n")
    let encoded = try site.envelopes().compactMap { $0["body_base64"] }
    #expect(encoded == ["7", #""x""#, #"{"n":1,"n":2}"#, ""].map { .string(Data($0.utf8).base64EncodedString()) })
  }

  @Test func `can authenticate its body with an HMAC signature`() async throws {
    let site = try await site(requestsPerMinute: 0)
    let body = #"{"n":1}"#
    // printf '{"n":1}' | openssl dgst -sha256 -hmac secret-secret-secret
    let digest = Self.hmac
    for header in ["X-Signature-SHA256: \(digest)", "x-signature-sha256: \(digest.uppercased())"] {
      #expect(try site.request("POST", forwarded, [header], body: body).status == 200)
    }
    for header in [
      "X-Signature-SHA256: \(digest.dropLast())0", "X-Signature-SHA256: \(digest)00", "X-Other: \(digest)",
      "X-Signature-SHA256: zz", "X-Signature-SHA256:",
    ] {
      #expect(try site.request("POST", forwarded, [header], body: body).status == 401, "\(header)")
    }
    #expect(try site.request("POST", forwarded, ["X-Signature-SHA256: \(digest)"], body: body + " ").status == 401)
    #expect(try site.envelopes().allSatisfy { $0["forwarder"] == .string("hmac") })
    #expect(try site.envelopes().count == 2)
  }

  @Test func `can sign path, query, body and time`() async throws {
    let configuration = """
      {"forwarders":[{"name":"signed","hmac_secret_file":"FOLDER/secret","hmac_window_seconds":100,
       "hmac_covers":["path","query","body","timestamp"]}],"limits":{"requests_per_minute":0}}
      """
    let site = try await ServerSite(configuration: configuration, files: Self.files)
    func headers(_ time: Int, _ query: String) throws -> [String] {
      let text = Array("\(time)\n\(forwarded)\n\(query)\n{\"n\":1}".utf8)
      let digest = try HMAC.sha256(of: text.span, secret: Array("secret-secret-secret".utf8).span)
      return [
        "X-Signature-Timestamp: \(time)",
        "X-Signature-SHA256: " + digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined(),
      ]
    }
    func status(_ headers: [String], _ query: String) throws -> Int {
      try site.request("POST", "\(forwarded)?\(query)", headers, body: #"{"n":1}"#).status
    }
    let now = Int(Date().timeIntervalSince1970)
    let signed = try headers(now, "campaign=summer")
    #expect(try status(signed, "campaign=summer") == 200)
    #expect(try status(signed, "campaign=winter") == 401)
    #expect(try status(signed, "") == 401)
    #expect(try status(try headers(now - 90, "a=1"), "a=1") == 200)
    #expect(try status(try headers(now - 200, "a=1"), "a=1") == 401)
    #expect(try status(try headers(now + 200, "a=1"), "a=1") == 401)
    #expect(try status(Array(signed.dropFirst()), "campaign=summer") == 401)
    #expect(try status(["X-Signature-Timestamp: \(now)x", signed[1]], "campaign=summer") == 401)
    // The old form, of the body alone.
    #expect(try status(["X-Signature-SHA256: \(Self.hmac)"], "campaign=summer") == 401)
    #expect(try site.envelopes().count == 2)
  }

  private static let hmac = "be64c8bbbff61774f365c33c56352905c35ccff024a99c5e0c68c4ca6039b991"

  @Test(arguments: [
    [], ["Authorization: Bearer 0123456789abcdef-toke"], ["Authorization: Bearer 0123456789abcdef-tokenx"],
    ["Authorization: Basic 0123456789abcdef-token"], ["Authorization: Bearer"],
    ["Authorization: Bearer secret-secret-secret"],
  ]) func `that is unknown is refused before its body is read`(_ headers: [String]) async throws {
    let site = try await site(requestsPerMinute: 0)
    let answer = try site.request("POST", forwarded, headers, body: "{}")
    #expect(answer.status == 401 && answer.headers["www-authenticate"] == "Bearer")
    let client = try site.client()
    let head = ["POST \(forwarded) HTTP/1.1", "Host: x", "Content-Length: 190000"] + headers
    client.send(head.joined(separator: "\r\n") + "\r\n\r\n")
    #expect(try client.answer().status == 401)
    #expect(try site.names("new").isEmpty)
  }

  @Test func `is limited in its rate until it has authenticated`() async throws {
    let site = try await site()
    let statuses = try (0..<3).map { _ in
      try site.request("POST", forwarded, ["X-Signature-SHA256: 00"], body: "{}").status
    }
    #expect(statuses == [401, 429, 429])
    for _ in 0..<3 { #expect(try site.request("POST", forwarded, Self.bearer, body: "{}").status == 200) }
  }

  @Test func `is told the line of a postback that is too large, and nothing is stored`() async throws {
    let site = try await site()
    let large = #"{"x":"\#(String(repeating: "x", count: 66_000))"}"#
    let answer = try site.request("POST", forwarded, Self.bearer, body: "{\"n\":0}\n\(large)\n{\"n\":1}")
    #expect(answer.status == 413 && answer.text.contains("line 2"))
    #expect(try site.request("POST", forwarded, Self.bearer, body: "  \n ").status == 400)
    let long = try site.request("POST", forwarded, Self.bearer, body: String(repeating: " ", count: 200_001))
    #expect(long.status == 413)
    #expect(try site.names("new").isEmpty)
  }
}
