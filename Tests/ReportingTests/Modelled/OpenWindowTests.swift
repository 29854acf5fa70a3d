import Base
import DerivedTables
import JSON
import Tables
import Testing

@testable import DailyReports
@testable import NullValueModelling

/// The windows 1 and 2 of a report while some of their install dates are open.
@Suite struct OpenWindowTests {
  /// A day of March 2026.
  private func day(_ number: Int) -> String { number < 10 ? "2026-03-0\(number)" : "2026-03-\(number)" }

  private func install(_ day: Int, _ number: Int) -> DailyFolder.Columns {
    let dates = [
      "received_at": #""\#(self.day(day + 4))T06:00:00Z""#, "estimated_install_date": #""\#(self.day(day))T18:00:00Z""#,
    ]
    let value = number == 0 ? [:] : DailyFolder.decoded(number % 3, "\(number % 3)", from: "0", to: "9")
    return value.merging(dates) { $1 }
  }

  /// A postback of window 1, whose install date is usually 10.5 days before its receipt.
  private func later(_ day: Int, delay: Int = 11) -> DailyFolder.Columns {
    DailyFolder.decoded(0, "7", from: "7", to: "7").merging([
      "conversion_value": "null", "coarse_conversion_value": #""high""#, "postback_sequence_index": "1",
      "received_at": #""\#(self.day(day + delay))T06:00:00Z""#,
      "estimated_install_date": #""\#(self.day(day))T18:00:00Z""#,
    ]) { $1 }
  }

  private func postbacks(delay: Int = 11) -> [DailyFolder.Columns] {
    (1...18).flatMap { day in (0..<8).map { install(day, $0) } + [later(day, delay: delay)] }
  }

  private func folder(asOf: String, delay: Int = 11) async throws -> DailyFolder {
    let folder = try DailyFolder(postbacks(delay: delay))
    try await folder.report { $0.asOf = Timestamp(dateOrTime: asOf) }
    return folder
  }

  /// The rows of strata of window 1.
  private func modelled(_ folder: DailyFolder) throws -> JSONValue {
    let rows = try folder.bytes(of: .modelled).split(separator: UInt8(ascii: "\n"))
      .map { try JSONValue(parsing: Array($0)) }
      .filter { $0.integer(.postbackSequenceIndex) == 1 && $0.text(.scope) == "stratum" }
    try #require(rows.count == 1)
    return rows[0]
  }

  @Test func `an estimate has the install dates that are final, whose rows add up to it`() async throws {
    // The 10th is final in window 1 from the beginning of April 2.
    let folder = try await folder(asOf: "2026-04-02")
    let row = try modelled(folder)
    #expect(row.text(.modelStatus) == "modelled")
    #expect([row.text(.periodStart), row.text(.periodEnd)] == ["2026-03-01", "2026-03-10"])
    #expect([row.integer(.conversions), row.integer(.values), row.integer(.nulls)] == [80, 70, 10])
    #expect(row.number(.observedRevenue) == "70")
    // 10 of 70 installs sent 7.
    #expect(row.number(.modelledRevenue) == "80")
    let days = try folder.rows(of: .daily, .install).filter { $0.integer(.postbackSequenceIndex) == 1 }
    let inTable = days.filter { $0.text(.modelledStatus) == "not_modelled:later_window" }
    #expect(inTable.count == 10)
    #expect(inTable.allSatisfy { $0.text(.status) == "final" && $0.number(.revenue) == "7" })
    #expect(Set(days.filter { $0.text(.status) != "final" }.map { $0.text(.modelledStatus) }) == ["not_modelled:open"])
    let received = try folder.rows(of: .daily, .received).filter { $0.integer(.postbackSequenceIndex) == 1 }
    #expect(Set(received.map { $0.text(.modelledStatus) }) == ["not_modelled:later_window"])
  }

  @Test(arguments: [
    ("2026-03-23", "not_modelled:open"), ("2026-03-24", "not_modelled:few_days"),
    ("2026-03-29T23:59:59Z", "not_modelled:few_days"), ("2026-03-30", "modelled"),
  ])
  func `the time of the report decides which dates there are`(_ time: String, _ status: String) async throws {
    #expect(try modelled(await folder(asOf: time)).text(.modelStatus) == status)
  }

  @Test func `dates that may be too late by days make no estimate until all are final`() async throws {
    #expect(
      try modelled(await folder(asOf: "2026-04-02", delay: 8)).text(.modelStatus) == "not_modelled:cohort_mismatch"
    )
    #expect(try modelled(await folder(asOf: "2026-06-02", delay: 8)).text(.modelStatus) == "modelled")
  }

  @Test(arguments: [8, 11])
  func `the table stays after the postbacks of its dates were removed`(_ delay: Int) async throws {
    let folder = try await folder(asOf: "2026-04-02", delay: delay)
    let before = try folder.bytes(of: .modelled)
    let first = try #require(Timestamp(dateOrTime: "2026-03-06")).daysSince1970
    let all = postbacks(delay: delay)
    let kept = all.filter { ($0["estimated_install_date"] ?? "") > #""2026-03-06""# }
    try folder.write(kept)
    try await folder.report {
      $0.asOf = Timestamp(dateOrTime: "2026-04-02")
      ($0.since, $0.firstKeptDay) = (first, first)
      $0.replacement.removedRows = Int64(all.count - kept.count)
    }
    #expect(try folder.bytes(of: .modelled) == before)
  }
}
