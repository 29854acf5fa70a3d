import Foundation
import JSON
import TestSupport
import Testing

/// A postback from a forwarder that cannot send JSON or headers, through the built server and the tables.
@Suite struct `A forwarder with forms and queries` {
  private static let token = "0123456789abcdef+token/="
  private static let path = "/v1/postbacks"

  private func site() async throws -> ServerSite {
    try await ServerSite(
      configuration: """
        {"forwarders":[{"name":"in-url","bearer_token_file":"FOLDER/token","bearer_token_parameter":"key"},
         {"name":"header","bearer_token_file":"FOLDER/other"},{"name":"signed","hmac_secret_file":"FOLDER/secret"}],
         "limits":{"requests_per_minute":0}}
        """,
      files: ["token": Self.token + "\n", "other": "fedcba9876543210-other", "secret": "0123456789abcdef-secret"]
    )
  }

  /// The fields of a postback as parameters, percent-encoded.
  private static func form(_ postback: RealPostback, underscored: Bool = false) throws -> String {
    guard case .object(let members) = try JSONValue(parsing: postback.bytes) else { return "" }
    return members.map { member in
      let name = underscored ? member.key.replacing("-", with: "_") : member.key
      return "\(name.formEncoded)=\((member.value.text ?? member.value.description).formEncoded)"
    }.joined(separator: "&")
  }

