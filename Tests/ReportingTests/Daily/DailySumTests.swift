import JSON
import Tables
import TestSupport
import Testing

@testable import DailyReports

/// Properties of the daily tables that hold for any postbacks.
@Suite struct DailySumTests {
  /// The columns that are additive: the sum over any dimension is the value without it.
  private static let additive: [ColumnName] = [
    .postbacks, .postbacksWon, .installs, .redownloads, .reengagements, .conversions, .installsClick, .installsView,
    .installsInteractionUnknown, .assists, .web, .fineValues, .coarseLow, .coarseMedium, .coarseHigh, .nulls,
    .noValuePossible, .ambiguousZeros, .values, .valueZero, .valuePositive, .valueSum, .decoded, .unmapped, .noModel,
    .ambiguous, .undecoded, .revenue, .revenueMin, .revenueMaxClosed, .revenueMaxOpen,
  ]

  private static let lookups = [
    "networks.csv": "ad_network_id,network_name,null_as_zero\nb.skadnetwork,B,true\nc.skadnetwork,B,\n"
  ]

  /// Random rows of `skan_postbacks`.
  private static func rows(_ count: Int, seed: UInt64) -> [DailyFolder.Columns] {
    var random = SplitMix(seed: seed)
    func pick(_ texts: String...) -> String { texts[Int.random(in: 0..<texts.count, using: &random)] }
    return (0..<count).map { _ in
      let day = Int.random(in: 1...4, using: &random)
      var row: DailyFolder.Columns = [
        "app_id": pick("1", "22", "3"), "ad_network_id": "\"\(pick("a", "b", "c")).skadnetwork\"",
        "redownload": pick("true", "false"), "fidelity_type": pick("0", "1"), "country_code": pick("null", #""US""#),
        "source_domain": pick("null", "null", #""example.com""#), "channel": pick("null", #""apple_direct""#),
        "received_at": "\"2026-03-0\(day)T0\(day):00:00Z\"", "postback_sequence_index": pick("0", "0", "0", "1", "2"),
        "estimated_install_date": pick("null", #""2026-02-27T10:00:00.000Z""#, #""2026-02-28T10:00:00Z""#),
        "extras": pick("null", #"{"partner-campaign-id":"9"}"#, #"{"partner-campaign-id":"8"}"#),
      ]
      switch Int.random(in: 0..<6, using: &random) {
      case 0: row.merge(["did_win": "false", "decode_status": #""not_won""#]) { $1 }
      case 1: row["conversion_value"] = "null"
      case 2:
        row.merge(["coarse_conversion_value": pick(#""low""#, #""high""#), "decode_status": #""no_model""#]) { $1 }
      case 3: row.merge(["conversion_value": pick("0", "9"), "decode_status": #""unmapped""#]) { $1 }
      default:
        let value = Int.random(in: 0...3, using: &random)
        row.merge(DailyFolder.decoded(value, "\(value).25", from: "\(value)", to: pick("null", "9.5"))) { $1 }
      }
      return row
    }
  }

  /// The sums of the additive columns by date type, day and window, and by a further text.
  private static func sums(_ rows: [JSONValue], _ key: (JSONValue) -> String) -> [String: [Double]] {
    var sums: [String: [Double]] = [:]
    for row in rows {
      let values = additive.map { row.number($0).flatMap { Double($0) } ?? 0 }
      let place =
        [ColumnName.dateType, .date].map { row.text($0) ?? "-" } + ["\(row.integer(.postbackSequenceIndex) ?? 9)"]
      sums[place.joined() + key(row), default: values.map { _ in 0 }].add(values)
    }
    return sums
  }

  private static func all(_ folder: DailyFolder) throws -> [JSONValue] {
    try DateType.allCases.flatMap { try folder.rows($0) }
  }

  @Test func `the sum over a dimension is the value without it`() async throws {
    let folder = try DailyFolder(Self.rows(600, seed: 1))
    let dimensions: Set<DailyDimension> = [.appID, .networkName, .campaignID, .country, .channel]
    try await folder.report(Self.lookups) { $0.dimensions = dimensions }
    let fine = try Self.all(folder)
    #expect(fine.count > 300)
    for left in dimensions {
      let rest = DailyDimension.allCases.filter { dimensions.contains($0) && $0 != left }
      func key(_ row: JSONValue) -> String { rest.map { row.number($0.column) ?? "null" }.joined(separator: "|") }
      try await folder.report(Self.lookups) { $0.dimensions = Set(rest) }
      let coarse = try Self.all(folder)
      #expect(coarse.count < fine.count)
      #expect(Self.sums(fine, key) == Self.sums(coarse, key), "\(left)")
    }
  }

  @Test func `both dates have each postback once`() async throws {
    let folder = try DailyFolder(Self.rows(300, seed: 2))
    try await folder.report()
    for column in Self.additive {
      let totals = try DateType.allCases.map { type in
        try folder.rows(type).reduce(0) { $0 + ($1.number(column).flatMap { Double($0) } ?? 0) }
      }
      #expect(totals[0] == totals[1], "\(column)")
    }
  }

  @Test func `the order of the postbacks and the number of cores change no byte`() async throws {
    let rows = Self.rows(400, seed: 3)
    var random = SplitMix(seed: 4)
    var outputs: Set<[UInt8]> = []
    for jobs in [1, 2, 5] {
      let folder = try DailyFolder(rows.shuffled(using: &random))
      try await folder.report(Self.lookups, jobs: jobs)
      outputs.insert(try [Table.daily, .dailyValues].flatMap { try folder.bytes(of: $0) })
    }
    #expect(outputs.count == 1)
  }

  @Test func `the parts of a dump add up to the whole`() async throws {
    let rows = Self.rows(500, seed: 5)
    let whole = try DailyFolder(rows)
    try await whole.report(Self.lookups)
    var parts: [JSONValue] = []
    for half in [Array(rows[..<217]), Array(rows[217...])] {
      let folder = try DailyFolder(half)
      try await folder.report(Self.lookups)
      parts += try Self.all(folder)
    }
    func key(_ row: JSONValue) -> String {
      DailyDimension.usual.map { row.number($0.column) ?? "null" }.sorted().joined(separator: "|")
    }
    #expect(Self.sums(parts, key) == Self.sums(try Self.all(whole), key))
  }

  @Test func `other days keep their rows`() async throws {
    let folder = try DailyFolder(Self.rows(300, seed: 6))
    try await folder.report(Self.lookups)
    let before = try Table.dailyTables.map { try folder.bytes(of: $0) }
    // The same input gives the same rows, with or without those that are kept.
    for range in [(20_515, 20_516), (nil, 20_512), (20_513, nil), (20_000, 20_001)] as [(Int64?, Int64?)] {
      try await folder.report(Self.lookups) { ($0.since, $0.until) = range }
      #expect(try Table.dailyTables.map { try folder.bytes(of: $0) } == before, "\(range)")
    }
    await #expect(throws: (any Error).self) {
      try await folder.report(Self.lookups) { ($0.since, $0.dimensions) = (20_515, [.appID]) }
    }
    #expect(try folder.bytes() == before[0])
  }
}

extension Table {
  fileprivate static let dailyTables = [daily, dailyEvents, dailyValues]
}

extension [Double] {
  fileprivate mutating func add(_ other: [Double]) { for index in indices { self[index] += other[index] } }
}
