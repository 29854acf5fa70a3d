import Base
import Foundation
import JSON
import TestSupport
import Testing

/// The case of a party as a download of the live page, and the numbers of rejects that lead to it.
@Suite struct `The live page's case` {
  /// The forwarder of the least rejects, but for some, whose case takes the least time.
  private func forwarder(_ site: ViewSite) throws -> String {
    let table = try Data(contentsOf: URL(fileURLWithPath: "\(site.out)/skan_rejects/part-00000001.jsonl"))
    let names = Object.lines(Array(table)).compactMap { $0.string("forwarder") }
    let counts = Dictionary(grouping: names) { $0 }.mapValues(\.count).filter { $0.value >= 5 }
    return try #require(counts.min { ($0.value, $0.key) < ($1.value, $1.key) }?.key)
  }

  /// Runs a command line of an answer in a folder of its own, and returns the files that it writes.
  private func run(_ line: String) async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let command = line.replacing("postback case", with: "'\(try BuiltCommand.path)' case")
    let result = try await BuiltCommand.run(executable: "/bin/sh", ["-c", "cd '\(folder.path(""))' && \(command) -q"])
    #expect(result.status == 0, "\(line): \(result.errorText)")
    return folder
  }

  @Test func `has the bytes of the command line that the page shows`() async throws {
    let site = try await ViewSite()
    let name = try forwarder(site)
    let offer = try #require(try site.get("/api/rejects?forwarder=\(name)&since=2026-03-01&limit=1")["case"])
    #expect(offer["conditions"] == .array([.string("forwarder=\(name)")]))
    let query = "where=forwarder%3D\(name)&since=2026-03-01&diagnose_limit=2"
    for (member, more) in [("command", ""), ("command_for_partner", "&for_partner=true")] {
      let files = try await run("\(try #require(offer[member]?.text)) --diagnose-limit 2")
      let page = try site.request("GET", "/api/case?\(query)\(more)")
      let written = try files.contents(of: "case.html")
      #expect(page.status == 200 && page.body == written, "\(member)")
      #expect(page.headers["content-disposition"] == "attachment; filename=\"case.html\"")
      #expect(page.headers["content-security-policy"]?.contains("default-src 'none'") == true)
      let transactions = try site.request("GET", "/api/case.csv?\(query)\(more)")
      let listed = try files.contents(of: "transactions.csv")
      #expect(transactions.body == listed)
    }
    let json = try await BuiltCommand.run(
      ["case", site.out, "--where", "forwarder=\(name)", "--json", "--examples", "2", "--diagnose-limit", "3"]
    )
    #expect(
      try site.request("GET", "/api/case.json?where=forwarder%3D\(name)&examples=2&diagnose_limit=3").text == json.text
    )
    let printed = try await BuiltCommand.run([
      "view", site.out, "--get", "/api/case.csv?where=forwarder%3D\(name)&diagnose_limit=0",
    ])
    #expect(printed.status == 0 && printed.text.hasPrefix("transaction_id,"), "\(printed.errorText)")
  }

  @Test func `is offered of a sender, an app, a code and a transaction, and of nothing else`() async throws {
    let site = try await ViewSite()
    func conditions(_ target: String) throws -> [String?]? {
      try site.get(target)["case"]?["conditions"]?.elements?.map(\.text)
    }
    #expect(try conditions("/api/rejects?limit=1") == nil)
    #expect(try conditions("/api/rejects?class=noise&stage=parse&contains=x&limit=1") == nil)
    #expect(
      try conditions("/api/rejects?network=a.skadnetwork&app=5&code=not_json&limit=1")
        == ["ad_network_id=a.skadnetwork", "app_id=5", "reject_code=not_json"]
    )
    #expect(try conditions("/api/rejects?forwarder=&limit=1") == ["forwarder="])
    #expect(try site.request("GET", "/api/case?where=forwarder%3D&for_partner=true").status == 400)
    #expect(try conditions("/api/rejects?forwarder=it%27s+%3Dhere&limit=1") == ["forwarder=\"it's =here\""])
    let line = try site.get("/api/rejects?forwarder=it%27s+%3Dhere&limit=1")["case"]?["command"]?.text
    #expect(line?.contains(#"--where 'forwarder="it'\''s =here"'"#) == true, "\(line ?? "")")
    let row = try #require(try site.get("/api/postbacks?limit=1")["rows"]?.elements?.first)
    let (key, transaction) = (row["postback_key"]?.text ?? "", row["transaction_id"]?.text ?? "?")
    #expect(try conditions("/api/postback?id=\(key)") == ["transaction_id=\(transaction)"])
    #expect(try site.request("GET", "/api/case?where=transaction_id%3D\(transaction)&diagnose_limit=0").status == 200)
  }

  @Test(arguments: [
    ("/api/case", 400, "Nothing says what the case is about"),
    ("/api/case?where=nothing%3D1", 400, "A case cannot be about the column nothing"),
    ("/api/case?where=reject_code%3Dnone", 400, "never holds"),
    ("/api/case?where=forwarder", 400, "is not a condition"),
    ("/api/case?where=app_id%3D1&for_partner=true", 400, "Add forwarder=NAME"),
    ("/api/case?where=app_id%3D1&for_partner=1", 400, "one of true, false"),
    ("/api/case?where=app_id%3D1&revenue=true", 400, "/api/case.csv"),
    ("/api/case.csv?where=forwarder%3Da&revenue=true&for_partner=true", 400, "get no amounts"),
    ("/api/case?where=app_id%3D1&examples=1001", 400, "from 0 to 1000"),
    ("/api/case?where=app_id%3D1&out=/etc", 400, "There is no such parameter"),
    ("/api/case?where=forwarder%3Dnobody-has-this-name", 404, "No record meets"),
    ("/api/case.txt?where=app_id%3D1", 404, "no data at this path"),
  ]) func `refuses what it cannot be about`(_ target: String, _ status: Int, _ words: String) async throws {
    let site = try await ViewSite()
    let answer = try site.request("GET", target)
    #expect(answer.status == status && answer.text.contains(words), "\(target): \(answer.status) \(answer.text)")
  }

  @Test func `shows no amount to a role without revenue, and only the case of a partner`() async throws {
    let site = try await ViewSite()
    let name = try forwarder(site)
    func get(_ address: String) async throws -> BuiltCommand.Result {
      try await BuiltCommand.run(["view", site.out, "--role", "read_without_revenue", "--get", address])
    }
    let few = "&diagnose_limit=2&examples=2"
    for form in ["", ".json", ".csv"] {
      let result = try await get("/api/case\(form)?where=forwarder%3D\(name)\(few)")
      let partner = try site.request("GET", "/api/case\(form)?where=forwarder%3D\(name)&for_partner=true\(few)").text
      #expect(result.status == 0 && result.text == partner, "\(form): \(result.errorText)")
      for word in ["USD", "\"revenue\":{", "\"revenue\":\"", "Revenue of the accepted", site.out] {
        #expect(!result.text.contains(word), "\(form) has \(word)")
      }
    }
    for (address, words) in [
      ("/api/case?where=app_id%3D1", "without revenue is about a forwarder"),
      ("/api/case.csv?where=forwarder%3D\(name)&revenue=true", "get no amounts"),
    ] {
      let result = try await get(address)
      #expect(result.status == 1 && result.errorText.contains(words), "\(result.errorText)")
    }
    let offer = try JSONValue(parsing: Array(try await get("/api/rejects?forwarder=\(name)&limit=1").text.utf8))["case"]
    #expect(offer?["command"] == .null && offer?["command_for_partner"]?.text?.contains("--for-partner") == true)
    let app = try JSONValue(parsing: Array(try await get("/api/rejects?app=5&limit=1").text.utf8))
    #expect(app["case"] == .null)
  }

  @Test func `writes nothing to the tables, and lets others be answered meanwhile`() async throws {
    let copy = try TemporaryFolder()
    try FileManager.default.copyItem(atPath: try await ViewSite.tables, toPath: copy.path("out"))
    let site = try await ViewSite(of: copy.path("out"))
    try await site.wait("the sections are made") { try site.request("GET", "/api/report").status == 200 }
    let before = try site.fileTimes()
    let name = try forwarder(site)
    let cases = try (0..<2).map { _ in
      let client = try RawClient(port: site.port)
      client.send(
        "GET /api/case?where=forwarder%3D\(name)&diagnose_limit=2 HTTP/1.1\r\nHost: 127.0.0.1:\(site.port)\r\nCookie: \(site.cookie)\r\n\r\n"
      )
      return client
    }
    for _ in 0..<20 { #expect(try site.request("GET", "/api/overview").status == 200) }
    let answers = try cases.map { try $0.answer() }
    #expect(answers.allSatisfy { $0.status == 200 } && answers[0].body == answers[1].body)
    #expect(try site.get("/api/report")["cases"]?.elements != nil)
    #expect(try site.fileTimes() == before)
  }

  @Test func `counts rejects over time and by sender as the rows say`() async throws {
    let site = try await ViewSite()
    try await site.wait("the sections are made") { try site.request("GET", "/api/report").status == 200 }
    let table = try Data(contentsOf: URL(fileURLWithPath: "\(site.out)/skan_rejects/part-00000001.jsonl"))
    let rows = Object.lines(Array(table))
    let all = try site.get("/api/rejects?limit=1")
    #expect(all["count"]?.integer.map(Int.init) == rows.count && all["is_complete"] == .bool(true))
    func drawn(_ answer: JSONValue) -> Int {
      let codes = answer["over_time"]?["codes"]?.elements ?? []
      return codes.reduce(0) { sum, code in
        sum + (code["counts"]?.elements ?? []).reduce(0) { $0 + Int($1.integer ?? 0) }
      }
    }
    #expect(drawn(all) + Int(all["over_time"]?["undated"]?.integer ?? 0) == rows.count)
    let copies = rows.filter { $0.string("reject_code") == "duplicate_identical" }
    let days = Dictionary(grouping: copies.compactMap { $0.string("received_at")?.prefix(10) }) { String($0) }
    let day = try #require(days.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }?.key)
    let start = try #require(Timestamp(dateOrTime: day)).milliseconds
    let next = "\(Timestamp(milliseconds: start + 86_400_000))".prefix(10)
    let ofDay = rows.filter { $0.string("received_at")?.hasPrefix(day) == true }
    let narrowed = try site.get("/api/rejects?since=\(day)&until=\(next)&code=duplicate_identical&limit=500")
    let expected = ofDay.filter { $0.string("reject_code") == "duplicate_identical" }.count
    #expect(narrowed["count"]?.integer.map(Int.init) == expected && drawn(narrowed) == expected && expected > 0)
    #expect(narrowed["rows"]?.elements?.count == min(expected, 500))
    #expect(narrowed["over_time"]?["first_day"]?.text == day)
    let name = try forwarder(site)
    let sender = all["senders"]?["forwarder"]?.elements?.first { $0["name"]?.text == name }
    let own = rows.filter { $0.string("forwarder") == name }
    let counted = ["suspicious", "noise", "copies", "unresolved"].reduce(0) { $0 + Int(sender?[$1]?.integer ?? 0) }
    #expect(counted == own.count)
    let second = try site.get("/api/rejects?limit=1&cursor=\(all["next"]?.text ?? "")")
    #expect(second["over_time"] == nil && second["count"] == all["count"])
  }
}
