@testable import Ledger
import Foundation
import JSON
import PostbackPipeline
import TestSupport
import Testing

@testable import postback

@Suite struct `postback state` {
  private func check(_ site: StateSite, _ options: [String] = []) async throws -> BuiltCommand.Result {
    try await BuiltCommand.run(["state", "check", "--state", site.state, "--out", site.output] + options)
  }

  private func compact(_ site: StateSite, before: String, _ options: [String] = []) async throws -> BuiltCommand.Result
  {
    try await BuiltCommand.run(
      ["state", "compact", "--state", site.state, "--before", before, "--yes-remove-all", "--trust-clock"] + options
    )
  }

  @Test func `check reports an undamaged state as sound`() async throws {
    let site = try StateSite()
    try site.fill()
    let result = try await check(site)
    #expect(result.status == 0)
    #expect(result.text == "sound\n")
    let json = try await check(site, ["--json"])
    #expect(json.text == "{\"sound\":true,\"problems\":[],\"notes\":[]}\n")
  }

  @Test func `check names the damaged file, and unknown harmless files`() async throws {
    let site = try StateSite()
    try site.fill()
    let part = "out/skan_postbacks/part-00000001.jsonl"
    try site.change(part) { $0[100] ^= 1 }
    try site.folder.makeFile("out/skan_postbacks/.part-00000009.jsonl.inprogress")
    let result = try await check(site)
    #expect(result.status == 65)
    let lines = result.text.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines.first?.hasPrefix("problem: \(site.folder.path(part)): The file is damaged") == true)
    #expect(lines.dropFirst().first?.hasPrefix("note: ") == true)
    #expect(lines.last == "not sound")
    #expect(result.errorText == "postback: The state \(site.state) is not sound: 1 problem was found.\n")
    let json = try await check(site, ["--json"])
    #expect(json.status == 65)
    let report = try JSONValue(parsing: json.output)
    #expect(report["sound"] == .bool(false))
    guard case .array(let problems) = report["problems"], case .array(let notes) = report["notes"] else {
      Issue.record("\(json.text)")
      return
    }
    #expect(problems.count == 1 && notes.count == 1)
  }

  @Test func `check finds a damaged ledger, which compact refuses`() async throws {
    let site = try StateSite()
    try site.fill()
    try site.change("state/ledger.sqlite") { $0.replaceSubrange(0..<16, with: repeatElement(0, count: 16)) }
    let result = try await check(site)
    #expect(result.status == 65)
    #expect(result.text.contains("/ledger.sqlite: The database is damaged"))
    let refused = try await compact(site, before: "1970-01-13")
    #expect(refused.status == 65)
    #expect(refused.errorText.contains("/ledger.sqlite: The database is damaged"))
  }

  @Test func `check does not treat a missing folder as an empty one`() async throws {
    let site = try StateSite()
    try site.fill()
    let result = try await BuiltCommand.run([
      "state", "check", "--state", site.state, "--out", site.folder.path("misspelt"),
    ])
    #expect(result.status == 66)
    #expect(result.errorText.contains(site.folder.path("misspelt")))
  }

  @Test(arguments: [
    ("1970-01-12", 0), ("1970-01-12T13:46:40Z", 0), ("1970-01-12T13:46:50Z", 10),
    ("1970-01-12T14:46:50.999+01:00", 10), ("1970-01-13", 40),
  ]) func `compact removes the ids from before a time, with any settings`(_ date: String, _ dropped: Int) async throws {
    let site = try StateSite()
    try site.fill()
    let result = try await compact(site, before: date, ["--json"])
    #expect(result.status == 0, "\(result.errorText)")
    let summary = try JSONValue(parsing: result.output)
    #expect(summary["dropped"]?.integer == Int64(dropped))
    #expect(summary["remaining"]?.integer == Int64(40 - dropped))
    #expect(try Ledger.reading(site.state).seen.entries == Int64(40 - dropped))
    #expect(try site.folder.contents(of: "state/seen.log").count == 16 + 48 * (40 - dropped))
    #expect(try await check(site).status == 0)
  }

  @Test func `compact prints what it removed`() async throws {
    let site = try StateSite()
    try site.fill()
    let result = try await compact(site, before: "1970-01-12T13:46:50Z")
    #expect(result.text == "10 ids from before 1970-01-12T13:46:50Z removed, 30 remain\n")
  }

  @Test(arguments: ["9999-01-01", "2023-02-29", "yesterday", "", "2023-01-01 00:00:00"])
  func `compact refuses an invalid date, and one in the future`(_ date: String) async throws {
    let site = try StateSite()
    try site.fill()
    let result = try await compact(site, before: date)
    #expect(result.status == 64)
    #expect(try Ledger.reading(site.state).seen.entries == 40)
  }

  @Test func `exit with 75 and name the process if the state is in use`() async throws {
    let site = try StateSite()
    let ledger = try site.fill()
    for result in [try await check(site), try await compact(site, before: "1970-01-13")] {
      #expect(result.status == 75)
      #expect(result.errorText.contains("\(site.state): The state is in use by process \(getpid()) ("))
      #expect(result.errorText.contains("ends only when it is stopped") && !result.errorText.contains("--state"))
      #expect(result.output.isEmpty)
    }
    #expect(ledger.seen.entries == 40)
  }

  @Test func `exit with 66 if there is no state, and create none`() async throws {
    let site = try StateSite()
    for result in [try await check(site), try await compact(site, before: "1970-01-13")] {
      #expect(result.status == 66)
      #expect(result.errorText.contains("holds no state"))
    }
    #expect(try site.folder.names == [])
  }

  @Test(arguments: [
    ["status"], ["status", "--state", ""], ["status", "--state", "s", "more"], ["state"], ["state", "check"],
    ["state", "check", "--state", "s"], ["state", "compact", "--state", "s"],
  ]) func `exit with 64 for a wrong command line`(_ arguments: [String]) async throws {
    let result = try await BuiltCommand.run(arguments)
    #expect(result.status == 64)
    #expect(result.errorText.hasPrefix("postback: "))
  }
}
