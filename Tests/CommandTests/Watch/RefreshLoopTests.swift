import Foundation
import JSON
import TestSupport
import Testing

@testable import postback

@Suite struct `The end of a refresh beside a consumer` {
  @Test func `has a reason and the warnings before it, each in one line`() {
    let text = "postback: a.csv: odd\npostback: b.csv: odd too\npostback: c.csv: wrong\nd.csv: wrong\n"
    let failed = RefreshEnd(status: 65, text)
    #expect(failed.failure == "c.csv: wrong; d.csv: wrong" && failed.warnings == ["a.csv: odd", "b.csv: odd too"])
    let made = RefreshEnd(status: 0, text)
    #expect(made.failure.isEmpty && made.warnings.count == 3)
    #expect(RefreshEnd(status: 137).failure.isEmpty)
  }

  @Test func `is the same as the last with another number of rows, and not with another reason`() {
    let first = RefreshEnd(status: 65, "postback: 3 rows in place of 50\n")
    #expect(RefreshEnd(status: 65, "postback: 12 rows in place of 50\n").isSame(as: first))
    #expect(!RefreshEnd(status: 65, "postback: The file is damaged\n").isSame(as: first))
    #expect(!RefreshEnd(status: 66, "postback: 3 rows in place of 50\n").isSame(as: first))
    #expect(!RefreshEnd(status: 0).isSame(as: first))
  }

  @Test func `is logged once, as an event with its reason`() async throws {
    let site = try WatchSite()
    let configuration = try site.folder.makeFile("c.json", holding: Array(#"{"lookups":"/nowhere"}"#.utf8))
    let process = try site.start(["--config", configuration, "--refresh", "1", "--log-format", "json"])
    func events() throws -> [JSONValue] {
      try site.log.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
        .filter { $0["event"]?.text == "refresh_failed" }
    }
    for _ in 0..<600 where try events().isEmpty { try await Task.sleep(for: .milliseconds(50)) }
    try await Task.sleep(for: .seconds(3))
    process.terminate()
    process.waitUntilExit()
    let (failures, log) = (try events(), try site.log)
    #expect(failures.count == 1 && failures.first?["reason"]?.text?.contains("/nowhere") == true, "\(log)")
  }
}
