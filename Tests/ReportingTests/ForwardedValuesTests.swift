import DurableFiles
import TestSupport
import Testing

@testable import Reporting
@testable import Statistics

/// The values of forwarders in `skan_settled`, by week and as histograms, on rows made by hand.
@Suite struct `The values that a forwarder sends` {
  /// A row of `skan_settled` of a day of March 2026.
  private func row(
    _ day: Int,
    _ forwarders: String?,
    _ state: String,
    _ values: (direct: String, forwarded: String)? = nil,
    effective: Int? = nil,
    difference: String? = nil
  ) -> String {
    func text(_ text: String?) -> String { text.map { "\"\($0)\"" } ?? "null" }
    return """
      {"postback_key":"\(String(repeating: "0", count: 32))","forwarders":\(text(forwarders)),\
      "forwarded_received_at":"2026-03-\(day < 10 ? "0" : "")\(day)T12:00:00Z","conversion_value_state":"\(state)",\
      "conversion_value_difference":\(text(difference)),"conversion_value_direct":\(text(values?.direct)),\
      "conversion_value_forwarded":\(text(values?.forwarded)),"effective_conversion_value":\(effective.map { "\($0)" } ?? "null")}

      """
  }

  private func read(_ rows: [String]) async throws -> [ForwardedValues] {
    let folder = try TemporaryFolder()
    _ = try DurableFolder(making: folder.path("out/skan_settled"))
    try folder.makeFile("out/skan_settled/part-00000001.jsonl", holding: Array(rows.joined().utf8))
    return try #require(try await ForwardedValues.read(in: folder.path("out"), jobs: 1))
  }

  @Test func `are raised if they are above the device's own, and only then`() async throws {
    let found = try await read([
      row(2, "a", "confirmed", effective: 5), row(2, "a", "conflict", ("0", "7"), effective: 0, difference: "changed"),
      row(3, "a", "conflict", ("9", "7"), effective: 9, difference: "changed"), row(3, "a", "absent_both"),
      row(3, "a", "conflict", ("absent", "3"), difference: "added"),
      // These are no comparisons: a forwarder alone, a device alone, devices that contradict each other, two forwarders.
      row(3, "a", "forwarded_only", effective: 1), row(3, nil, "direct_only", effective: 1),
      row(3, "a", "conflict", ("1;2", "7"), difference: "direct_conflict"), row(3, "a;b", "confirmed", effective: 5),
    ])
    let own = try #require(found.first)
    #expect(found.map(\.forwarder) == ["a"])
    #expect(own.raised == Rate(count: 1, total: 5))
    #expect(own.fine[7] == 3 && own.fine[5] == 1 && own.fine[3] == 1 && own.fine[1] == 1 && own.count == 6)
  }

  @Test func `are counted in weeks from Monday`() async throws {
    var rows: [String] = []
    for day in 2...29 {
      for number in 0..<20 {
        let isRaised = day >= 18 && number % 2 == 0
        rows.append(
          isRaised
            ? row(day, "a", "conflict", ("0", "9"), effective: 0, difference: "changed")
            : row(day, "a", "confirmed", effective: 0)
        )
      }
    }
    let own = try #require(try await read(rows).first)
    // 2026-03-02 was a Monday, 20514 days after 1970-01-01.
    #expect(own.weeks.map(\.day) == [20514, 20521, 20528, 20535])
    #expect(own.weeks.map(\.raised) == [0, 0, 50, 70].map { Rate(count: $0, total: 140) })
  }
}
