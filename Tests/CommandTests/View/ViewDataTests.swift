import Foundation
import JSON
import TestSupport
import Testing

/// The numbers of the live page are those of the tables.
@Suite struct `The live page's data` {
  private func rows(_ answer: JSONValue) -> [JSONValue] { answer["rows"]?.elements ?? [] }

  /// The rows of `skan_daily` by install date in the first window.
  private func daily(_ out: String) throws -> [Object] {
    let path = "\(out)/skan_daily/part-00000001.jsonl"
    return Object.lines(Array(try Data(contentsOf: URL(fileURLWithPath: path)))).filter {
      $0.string("date_type") == "install" && $0.string("postback_sequence_index") == "0"
    }
  }

  @Test func `sums installs and revenue by campaign as the daily table has them`() async throws {
    let site = try await ViewSite()
    let answer = try site.get("/api/campaigns?by=campaign_id&limit=5000")
    var (installs, revenue): ([String: Int], [String: Double]) = ([:], [:])
    for row in try daily(site.out) where row.string("cost_level") != "parent" {
      let campaign = row.string("campaign_id") ?? ""
      installs[campaign, default: 0] += Int(row.string("installs") ?? "") ?? 0
      revenue[campaign, default: 0] += Double(row.string("revenue") ?? "") ?? 0
    }
    let found = rows(answer).filter { $0["cost_level"]?.text == nil }
    #expect(found.count > 5)
    for row in found {
      let campaign = row["campaign_id"]?.text ?? ""
      #expect(row["installs"]?.integer.map(Int.init) ?? 0 == installs[campaign] ?? 0, "\(campaign)")
      let amount = Double(row["revenue"]?.text ?? "") ?? 0
      #expect(abs(amount - (revenue[campaign] ?? 0)) < 0.001, "\(campaign)")
    }
    for row in rows(answer) where row["revenue_max"]?.text == nil && row["revenue"]?.text != nil {
      #expect(row["modelled_high"]?.text == nil, "An interval must not be closed where a value has no upper limit.")
    }
    let total = answer["total"]?["installs"]?.integer
    #expect(total.map(Int.init) == installs.values.reduce(0, +))
  }

