@testable import Ledger
import Base
import ConversionModel
import Foundation
import JSON
import PostbackPipeline
import TestSupport
import Testing

@testable import PostbackService
@testable import postback

@Suite struct `postback status` {
  private func status(_ site: StateSite) async throws -> JSONValue {
    let result = try await BuiltCommand.run(["status", "--state", site.state, "--json"])
    #expect(result.status == 0, "\(result.errorText)")
    return try JSONValue(parsing: result.output)
  }

  @Test func `prints all counts of a state that no process uses`() async throws {
    let site = try StateSite()
    try site.fill()
    func age() -> Double { Date.now.timeIntervalSince1970 - 1_750_000_000.5 }
    let before = age()
    let status = try await status(site)
    #expect(status["running"] == .bool(false))
    #expect([status["holder"], status["consumer"]] == [.null, .null])
    #expect(["read", "accepted", "rejected", "commits", "seen_ids"].map { status[$0]?.integer } == [45, 40, 5, 1, 40])
    #expect(status["by_code"]?.description == #"{"signature_invalid":3,"duplicate_conflict":2}"#)
    #expect(status["rows"]?.description == #"{"skan_postbacks":40,"skan_events":0,"skan_rejects":0}"#)
    #expect(status["inputs"]?.description == #"{"partial":1,"complete":1}"#)
    #expect(status["last_commit_at"] == .string("2025-06-15T15:06:40.500Z"))
    let since = try #require(status["since_last_commit_s"]?.decimal)
    #expect((before - 1...age() + 1).contains(since))
    let row = #"{"postback_key":"00000000000000000000000000000000","more":0}"#.utf8.count + 1
    let parts = """
      [{"table":"skan_postbacks","format":"jsonl","phase":"complete","count":1,"rows":25,"bytes":\(25 * row + 15)},\
      {"table":"skan_postbacks","format":"jsonl","phase":"open","count":1,"rows":15,"bytes":\(15 * (row + 1))}]
      """
    #expect(status["parts"]?.description == parts)
  }

  @Test func `reads while a consumer runs, creates no file, and blocks nothing`() async throws {
    let site = try StateSite()
    let ledger = try site.fill()
    try site.writeStatus()
    let names = try site.names(in: "state")
    let status = try await status(site)
    #expect(try site.names(in: "state") == names)
    #expect(status["running"] == .bool(true))
    #expect(status["holder"]?.text?.hasPrefix("process \(getpid()) ") == true)
    let consumer = try #require(status["consumer"])
    #expect(consumer["running"] == .bool(true))
    #expect(consumer["records_per_s_1m"] == .number("1234.568"))
    #expect(consumer["records_per_s_15m"] == .null)
    #expect(["pid", "waiting_files", "open_descriptors"].map { consumer[$0]?.integer } == [Int64(getpid()), 3, 34])
    let lag = try #require(consumer["lag_s"]?.decimal)
    #expect(lag >= 30)
    try ledger.commit(LedgerCommit(time: 2))
  }

  @Test func `does not treat the last status of a dead consumer as current`() async throws {
    let site = try StateSite()
    try site.fill()
    let ended = Process()
    ended.executableURL = URL(fileURLWithPath: "/bin/true")
    try ended.run()
    ended.waitUntilExit()
    try site.writeStatus(pid: ended.processIdentifier)
    let consumer = try #require(try await status(site)["consumer"])
    #expect([consumer["running"], consumer["lag_s"]] == [.bool(false), .null])
    #expect(consumer["waiting_files"]?.integer == 3)
    // Another process with the same number has the state since.
    let folder = try StateFolder(existing: site.state)
    try site.writeStatus(updatedAt: Timestamp(milliseconds: Timestamp.now.milliseconds - 3_600_000))
    let status = try await status(site)
    #expect(status["running"] == .bool(true))
    #expect(status["consumer"]?["running"] == .bool(false))
    _ = consume folder
  }

