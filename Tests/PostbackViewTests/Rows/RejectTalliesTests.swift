import Foundation
import TestSupport
import Testing

@testable import PostbackView

@Suite struct `Numbers of rejects beside a page of them` {
  /// The numbers for the parameters of an address, of rejects that were received at these times.
  private func tallies(_ parameters: String, _ times: [String?]) async throws -> RejectTallies? {
    let folder = try TemporaryFolder()
    let rows = times.enumerated().map { number, time in
      let received = time.map { "\"\($0)\"" } ?? "null"
      return #"{"stage":"schema","reject_code":"missing_field","received_at":\#(received),"#
        + #""source_line":\#(number + 1),"raw_sha256":"\#(number)","raw_body":"{}"}"#
    }
    for (table, rows) in [("skan_postbacks", []), ("skan_events", []), ("skan_rejects", rows)] {
      try FileManager.default.createDirectory(
        atPath: folder.path("out/\(table)"),
        withIntermediateDirectories: true
      )
      let text = rows.map { "\($0)\n" }.joined()
      try folder.makeFile("out/\(table)/part-00000001.jsonl", holding: Array(text.utf8))
    }
    let sections = try await SectionsAnswer(
      folder.path("out"),
      state: nil,
      commit: nil,
      cache: nil,
      signals: nil,
      jobs: 1
    )
    return RejectTallies(try RejectRows(ViewParameters(parameters)), in: sections.cube)
  }

  private let times: [String?] = ["2026-05-01T10:00:00.000Z", "2026-05-01T11:00:00.000Z", "2026-05-03T00:00:00.000Z"]

  @Test func `are those of the days that are asked for`() async throws {
    let all = try #require(try await tallies("", times))
    #expect(all.count == 3 && all.undated == 0)
    #expect(all.byDay == ["missing_field": [2, 0, 1]])
    let day = try #require(try await tallies("since=2026-05-01&until=2026-05-02", times))
    #expect(day.count == 2 && day.byDay == ["missing_field": [2]])
  }

  @Test func `are not given for days if a reject has no known day`() async throws {
    let all = try #require(try await tallies("", times + [nil]))
    #expect(all.count == 4 && all.undated == 1)
    #expect(try await tallies("since=2026-05-01&until=2026-05-02", times + [nil]) == nil)
    #expect(try await tallies("code=invalid_signature&since=2026-05-01&until=2026-05-02", times + [nil])?.count == 0)
  }

  @Test func `are not given for a part of a day`() async throws {
    #expect(try await tallies("since=2026-05-01T10:30:00Z", times) == nil)
  }
}
