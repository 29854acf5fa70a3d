import ConversionModel
import Foundation
import LookupFixtures
import TestSupport
import Testing

@testable import LookupTables
@testable import NullValueModelling
@testable import Statistics

/// The worth of values that events of apps tell, and what days with many nulls tell of nulls.
@Suite struct `Learnt worths` {
  /// Events of users with the fine value 1, which means 1 to below 5, and with a revenue.
  private static func events(_ revenues: [String], of bundle: String = "com.app") -> [String] {
    revenues.enumerated().map { user, revenue in
      """
      {"received_at":"2026-03-0\(1 + user % 9)T00:00:00Z","i":"\(bundle)","idfv":"user\(user)",\
      "skan_current_conversion_value":1,"p0_total_iap_revenue":\(revenue)}
      """
    }
  }

  private static func row(_ events: [String]) async throws -> ModelledRow {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("s2s_events"), withIntermediateDirectories: true)
    _ = try folder.makeFile(
      "s2s_events/part-00000001.jsonl",
      holding: Array((events.joined(separator: "\n") + "\n").utf8)
    )
    let lookups = try LookupFolder(["apps.csv": "app_id,app_name,bundle_id\n7,App,com.app\n"]).load()
    var meanings = try ModelMeanings.buckets()
    meanings.learn(from: try await BucketWorths(readingEventsIn: folder.path(""), jobs: 1), lookups.apps)
    var counts = StratumCounts(by: .all)
    counts.add(.decoded(.bucket(0)), .campaign(1), window: 0, installDay: 20_520, count: 60)
    counts.add(.decoded(.bucket(1)), .campaign(1), window: 0, installDay: 20_520, count: 40)
    return try #require(NullModelling(counts, meanings).rows.last)
  }

  @Test func `the mean in a range is that of 30 users, whose error is in the interval`() async throws {
    let row = try await Self.row(Self.events((0..<30).map { $0 % 3 == 0 ? #"{"USD":4}"# : #"{"USD":1}"# }))
    #expect(row.bucketBasis == .learnt)
    #expect(row.observed == Amount(80))
    let (low, high) = (try #require(row.low), try #require(row.high))
    #expect(Amount(50) < low && low < Amount(75))
    #expect(Amount(85) < high && high < Amount(130))
    // The bounds need no users.
    #expect(row.boundLow == Amount(40))
    #expect(row.boundHigh == Amount(200))
  }

  @Test(arguments: [
    // Too few; in another currency, in two, beyond the range, and of another app.
    (#"{"USD":2}"#, 29, "com.app"), (#"{"EUR":2}"#, 40, "com.app"), (#"{"USD":1,"EUR":2}"#, 40, "com.app"),
    (#"{"USD":7}"#, 40, "com.app"), (#"{"USD":2}"#, 40, "com.other"),
  ])
  func `too few users, or users with other revenue, tell nothing`(
    _ revenue: String,
    _ count: Int,
    _ bundle: String
  ) async throws {
    let row = try await Self.row(Self.events([String](repeating: revenue, count: count), of: bundle))
    #expect(row.bucketBasis == .assumed)
    #expect(row.observed == Amount(120))
    #expect(row.low == Amount(40))
    #expect(row.high == Amount(200))
  }

  @Test func `the latest event of a user counts`() async throws {
    let early = Self.events([String](repeating: #"{"USD":1}"#, count: 40))
    let late = early.map { $0.replacing("2026-03", with: "2026-04").replacing(":1}", with: ":3}") }
    #expect(try await Self.row(late + early).observed == Amount(120))
    #expect(try await Self.row(early + late).observed == Amount(120))
  }

  @Test func `nulls are worth what values of the days with many nulls are`() throws {
    func days(_ payers: [Int]) -> DayDrift {
      // Three days of 200 values; the last has 150 of 160 nulls.
      let days = payers.enumerated().map { number, payers in
        let nulls = number == 2 ? 150 : 5
        return (Int64(number), DayDrift.Day(nulls: Double(nulls), values: 200, revenue: Amount(5 * payers)))
      }
      return DayDrift([Dictionary(uniqueKeysWithValues: days)], variance: 3.2)
    }
    #expect(days([30, 31, 29]).factor == 1)
    #expect(days([30, 31, 29]).deviation == 0)
    let falling = days([40, 40, 10])
    #expect((0.3...0.5).contains(falling.factor), "\(falling.factor)")
    #expect(falling.deviation > 0.3)
  }
}