  @Test func `says that a consumer waits for its disk, and counts the waiting files itself`() async throws {
    let site = try StateSite()
    try site.fill()
    try FileManager.default.createDirectory(atPath: site.folder.path("spool/new"), withIntermediateDirectories: true)
    for name in ["a", "b"] { try site.folder.makeFile("spool/new/\(name)") }
    // The consumer has closed the state, and its last status is old.
    try site.writeStatus(
      updatedAt: Timestamp(milliseconds: Timestamp.now.milliseconds + 61_000),
      spool: site.folder.path("spool"),
      phase: .failing,
      failure: "out: The file cannot be written: No space left on device.",
      fullDisks: [.output]
    )
    let status = try await status(site)
    let consumer = try #require(status["consumer"])
    #expect([status["running"], consumer["running"], status["holder"]] == [.bool(false), .bool(true), .null])
    #expect([consumer["state"], consumer["waiting_files"]] == [.string("failing"), .number("2")])
    #expect(consumer["full_disks"] == .array([.string("output")]))
    let text = try await BuiltCommand.run(["status", "--state", site.state]).text
    for line in [
      "used by   process \(getpid()), which waits for its disk", "disk full  output",
    ] { #expect(text.contains(line.split(separator: " ").last ?? ""), "\(line)\n\(text)") }
    #expect(text.contains("No space left on device") && text.contains(", 2 files waiting"))
    // A clock that went back does not make an age negative.
    let lag = try #require(consumer["lag_s"]?.decimal)
    #expect(lag >= 0)
  }

  @Test func `prints no negative age if the clock has gone back`() async throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    try ledger.commit(LedgerCommit(time: Timestamp.now.milliseconds + 3_600_000))
    #expect(try await status(site)["since_last_commit_s"]?.decimal == 0)
    let text = try await BuiltCommand.run(["status", "--state", site.state]).text
    #expect(text.contains(", 0.0 s ago"), "\(text)")
  }

  @Test(arguments: ["", "{", "[]", "{\"pid\":1}", "null"])
  func `ignores an incomplete status of a consumer`(_ text: String) async throws {
    let site = try StateSite()
    try site.fill()
    try site.folder.makeFile("state/\(StatusFile.name)", holding: Array(text.utf8))
    #expect(try await status(site)["consumer"] == .null)
  }

  @Test func `escapes control characters`() async throws {
    let site = try StateSite()
    let ledger = try site.fill()
    try site.writeStatus(spool: "/spool\u{1B}[2J\nread 1")
    let result = try await BuiltCommand.run(["status", "--state", site.state])
    #expect(result.status == 0)
    let lines = result.text.split(separator: "\n")
    #expect(result.text.unicodeScalars.allSatisfy { $0 == "\n" || !$0.isControl })
    for line in [
      #"spool     /spool\u{1b}[2J\u{a}read 1, 3 files waiting, the oldest for "#, "used by   process \(getpid()) (",
      "commits   1, the last at 2025-06-15T15:06:40.500Z, ", "rate      1234.6 records/s over 1 minute",
      "rejected                 5", "  signature_invalid      3", "inputs    1 partial, 1 complete",
      "  skan_postbacks  jsonl  complete  1 part   25 rows  1",
    ] {
      #expect(lines.contains { $0.hasPrefix(line) }, "\(line)\n\(result.text)")
    }
    try ledger.commit(LedgerCommit(time: 2))
  }

  @Test func `prints what its schema allows`() async throws {
    let site = try StateSite()
    _ = try site.ledger()
    var statuses: [UInt8] = []
    func take() async throws {
      statuses += try await BuiltCommand.run(["status", "--state", site.state, "--json"]).output
    }
    try await take()
    try site.fill()
    try site.writeStatus()
    try await take()
    let folder = try StateFolder(existing: site.state)
    try await take()
    _ = consume folder
    let arguments = [
      Fixtures.path("../Tests/validate.py"), "--status", try site.folder.makeFile("statuses", holding: statuses),
    ]
    var result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + arguments)
    if result.status == 77 { result = try await BuiltCommand.run(executable: "/usr/bin/python3", arguments) }
    #expect(result.status == 0, "\(result.errorText)")
    #expect(result.text.contains("3 statuses valid"))
  }

  @Test func `exits with 66 if there is no state and creates none, and with 65 if it is damaged`() async throws {
    let site = try StateSite()
    let missing = try await BuiltCommand.run(["status", "--state", site.state])
    #expect(missing.status == 66)
    #expect(missing.errorText.contains("\(site.state): The directory holds no state"))
    #expect(try site.folder.names == [])
    try site.fill()
    try site.change("state/ledger.sqlite") { $0.replaceSubrange(0..<16, with: repeatElement(0, count: 16)) }
    let damaged = try await BuiltCommand.run(["status", "--state", site.state])
    #expect(damaged.status == 65)
    #expect(damaged.errorText.contains("/ledger.sqlite: The database is damaged"))
    #expect(damaged.output.isEmpty)
  }
}
