@testable import ConversionModel
import Foundation
import JSON
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"
private let forwarded = "/v1/postbacks"
private let bearer = "Authorization: Bearer 0123456789abcdef-token"

/// A receiver with one forwarder.
private func site(_ limits: String = "", _ options: [String] = []) async throws -> ServerSite {
  let configuration = """
    {"forwarders":[{"name":"bear","bearer_token_file":"FOLDER/token"}],"limits":{"requests_per_minute":0\(limits)}}
    """
  return try await ServerSite(options, configuration: configuration, files: ["token": "0123456789abcdef-token\n"])
}

/// The text as `gzip` compresses it.
private func gzip(_ text: String) async throws -> [UInt8] {
  try await BuiltCommand.run(executable: "/usr/bin/env", ["gzip", "-9"], input: Array(text.utf8)).output
}

@Suite struct `A body with a content coding` {
  private static let lines = (0..<50).map { #"{"n":\#($0)}"# }.joined(separator: "\n")

  @Test(arguments: ["gzip", "x-gzip", "GZIP", "identity, gzip", " gzip "])
  func `is decompressed if a forwarder sends gzip`(_ coding: String) async throws {
    let site = try await site()
    for body in [try await gzip(Self.lines), try await gzip("[{\"n\":1},") + gzip("{\"n\":2}]")] {
      let answer = try site.client().request("POST", forwarded, [bearer, "Content-Encoding: \(coding)"], body: body)
      #expect(answer.status == 200)
    }
    #expect(try site.envelopes().count == 52)
    #expect(try site.envelopes().allSatisfy { $0["body"] != nil && $0["body_base64"] == nil })
  }

  @Test(arguments: ["Content-Type: application/gzip", "Content-Encoding: identity", "X: y"])
  func `is decompressed also if only its first bytes say that it is gzip`(_ header: String) async throws {
    let site = try await site()
    let answer = try site.client().request("POST", forwarded, [bearer, header], body: try await gzip(Self.lines))
    #expect(answer.status == 200 && answer.text.contains(#""received":50"#))
    #expect(try site.envelopes().allSatisfy { $0["body"] != nil && $0["body_base64"] == nil })
  }

  @Test func `is refused if it is zstd, or compressed twice`() async throws {
    let site = try await site()
    let once = try await gzip(Self.lines)
    let twice = try await BuiltCommand.run(executable: "/usr/bin/env", ["gzip", "-9"], input: once).output
    let zstd: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x20, 2, 0x11, 0, 0, 0x7B, 0x7D]
    for (body, header) in [(zstd, "X: y"), (twice, "X: y"), (twice, "Content-Encoding: gzip")] {
      let answer = try site.client().request("POST", forwarded, [bearer, header], body: body)
      #expect(answer.status == 415 && answer.text.contains("once with gzip"))
    }
    #expect(try site.names("new").isEmpty)
  }

  @Test(arguments: ["", "identity", "Identity, identity"])
  func `is stored unchanged if the coding is identity`(_ coding: String) async throws {
    let site = try await site()
    for (path, header) in [(forwarded, bearer), (device, "X: y")] {
      #expect(try site.request("POST", path, [header, "Content-Encoding: \(coding)"], body: "{}").status == 200)
    }
  }

  @Test(arguments: ["br", "deflate", "zstd", "gzip, gzip", "gzip, br", "gzip;q=1", "*", "none"])
  func `is refused for any other coding, and the supported one is named`(_ coding: String) async throws {
    let site = try await site()
    let answer = try site.request("POST", forwarded, [bearer, "Content-Encoding: \(coding)"], body: "{}")
    #expect(answer.status == 415 && answer.headers["accept-encoding"] == "gzip" && answer.text.contains("gzip"))
    for coding in [coding, "gzip"] {
      let answer = try site.request("POST", device, ["Content-Encoding: \(coding)"], body: "{}")
      #expect(answer.status == 415 && answer.headers["accept-encoding"] == "identity")
    }
    #expect(try site.names("new").isEmpty)
  }

  @Test func `is refused if the gzip data is incomplete`() async throws {
    let site = try await site()
    let good = try await gzip(Self.lines)
    var wrong = good
    wrong[good.count - 6] ^= 1
    let bodies = [
      Array(Self.lines.utf8), [], Array(good.dropLast()), Array(good.prefix(5)), good + Array("x".utf8), wrong,
      good + good.dropLast(3),
    ]
    for body in bodies {
      let answer = try site.client().request("POST", forwarded, [bearer, "Content-Encoding: gzip"], body: body)
      #expect(answer.status == 400 && answer.text.contains("gzip"))
    }
    #expect(try site.names("new").isEmpty)
  }

