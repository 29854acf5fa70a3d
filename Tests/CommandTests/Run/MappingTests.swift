import Foundation
import JSON
import Signatures
import TestSupport
import Testing

/// A fixture in the form of a vendor or a log, with the facts that its records give.
struct MappedFixture: CustomTestStringConvertible, Sendable {
  let file: String
  let mapping: String
  let count: Int
  var receivedAt: String? = "2026-03-05T10:00:00Z"
  var forwarder: String?
  var testDescription: String { file }

  static let all = [
    Self(file: "adjust.csv", mapping: "adjust", count: 4, forwarder: "adjust"),
    Self(file: "adjust-callbacks.log", mapping: "adjust-callbacks", count: 4, forwarder: "adjust"),
    Self(file: "adjust-placeholders.csv", mapping: "adjust-placeholders", count: 2, forwarder: "adjust"),
    Self(file: "appsflyer.csv", mapping: "appsflyer", count: 4, forwarder: "appsflyer"),
    Self(file: "appsflyer-push.jsonl", mapping: "appsflyer", count: 4, forwarder: "appsflyer"),
    Self(file: "aws-alb.log", mapping: "aws-alb-log", count: 4, receivedAt: "2026-03-05T10:00:00.186Z"),
    Self(file: "aws-cloudfront.log", mapping: "aws-cloudfront-log", count: 4),
    Self(file: "aws-lambda.jsonl", mapping: "aws-lambda", count: 3),
    Self(file: "aws-sqs.jsonl", mapping: "aws-sqs", count: 4),
    Self(file: "branch.csv", mapping: "branch", count: 2, forwarder: "a_example_ads"),
    Self(file: "branch-web.csv", mapping: "branch", count: 2, forwarder: "a_example_ads"),
    Self(
      file: "gcp-load-balancer.jsonl",
      mapping: "gcp-load-balancer",
      count: 4,
      receivedAt: "2026-03-05T10:00:00.123Z"
    ),
    Self(file: "nginx.log", mapping: "nginx", count: 4),
    Self(file: "nginx-json.jsonl", mapping: "nginx-json", count: 4),
    Self(file: "tables.jsonl", mapping: "tables", count: 4, forwarder: "acme"),
  ]
}

@Suite struct `Inputs of other forms` {
  private let site: DumpFolder

  init() throws { site = try DumpFolder() }

  private func run(_ text: String, mapping: String) async throws -> JSONValue {
    let file = try site.folder.makeFile("mapping.json", holding: Array(mapping.utf8))
    try site.put("in.jsonl", Array(text.utf8))
    return try await site.run(["--mapping", file]).summary
  }

