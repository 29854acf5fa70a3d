import Foundation
import Glibc
import JSON
import TestSupport
import Testing

@Suite struct `A server that gets sessions and events` {
  private static let models = ["--models", Fixtures.path("implementation/models"), "--events", "FOLDER/out/s2s_events"]

  /// The same time in all events, which are of one device.
  private static let now = Int(Date().timeIntervalSince1970)

  private static func event(_ name: String, device: String = "6D92078A", value: Int = 0, more: String = "") -> String {
    """
    {"a":"key","p":"iOS","v":"17.4","i":"com.example.shop","app_v":"3.1","n":"\(name)","idfa":"","idfv":"\(device)",\
    "skan_current_conversion_value":\(value),"skan_first_call_to_skadnetwork_timestamp":\(now - 60),\
    "skan_last_call_to_skadnetwork_timestamp":\(now - 30)\(more)}
    """
  }

  private func rows(_ folder: TemporaryFolder) throws -> [JSONValue] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/s2s_events"))
    return try names.filter { $0.hasPrefix("part-") }.sorted().flatMap { name in
      try folder.contents(of: "out/s2s_events/\(name)").split(separator: UInt8(ascii: "\n"))
        .map { try JSONValue(parsing: Array($0)) }
    }
  }

  private func site(_ options: [String] = models, configuration: String = "{}") async throws -> ServerSite {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("out"), withIntermediateDirectories: true)
    return try await ServerSite(options, in: folder, configuration: configuration)
  }

  @Test func `answers each in order, keeps them as rows, and the check reads them`() async throws {
    let site = try await site()
    let body =
      "[\(Self.event("__SESSION__")),7,\(Self.event("purchase", more: #","Extra_key":[1],"p0_coarse":"low""#)),{\"n\":1}]"
    let answer = try site.request("POST", "/v1/events", body: body)
    #expect(answer.status == 200)
    let json = try JSONValue(parsing: Array(answer.text.utf8))
    guard case .array(let results)? = json["results"] else {
      Issue.record("there are no results: \(answer.text)")
      return
    }
    #expect(results.map { $0["status"]?.text } == ["ok", "error", "error", "error"])
    #expect(results.first?["conversion_value"]?.integer == 0)
    #expect(results[1]["reason"]?.text == "The element is not an object.")
    let more = try site.request("POST", "/v1/events", body: "[\(Self.event("purchase"))]")
    #expect(more.text.contains(#""conversion_value":1"#))
    let rows = try rows(site.folder)
    #expect(rows.count == 4)
    #expect(rows.first?["idfv"]?.text?.count == 20)
    #expect(rows.first?["idfa"]?.text == "")
    #expect(rows[1]["extras"]?["p0_coarse"]?.text == "low")
    #expect(try await site.stop() == 0)
    let out = site.folder.path("out")
    let run = ["run", Fixtures.path("postbacks"), "--out", out, "--quiet"]
    #expect(try await BuiltCommand.run(run).status == 0)
    let validator = Fixtures.path("../Tests/validate.py")
    var valid = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3", validator, out])
    if valid.status == 77 { valid = try await BuiltCommand.run(executable: "/usr/bin/python3", [validator, out]) }
    #expect(valid.status == 0, "\(valid.text)\(valid.errorText)")
    let views = try await BuiltCommand.run(["schema", "--dialect", "duckdb", "--from", out])
    #expect(
      views.status == 0 && views.text.contains("VIEW s2s_events AS") && views.text.contains("/s2s_events/part-*.jsonl")
    )
    let check = try await BuiltCommand.run(["validate-implementation", out, "--json"])
    #expect(check.status == 65, "the row without a device is not checked")
    let report = try JSONValue(parsing: check.output)
    #expect(report["rows"]?.integer == 4)
    #expect(report["devices"]?.integer == 1)
    guard case .array(let findings)? = report["findings"] else { return }
    #expect(findings.compactMap { $0["rule"]?.text } == ["coarse_range"])
  }

  @Test func `refuses other bodies, and stores nothing for unknown keys`() async throws {
    let configuration = #"{"sdk_keys":["right"]}"#
    let site = try await site(configuration: configuration)
    for body in ["", "{}", "[", "null", #"[{"a":1,"a":2}]"#] {
      #expect(try site.request("POST", "/v1/events", body: body).status == 400)
    }
    #expect(try site.request("GET", "/v1/events").status == 405)
    let wrong = try site.request("POST", "/v1/events", body: "[\(Self.event("__SESSION__"))]")
    #expect(wrong.text.contains("Invalid parameter a given"))
    #expect(try rows(site.folder).isEmpty)
    let right = Self.event("__SESSION__").replacing("\"key\"", with: "\"right\"")
    #expect(try site.request("POST", "/v1/events", body: "[\(right)]").text.contains("conversion_value"))
    #expect(try rows(site.folder).count == 1)
    #expect(try await site.stop() == 0)
    let without = try await self.site([])
    #expect(try without.request("POST", "/v1/events", body: "[]").status == 404)
    #expect(try await without.stop() == 0)
  }

  @Test func `keeps every acknowledged event when it is killed, and cuts an unfinished line`() async throws {
    var site = try await site()
    let folder = site.folder
    var acknowledged: Set<String> = []
    for round in 0..<3 {
      let client = try site.client()
      for number in 0..<20 {
        let name = "event_\(round)_\(number)"
        let answer = try client.request("POST", "/v1/events", body: Array("[\(Self.event(name))]".utf8))
        if answer.status == 200 { acknowledged.insert(name) }
      }
      site.signal(SIGKILL)
      _ = try await site.end()
      let parts = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/s2s_events"))
      let part = try #require(parts.filter { $0.hasPrefix("part-") }.sorted().last)
      let path = "out/s2s_events/\(part)"
      try folder.makeFile(path, holding: try folder.contents(of: path) + Array(#"{"received_at":"20"#.utf8))
      site = try await ServerSite(Self.models, in: folder)
    }
    let kept = try rows(folder).compactMap { $0["n"]?.text }
    #expect(acknowledged.count == 60)
    #expect(Set(kept) == acknowledged)
    #expect(kept.count == 60)
    #expect(try await site.stop() == 0)
  }

  @Test func `takes sessions and events under Singular's names`() async throws {
    let site = try await site(configuration: #"{"sdk_keys":["key"]}"#)
    let app =
      "a=key&p=iOS&i=com.example.shop&ve=17.4&app_v=3.1&idfa=&idfv=6D92078A&ip=192.0.2.7&ua=Safari&email=Safari"
      + "&custom_user_id=u1"
    let state =
      "&skan_current_conversion_value=0&skan_first_call_to_skadnetwork_timestamp=\(Self.now - 60)"
      + "&skan_last_call_to_skadnetwork_timestamp=\(Self.now - 30)"
    let old =
      "&skan_conversion_value=1&skan_first_call_timestamp=\(Self.now - 60)&skan_last_call_timestamp=\(Self.now - 30)"
    let answers = try [
      "/api/v1/launch?\(app)\(state)", "/evt?\(app)\(state)&n=purchase&e=%7B%22k%22%3A1%7D", "/launch?\(app)",
      "/api/v1/evt/?\(app)\(old)&n=purchase", "/launch?\(app.replacing("iOS", with: "Android"))", "/evt?\(app)\(state)",
      "/launch?\(app.replacing("a=key", with: "a=wrong"))", "/launch?\(app)&p=iOS",
    ].map { target in
      let answer = try site.request("GET", target)
      #expect(answer.status == 200)
      return try JSONValue(parsing: Array(answer.text.utf8))
    }
    #expect(answers.map { $0["status"]?.text } == ["ok", "ok", "ok", "ok", "ok", "error", "error", "error"])
    #expect(answers.map { $0["conversion_value"]?.integer } == [0, 1, nil, 2, nil, nil, nil, nil])
    #expect(answers[2]["reason"]?.text?.contains("Invalid parameter skan_first_call") == true)
    #expect(answers[4]["reason"]?.text?.contains("not iOS") == true)
    #expect(try site.request("HEAD", "/launch?\(app)").status == 405)
    #expect(try site.request("POST", "/launch?\(app)").status == 405)

    let rows = try rows(site.folder)
    #expect(rows.map { $0["n"]?.text } == ["__SESSION__", "purchase", "__SESSION__", "purchase"])
    #expect(rows.allSatisfy { $0["v"]?.text == "17.4" && $0["app_v"]?.text == "3.1" && $0["idfv"]?.text?.count == 20 })
    #expect(rows[1]["extras"]?["e"]?.text == #"{"k":1}"# && rows[1]["skan_current_conversion_value"]?.integer == 0)
    #expect(rows[0]["extras"]?["custom_user_id"]?.text?.count == 20)
    #expect(
      !rows.map(\.description).joined().contains("192.0.2.7") && !rows.map(\.description).joined().contains("Safari")
    )
    #expect(try await site.stop() == 0)
  }

  @Test func `answers the metadata of SKAdNetwork 3 with a value`() async throws {
    let site = try await site()
    let event = """
      {"a":"key","p":"iOS","i":"com.example.shop","n":"purchase","idfv":"6D92078A","skan_conversion_value":"",\
      "skan_first_call_timestamp":\(Self.now - 60),"skan_last_call_timestamp":\(Self.now - 30)}
      """
    let answer = try site.request("POST", "/v1/events", body: "[\(event)]")
    #expect(answer.text.contains(#"[{"conversion_value":1,"status":"ok"}]"#), "\(answer.text)")
    #expect(try await site.stop() == 0)
  }

  @Test func `answers the test endpoint with 0, 1, 2, and then nothing`() async throws {
    let site = try await site(["--conversion-value-test"])
    let target = "/api/v1/conversion_value?p=iOS&i=com.example.any&n=__SESSION__"
    #expect(try site.request("GET", target).text == #"{"conversion_value":0,"status":"ok"}"#)
    for (value, next) in [("0", "1"), ("1", "2"), ("2", "\"\""), ("63", "\"\"")] {
      let answer = try site.request("GET", "\(target)&conversion_value=\(value)")
      #expect(answer.text == #"{"conversion_value":\#(next),"status":"ok"}"#)
    }
    #expect(try site.request("GET", "\(target)&conversion_value=64").text.contains("Invalid parameter"))
    #expect(try site.request("GET", "\(target)&a=key").text.contains("Invalid parameter"))
    #expect(try await site.stop() == 0)
  }
}