  @Test func `is refused if it expands too much, and memory does not grow`() async throws {
    let site = try await site()
    let bomb = try await BuiltCommand.run(
      executable: "/bin/sh",
      ["-c", "head -c 1000000000 /dev/zero | tr '\\0' '\\n' | gzip -1"]
    ).output
    let answer = try site.client().request("POST", forwarded, [bearer, "Content-Encoding: gzip"], body: bomb)
    #expect(answer.status == 413 && answer.text.contains("8388608"))
    let resident = try site.metric("process_resident_memory_bytes")
    #expect(try #require(resident) < 100e6)
  }
}

@Suite struct `A body of very many postbacks` {
  @Test func `is refused, and takes at most four times its size in memory`() async throws {
    let site = try await site()
    let idle = try site.metric("process_resident_memory_bytes")
    let tiny = String(repeating: "1\n", count: 4 << 20)
    let answer = try site.request("POST", forwarded, [bearer], body: tiny)
    #expect(answer.status == 413 && answer.text.contains("50000 postbacks"))
    let status = try String(contentsOfFile: "/proc/\(site.serverID)/status", encoding: .utf8)
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
    let kilobytes = try #require(peak?.split(separator: " ").dropFirst().first.flatMap { Double($0) })
    #expect(kilobytes * 1024 - (try #require(idle)) < 4 * Double(tiny.utf8.count))
    #expect(try site.names("new").isEmpty)
  }

  @Test func `may have the number of postbacks that the configuration allows`() async throws {
    let site = try await site(#","forwarder_postbacks":3"#)
    #expect(try site.request("POST", forwarded, [bearer], body: "1\n2\n3\n").status == 200)
    let answer = try site.request("POST", forwarded, [bearer], body: "[1,2,3,4]")
    #expect(answer.status == 413 && answer.text.contains("more than 3 postbacks"))
    #expect(try site.envelopes().count == 3)
  }

  @Test func `is refused if its envelopes are much longer than the body`() async throws {
    let site = try await site(#","forwarder_body_bytes":20000"#)
    let lines = String(repeating: "1\n", count: 1000)
    let answer = try site.request("POST", forwarded, [bearer], body: lines)
    #expect(answer.status == 413 && answer.text.contains("40000 bytes"))
  }
}

@Suite struct `The query of a postback` {
  private static let postback = String(decoding: Fixtures.lines("postbacks/skadnetwork-4.0.jsonl")[1], as: UTF8.self)

  @Test func `is unchanged in the envelope, and decoded in the extras`() async throws {
    let site = try await site("", ["--watch", "--out", "FOLDER/out", "--commit-ms", "50", "--part-bytes", "1"])
    let query = "campaign=summer%20sale&ä=1&x=%zz"
    let client = try site.client()
    let body = Self.postback
    client.send(
      "POST \(device)?\(query) HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    )
    #expect(try client.answer().status == 200)
    let folder = site.folder.path("out/skan_postbacks")
    func parts() -> [String] {
      ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasPrefix("part-") }
    }
    try await site.wait("the row is there") { !parts().isEmpty }
    let row = try #require(
      try JSONObject.lines(try site.folder.contents(of: "out/skan_postbacks/\(parts()[0])")).first
    )
    guard case .object(let extras)? = row["extras"] else {
      Issue.record("no extras")
      return
    }
    let values = extras.filter { $0.key.hasPrefix("query.") }.map { "\($0.key) \($0.value)" }
    #expect(values == [#"query.campaign "summer sale""#, #"query.ä "1""#, #"query.x "%zz""#])
  }

  @Test func `is kept for forwarders, and limited in length`() async throws {
    let site = try await site()
    #expect(try site.request("POST", forwarded + "?c=a%20b&d", [bearer], body: "{}\n{}").status == 200)
    let long = String(repeating: "abc=\(String(repeating: "d", count: 95))&", count: 50)
    #expect(try site.request("POST", device + "?" + long, body: "{}").status == 200)
    #expect(try site.request("POST", device + "?" + String(repeating: "a", count: 5000), body: "{}").status == 200)
    #expect(try site.request("POST", device + "?", body: "{}").status == 200)
    let queries = try site.envelopes().map { $0["query"] }
    #expect(queries == [.string("c=a%20b&d"), .string("c=a%20b&d"), .string(String(long.prefix(3999))), nil, nil])
  }
}

@Suite struct `A bearer token` {
  @Test(arguments: [" ", "\t", "  \t ", ""]) func `ends before trailing white space`(_ space: String) async throws {
    let site = try await site()
    #expect(try site.request("POST", forwarded, [bearer + space], body: "{}").status == 200)
    #expect(try site.request("POST", forwarded, [bearer + space + "x"], body: "{}").status == 401)
  }
}