  @Test(arguments: MappedFixture.all) func `are read by their mapping, with signatures that Apple made`(
    _ fixture: MappedFixture
  ) async throws {
    let path = Fixtures.path("inputs/\(fixture.file)")
    let (summary, errors) = try await site.run(["--mapping", fixture.mapping], inputs: [path])
    #expect(summary["read"]?.integer == Int64(fixture.count) && summary["accepted"] == summary["read"], "\(summary)")
    #expect(!errors.contains("no_postback"))
    let rows = try site.values(
      ["signature_state", "coerced_fields", "received_at", "forwarder", "raw_body", "received_at_source"]
    )
    for (index, row) in rows.enumerated() {
      #expect(row[0] == "valid" && row[3] == fixture.forwarder)
      // A 1 for true is another spelling, and an event of a load balancer for a function has no time.
      let isEvent = fixture.mapping == "aws-lambda" && index == 2
      #expect(row[1] == nil || fixture.mapping == "adjust-placeholders", "\(row)")
      if !isEvent { #expect(row[2] == fixture.receivedAt && row[5] == "envelope", "\(row)") }
    }
  }

  @Test(arguments: MappedFixture.all) func `are recognised by import --dry-run, which shows three`(
    _ fixture: MappedFixture
  ) async throws {
    let path = Fixtures.path("inputs/\(fixture.file)")
    let result = try await BuiltCommand.run(["import", path, "--dry-run"])
    #expect(result.status == 0, "\(result.errorText)")
    let command = "Read them with: postback run \(path) --mapping \(fixture.mapping) --out OUT"
    #expect(result.text.contains(command), "\(result.text)")
    #expect(result.text.split(separator: "\n").count { $0.hasSuffix(" valid") } == min(fixture.count, 3))
  }

  @Test func `are postbacks or CSV that need no mapping, or nothing at all`() async throws {
    let csv = Fixtures.path("inputs/postbacks.csv")
    let result = try await BuiltCommand.run(["import", csv, "--dry-run"])
    #expect(result.text.contains("Read them with: postback run \(csv) --out OUT"), "\(result.text)")
    let none = try await BuiltCommand.run(["import", Fixtures.path("README.md"), "--dry-run"])
    #expect(none.status == 1 && none.errorText.contains("is a postback in any known form"), "\(none.errorText)")
  }

  @Test func `have mappings that are listed, and that are printed as mapping files`() async throws {
    let list = try await BuiltCommand.run(["inputs"])
    let names = list.text.split(separator: "\n").dropFirst().compactMap {
      $0.split(separator: " ").first.map(String.init)
    }
    #expect(Set(names) == Set(MappedFixture.all.map(\.mapping) + ["singular"]))
    for fixture in MappedFixture.all {
      let printed = try await BuiltCommand.run(["inputs", fixture.mapping])
      let file = try site.folder.makeFile("\(fixture.mapping).json", holding: printed.output)
      let path = Fixtures.path("inputs/\(fixture.file)")
      let summary = try await site.run(
        ["--mapping", file, "--out", site.folder.path(fixture.file)],
        inputs: [path]
      ).summary
      #expect(summary["accepted"]?.integer == Int64(fixture.count), "\(fixture.file)")
    }
  }

  @Test func `are opened several wrappers deep, and what is not found there is a reject with its own bytes`()
    async throws
  {
    let mapping = #"""
      {"name": "deep", "form": "json", "open": ["$['the data'].items[1].text.skan_postback", "base64", "percent"],
       "fields": {"net": "ad-network-id", "app-id": "app-id", "version": null, "ip": null},
       "context": {"received_at": ["$.day", "T00:00:00Z"], "forwarder": "$.from"},
       "constants": {"version": "4.0", "forwarder": "house", "channel": "network_forwarded"}}
      """#
    let postback = RealPostback.v4.object
    let members = postback.keys.map { key in
      "\"\(key == "ad-network-id" ? "net" : key)\":\(key == "version" ? "\"9\"" : postback[key] ?? "null")"
    }
    let encoded = Array("{\(members.joined(separator: ","))}".utf8).map { byte in
      "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }.joined()
    let digits = Data(encoded.utf8).base64EncodedString().filter { $0 != "=" }.map {
      $0 == "/" ? "_" : $0 == "+" ? "-" : $0
    }
    let inner = "{\"skan_postback\":\"\(String(digits))\"}"
    let text = JSONValue.string(inner).description
    let lines = [
      "{\"day\":\"2026-03-02\",\"the data\":{\"items\":[0,{\"text\":\(text)}]}}",
      "{\"day\":\"2026-03-02\",\"from\":\"acme\",\"the data\":{\"items\":[0]}}", "[[[[", "no JSON",
    ]
    let summary = try await run(lines.joined(separator: "\n"), mapping: mapping)
    #expect(summary["accepted"]?.integer == 1, "\(summary)")
    #expect(
      try site.values(["received_at", "forwarder", "channel"]) == [
        ["2026-03-02T00:00:00Z", "house", "network_forwarded"]
      ]
    )
    let bodies = try site.values(["raw_body"], in: "skan_rejects").map { $0[0] ?? "" }
    #expect(bodies.contains(lines[1]) && bodies.contains { $0.contains("no JSON") }, "\(bodies)")
  }

  @Test func `may hold several postbacks in a record, each with its line and its own verdict`() async throws {
    let events = Fixtures.bytes("inputs/aws-sqs.jsonl").split(separator: UInt8(ascii: "\n"))
    let whole = try JSONValue(parsing: Array(events[0]))
    let messages = try #require(whole["Records"]?.elements)
    let forged = messages[1].description.replacing("525463029", with: "525463030")
    let mixed = #"{"Records":[\#(messages[0]),\#(forged),{"body":"nothing"}]}"#
    // A record without the array, with others than objects in it, or cut is one record.
    let lines = [mixed, messages[2].description, #"{"Records":[1,2]}"#, #"{"Records":[]}"#, #"{"Records":[{"#]
    try site.put("in.jsonl", Array(lines.joined(separator: "\n").utf8))
    let summary = try await site.run(["--mapping", "aws-sqs"]).summary
    #expect(summary["read"]?.integer == 7 && summary["accepted"]?.integer == 2, "\(summary)")
    #expect(try site.values(["source_line"]) == [["1"], ["2"]])
    #expect(try site.values(["source_line"], in: "skan_rejects") == [["1"], ["1"], ["3"], ["4"], ["5"]])
  }

  @Test func `of Branch have the domain of a web ad, and keep another text in its column as an extra`() async throws {
    let signer = try Signer(.p256, id: "ours")
    let domains = ["example.com", "www.bücher-2.example"]
    let others = ["IOS14-Install-Male(18+)", "spring 1.2", "Spring_v1.2", "1.2", "12", "example"]
    let postback = RealPostback.v4.object.without("source-app-id").without("source-domain")
    var lines: [String] = []
    for (number, text) in (domains + others + ["", "null"]).enumerated() {
      let changes = ["transaction-id": "\"6aafb7a5-0170-41b5-bbe4-\(100_000_000_000 + number)\""]
      let domain = number < domains.count ? ["source-domain": Object.quoted(text)] : [:]
      let signed = try signer.sign(postback.with(changes).with(domain)).without("source-domain")
      if lines.isEmpty {
        lines.append(
          signed.keys.map { "body_" + $0.replacing("-", with: "_") }.joined(separator: ",") + ",body_source_domain"
        )
      }
      lines.append(signed.keys.map { signed.string($0) ?? "" }.joined(separator: ",") + ",\(text)")
    }
    try site.put("in.csv", Array(lines.joined(separator: "\n").utf8))
    let (summary, _) = try await site.run(["--mapping", "branch", "--trust-key", "ours=\(signer.base64)"])
    #expect(summary["accepted"]?.integer == 10 && summary["rejected"]?.integer == 0, "\(summary)")
    let rows = try site.values(["source_domain", "extras"])
    #expect(rows.map { $0[0] } == domains + others.map { _ in nil } + [nil, nil], "\(rows)")
    for (row, text) in zip(rows.dropFirst(2), others) {
      #expect(row[1]?.contains("\"body_source_domain\":\"\(text)\"") == true, "\(row)")
    }
  }

  @Test func `keep the decision with the signature, and can be decided again`() async throws {
    let line = RealPostback.v3.object.with(["campaign-id": "43"]).text
    let log = "{\"request_body\":\(JSONValue.string(line)),\"time_iso8601\":\"2026-03-05T11:00:00+01:00\"}"
    let aak = "{\"request_body\":\(JSONValue.string(RealPostback.adAttributionKit.object.text))}"
    try site.put("in.jsonl", Array("\(log)\n\(aak)\n".utf8))
    let summary = try await site.run(["--mapping", "nginx-json"]).summary
    #expect(
      summary["by_code"]?["signature_invalid"]?.integer == 1 && summary["by_code"]?["development_key"]?.integer == 1
    )
    #expect(try site.values(["raw_body"], in: "skan_rejects").first == [line])
    // The same file without the mapping is other content.
    #expect(
      try await site.run(["--out", site.folder.path("other")]).summary["by_code"]?["missing_field"]?.integer == 2
    )
    let again = try await BuiltCommand.run(
      [
        "run", "--from-rejects", site.folder.path("out"), "--out", site.folder.path("out"), "--allow-development",
        "--json",
      ]
    )
    #expect(try JSONValue(parsing: again.output)["accepted"]?.integer == 1, "\(again.errorText)")
  }

  @Test(arguments: [
    (#"{"name": "a"}"#, "/form"), (#"{"name": "a", "form": "xml"}"#, "/form"),
    (#"{"name": "a", "form": "json", "open": ["again"]}"#, "/open/0"),
    (#"{"name": "a", "form": "json", "open": ["$.a[x]"]}"#, "/open/0"),
    (
      #"{"name": "a", "form": "json", "open": ["# + repeatElement(#""base64""#, count: 17).joined(separator: ",")
        + "]}", "/open"
    ),
    (#"{"name": "a", "form": "csv", "each": "$.a"}"#, "/each"),
    (#"{"name": "a", "form": "json", "each": "a"}"#, "/each"),
    (#"{"name": "a", "form": "json", "fields": {"x": "kid"}}"#, "/fields/x"),
    (#"{"name": "a", "form": "json", "context": {"version": "$.v"}}"#, "/context/version"),
    (#"{"name": "a", "form": "json", "constants": {"channel": "direct"}}"#, "apple_direct or network_forwarded"),
    (#"{"name": "a", "form": "json", "constants": {"received_at": "yesterday"}}"#, "/constants/received_at"),
    (#"{"name": "a", "form": "json", "contxt": {}}"#, "Did you mean context?"), ("{", "is not JSON"),
    ("[" + String(repeating: "[", count: 2000), "is not JSON"),
  ]) func `have no mapping that is broken`(_ text: String, _ expected: String) async throws {
    let file = try site.folder.makeFile("broken.json", holding: Array(text.utf8))
    let out = site.folder.path("none")
    let result = try await BuiltCommand.run(["run", Fixtures.path("postbacks"), "--mapping", file, "--out", out])
    #expect(result.status == 65 && result.errorText.contains(expected), "\(result.errorText)")
    let missing = try await BuiltCommand.run(["run", "x", "--mapping", "nothing", "--out", out])
    #expect(missing.status == 64 && missing.errorText.contains("postback inputs lists them"), "\(missing.errorText)")
  }

  @Test func `that hold more records than a dump can have are not divided without end`() async throws {
    let event = "{\"Records\":[" + repeatElement("{}", count: 20_000).joined(separator: ",") + "]}\n"
    try site.put("in.jsonl", Array(String(repeating: event, count: 400).utf8))
    let packed = try await BuiltCommand.run(
      executable: "/bin/sh",
      ["-c", "gzip -9 '\(site.dumps)/in.jsonl'; wc -c < '\(site.dumps)/in.jsonl.gz'"]
    )
    let bytes = try #require(Int64(packed.text.trimmingCharacters(in: .whitespacesAndNewlines)))
    let summary = try await site.run(["--mapping", "aws-sqs"]).summary
    // 8 million elements, of which so many are divided as the file has bytes, or 65 536.
    let read = try #require(summary["read"]?.integer)
    #expect(read < max(bytes, 65_536) + 20_000 + 400 && summary["rejected"]?.integer == read, "\(read) of \(bytes)")
  }

  @Test func `of hostile content are rejects in bounded time`() async throws {
    let deep = "{\"request_body\":\"" + String(repeating: "[", count: 60_000) + "\"}"
    let wide = "{\"request_body\":{" + (0..<4000).map { "\"k\($0)\":1" }.joined(separator: ",") + "}}"
    let twice = #"{"request_body":"{}","request_body":"{}"}"#
    let lines = [deep, wide, twice, String(repeating: "%7B", count: 20_000), #"{"request_body":{"body":{}}}"#]
    try site.put("in.jsonl", Array((0..<40).flatMap { _ in lines }.joined(separator: "\n").utf8))
    for mapping in ["nginx-json", "nginx", "aws-lambda", "adjust-callbacks"] {
      let summary = try await site.run(["--mapping", mapping, "--out", site.folder.path(mapping)]).summary
      #expect(summary["read"]?.integer == 200 && summary["rejected"]?.integer == 200, "\(summary)")
    }
  }
}