  /// Runs over what was received, and returns the accepted rows.
  private func rows(_ site: ServerSite, accepted: Int) async throws -> [Object] {
    let out = site.folder.path("out")
    let run = ["run", site.folder.path("spool/new"), "--out", out, "--allow-development", "--json"]
    let result = try await BuiltCommand.run(run)
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try JSONValue(parsing: result.output)["accepted"]?.integer == Int64(accepted), "\(result.text)")
    let tables = try site.folder.files(below: "out").filter { $0.hasSuffix(".jsonl") }
    for file in try site.folder.files(below: "spool").map({ "spool/\($0)" }) + tables.map({ "out/\($0)" }) + ["log"] {
      let text = String(decoding: try site.folder.contents(of: file), as: UTF8.self)
      #expect(!text.contains("0123456789abcdef"), "a token is in \(file)")
    }
    return try tables.filter { $0.hasPrefix("skan_postbacks") }.flatMap {
      Object.lines(try site.folder.contents(of: "out/\($0)"))
    }
  }

  @Test func `is known by a token in the URL, and no file has the token`() async throws {
    let site = try await site()
    let body = String(decoding: RealPostback.v4.bytes, as: UTF8.self)
    let key = "key=\(Self.token.formEncoded)"
    #expect(try site.request("POST", "\(Self.path)?campaign=summer&\(key)&b=", body: body).status == 200)
    // Only where it is configured, only under its name, and only as it is.
    for query in [
      "key=0123456789abcdef", "token=\(Self.token.formEncoded)", "key=fedcba9876543210-other", "key", "Key=x",
    ] {
      #expect(try site.request("POST", "\(Self.path)?\(query)", body: body).status == 401)
    }
    let header = ["Authorization: Bearer fedcba9876543210-other"]
    let other = String(decoding: RealPostback.v3.bytes, as: UTF8.self)
    #expect(try site.request("POST", "\(Self.path)?\(key)&x=1", header, body: other).status == 200)
    let queries = try site.envelopes().map { $0["query"]?.text }
    #expect(queries == ["campaign=summer&b=", "x=1"])
    let rows = try await rows(site, accepted: 2)
    #expect(rows.map { $0.string("forwarder") } == ["in-url", "header"])
    #expect(try await site.stop() == 0)
  }

  @Test(arguments: [RealPostback.v4, .v3, .v22, .adAttributionKit], [false, true])
  func `sends a postback in a query or a form, as Apple signed it`(_ postback: RealPostback, _ underscored: Bool)
    async throws
  {
    let site = try await site()
    let form = try Self.form(postback, underscored: underscored)
    let get = try site.request("GET", "\(Self.path)?\(form)&click=a%26b&key=\(Self.token.formEncoded)")
    #expect(get.status == 200 && get.text.contains(#""received":1"#), "\(get.text)")
    let type = [
      "Authorization: Bearer \(Self.token)", "Content-Type: application/x-www-form-urlencoded; charset=utf-8",
    ]
    #expect(try site.request("POST", Self.path, type, body: form + "\n").status == 200)
    let json = String(decoding: postback.bytes, as: UTF8.self)
    #expect(try site.request("POST", Self.path, type, body: "a=1&postback=\(json.formEncoded)&b=2").status == 200)
    let encoded = Data(postback.bytes).base64EncodedString()
    #expect(try site.request("POST", Self.path, type, body: "postback=\(encoded.formEncoded)").status == 200)
    // Programs that say form and send JSON.
    #expect(try site.request("POST", Self.path, type, body: json).status == 200)
    #expect(try site.envelopes().map { $0["query"]?.text } == [nil, nil, "a=1&b=2", nil, nil])
    let rows = try await rows(site, accepted: 1)
    #expect(rows.first?.string("forwarder") == "in-url" && rows.first?.string("coerced_fields") == nil)
    #expect(try await site.stop() == 0)
  }

  @Test func `may compress a form, and what it says is a form`() async throws {
    let site = try await site()
    let type = [
      "Authorization: Bearer \(Self.token)", "Content-Type: application/x-www-form-urlencoded",
      "Content-Encoding: gzip",
    ]
    func send(_ text: String) async throws -> RawClient.Answer {
      let input = Array(text.utf8)
      let body = try await BuiltCommand.run(executable: "/usr/bin/env", ["gzip", "-9"], input: input).output
      return try site.client().request("POST", Self.path, type, body: body)
    }
    #expect(try await send(try Self.form(.v4) + "\n").text.contains(#""received":1"#))
    let lines = String(repeating: String(decoding: RealPostback.v3.bytes, as: UTF8.self) + "\n", count: 2)
    #expect(try await send(lines).text.contains(#""received":2"#))
    let refused = try await send("a=1")
    #expect(refused.status == 400 && refused.text.contains("holds no postback"), "\(refused.text)")
    // A form that becomes large is decoded no further than a postback can be long.
    let large = try await send("a=" + String(repeating: "b", count: 6_000_000))
    #expect(large.status == 400 || large.status == 413, "\(large.text)")
    let broken = try site.client().request("POST", Self.path, type, body: Array(try Self.form(.v4).utf8))
    #expect(broken.status == 400 && broken.text.contains("cannot be decoded"), "\(broken.text)")
    #expect(try site.envelopes().count == 3)
    _ = try await rows(site, accepted: 2)
    #expect(try await site.stop() == 0)
  }

  @Test func `is refused at once where there is no postback`() async throws {
    let site = try await site()
    let bearer = "Authorization: Bearer \(Self.token)"
    let type = "Content-Type: application/x-www-form-urlencoded"
    for form in [
      "a=1", "version=4.0&campaign-id=5", "jws-string=x&jws_string=y", "postback=%7B%7D", "postback=eyJ", "=&&",
    ] {
      let answer = try site.request("POST", Self.path, [bearer, type], body: form)
      #expect(answer.status == 400 && answer.text.contains("holds no postback"), "\(form): \(answer.text)")
      #expect(try site.request("GET", "\(Self.path)?\(form)", [bearer]).status == 400)
    }
    #expect(try site.request("GET", Self.path, [bearer]).status == 400)
    #expect(try site.request("GET", "\(Self.path)?jws-string=x").status == 401)
    #expect(try site.request("HEAD", "\(Self.path)?jws-string=x", [bearer]).status == 405)
    let signed = ["X-Signature-SHA256: 00"]
    #expect(try site.request("GET", "\(Self.path)?jws-string=x", signed).status == 401)
    let parts = try site.request(
      "POST",
      Self.path,
      [bearer, "Content-Type: multipart/form-data; boundary=x"],
      body: "--x"
    )
    #expect(parts.status == 415)
    #expect(try site.envelopes().isEmpty)
    #expect(try await site.stop() == 0)
  }
}

extension String {
  /// The text as forms have it: letters, digits and `-._` as they are, spaces as `+`, all other bytes as `%XX`.
  fileprivate var formEncoded: String {
    utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
        String(UnicodeScalar(byte))
      case UInt8(ascii: " "): "+"
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