  @Test func `compares two periods whose sums are those of each alone`() async throws {
    let site = try await ViewSite()
    let days = try #require(site.get("/api/session")["daily"])
    let (first, last) = (try #require(days["first_day"]?.text), try #require(days["last_day"]?.text))
    let middle = "2026-04-01"
    let both = try site.get(
      "/api/campaigns?by=network_name&since=\(middle)&until=\(last)&compare_since=\(first)&compare_until=\(middle)"
    )
    let before = try site.get("/api/campaigns?by=network_name&since=\(first)&until=\(middle)")
    #expect(both["total"]?["before"]?["revenue"] == before["total"]?["revenue"])
    #expect(both["total"]?["before"]?["installs"] == before["total"]?["installs"])
    let after = try site.get("/api/campaigns?by=network_name&since=\(middle)&until=\(last)")
    #expect(both["total"]?["installs"] == after["total"]?["installs"])
  }

  @Test func `sorts, filters and pages`() async throws {
    let site = try await ViewSite()
    let all = rows(try site.get("/api/campaigns?by=campaign_id&sort=-revenue"))
    let amounts = all.compactMap { Double($0["revenue"]?.text ?? "") }
    #expect(amounts == amounts.sorted(by: >) && amounts.count > 3)
    let page = rows(try site.get("/api/campaigns?by=campaign_id&sort=-revenue&limit=2&offset=1"))
    #expect(page == Array(all[1...2]))
    let campaign = try #require(all[0]["campaign_id"]?.text)
    let one = try site.get("/api/campaigns?by=campaign_id&where=campaign_id:\(campaign)")
    #expect(rows(one).count == 1 && rows(one)[0]["installs"] == all[0]["installs"])
    let others = try site.get("/api/campaigns?by=campaign_id&where=campaign_id:!\(campaign)")
    #expect(others["count"]?.integer == Int64(all.count - 1))
  }

  @Test func `counts what came as the state does`() async throws {
    let site = try await ViewSite()
    var overview = try site.get("/api/overview")
    try await site.wait("all is counted") {
      overview = try site.get("/api/overview")
      return overview["is_complete"] == .bool(true)
    }
    let status = try JSONValue(parsing: try await BuiltCommand.run(["status", site.out, "--json"]).output)
    let accepted = try #require(overview["totals"]?["accepted"]?.integer)
    let rows = try FileManager.default.contentsOfDirectory(atPath: "\(site.out)/skan_postbacks").reduce(0) {
      sum,
      name in
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(site.out)/skan_postbacks/\(name)"))
      return sum + data.count { $0 == UInt8(ascii: "\n") }
    }
    #expect(Int(accepted) == rows, "\(status)")
    #expect(overview["periods"]?.elements?.map { $0["name"]?.text } == ["hour", "day", "week"])
    #expect(overview["hours"]?.elements?.count == 337)
  }

  @Test func `pages through all rejects of a code, each once`() async throws {
    let site = try await ViewSite()
    var (seen, cursor): ([String], String?) = ([], nil)
    repeat {
      let next = cursor.map { "&cursor=\($0)" } ?? ""
      let page = try site.get("/api/rejects?code=duplicate_identical&limit=100\(next)")
      seen += rows(page).map { "\($0["input"]?.text ?? "") \($0["line"]?.integer ?? 0)" }
      #expect(rows(page).allSatisfy { $0["code"]?.text == "duplicate_identical" })
      cursor = page["next"]?.text
    } while cursor != nil && seen.count < 10_000
    let table = try Data(contentsOf: URL(fileURLWithPath: "\(site.out)/skan_rejects/part-00000001.jsonl"))
    let all = Object.lines(Array(table)).filter { $0.string("reject_code") == "duplicate_identical" }
    #expect(seen.count == Set(seen).count && seen.count == all.count && seen.count > 200)
  }

  @Test func `leads from a number to its postbacks, and to everything about one`() async throws {
    let site = try await ViewSite()
    let campaign = try #require(rows(try site.get("/api/campaigns?by=campaign_id"))[0]["campaign_id"]?.text)
    let postbacks = try site.get("/api/postbacks?where=campaign_id:\(campaign)&window=0&limit=5")
    #expect(rows(postbacks).count == 5)
    #expect(rows(postbacks).allSatisfy { $0["campaign_id"]?.text == campaign })
    let key = try #require(rows(postbacks)[0]["postback_key"]?.text)
    let one = try site.get("/api/postback?id=\(key)")
    #expect(one["postbacks"]?.elements?.count == 1)
    #expect(one["postbacks"]?.elements?[0]["postback_key"]?.text == key)
    #expect(try site.request("GET", "/api/postback?id=nothing-has-this-id").status == 404)
  }

  @Test func `prints the table of an address without a server, as the command in the answer says`() async throws {
    let site = try await ViewSite()
    let target = "/api/campaigns?by=network_name,date&sort=date&limit=1"
    let command = try #require(site.get(target)["command"]?.text)
    #expect(command == "postback view '\(site.out)' --get '/api/campaigns.csv?by=network_name,date&sort=date'")
    let result = try await BuiltCommand.run(
      ["view", site.out, "--get", "/api/campaigns.csv?by=network_name,date&sort=date"]
    )
    #expect(result.status == 0, "\(result.errorText)")
    let download = try site.request("GET", "/api/campaigns.csv?by=network_name,date&sort=date")
    #expect(download.text == result.text)
    #expect(download.headers["content-disposition"] == "attachment; filename=\"campaigns.csv\"")
    let count = try site.get(target)["count"]?.integer
    #expect(Int64(result.text.split(separator: "\r\n").count - 1) == count)
    let wrong = try await BuiltCommand.run(["view", site.out, "--get", "/api/campaigns?by=nothing"])
    #expect(wrong.status == 1 && wrong.errorText.contains("The daily table is not by"))
  }

  @Test func `has the sections of the static page`() async throws {
    let site = try await ViewSite()
    var answer: RawClient.Answer?
    try await site.wait("the sections are made") {
      answer = try site.request("GET", "/api/report")
      return answer?.status == 200
    }
    let sections = try JSONValue(parsing: answer?.body ?? [])
    let names = sections["sections"]?.elements?.compactMap { $0["id"]?.text } ?? []
    #expect(names.starts(with: ["findings", "signals", "business"]) && names.last == "words")
    let page = try TemporaryFolder()
    let report = try await BuiltCommand.run(["report", site.out, "--html", page.path("page.html")])
    #expect(report.status == 0)
    let html = String(decoding: try page.contents(of: "page.html"), as: UTF8.self)
    for section in sections["sections"]?.elements ?? [] {
      #expect(html.contains(section["html"]?.text ?? "?"), "\(section["id"]?.text ?? "")")
    }
    #expect(try site.get("/api/overview")["findings"]?["html"]?.text?.contains("id=\"findings\"") == true)
  }

  @Test func `says that there is no daily report, and still shows what came`() async throws {
    let folder = try TemporaryFolder()
    let dump = try folder.makeFile("a", holding: Fixtures.bytes("postbacks/skadnetwork-4.0.jsonl"))
    try await FraudSite.run(["run", dump, "--out", folder.path("out"), "-q"])
    let site = try await ViewSite(of: folder.path("out"))
    let answer = try site.request("GET", "/api/campaigns")
    #expect(answer.status == 404 && answer.text.contains("postback daily"))
    #expect(try site.get("/api/overview")["totals"]?["accepted"]?.integer ?? 0 > 0)
    #expect(try site.get("/api/session")["daily"] == .null)
  }
}
