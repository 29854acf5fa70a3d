import DurableFiles
import JSON
import Ledger
import LookupFixtures
import Tables
import TestSupport

@testable import DailyReports
@testable import Reporting
@testable import TableReading

/// An output with tables that a test wrote, and the daily tables that are made of them.
struct DailyFolder {
  /// The columns of a row of `skan_postbacks` that differ from the usual ones, as JSON.
  typealias Columns = [String: String]

  private let folder: TemporaryFolder

  /// The columns of a new install by SKAdNetwork 4 that is not decoded.
  static let usual: Columns = [
    "framework": #""skadnetwork""#, "version": #""4.0""#, "ad_network_id": #""one.skadnetwork""#, "app_id": "1",
    "source_identifier": #""39""#, "redownload": "false", "fidelity_type": "1", "did_win": "true",
    "postback_sequence_index": "0", "environment": #""production""#, "decode_status": #""null""#,
    "received_at": #""2026-03-10T06:00:00Z""#, "estimated_install_date": #""2026-03-06T18:00:00Z""#,
  ]

  /// The columns of a fine value that is decoded, with its revenue.
  static func decoded(_ value: Int, _ estimate: String, from minimum: String, to maximum: String) -> Columns {
    [
      "conversion_value": "\(value)", "decode_status": #""decoded""#, "model_id": #""m""#, "model_version": "1",
      "skan_revenue": estimate, "min_revenue": minimum, "max_revenue": maximum, "currency": #""USD""#,
      "cumulative": "false",
    ]
  }

  /// Writes rows of `skan_postbacks`, each with the next key, and of `skan_events`.
  init(_ rows: [Columns], events: [String] = []) throws {
    folder = try TemporaryFolder()
    try write(rows, events: events)
  }

  /// Writes other rows in place of those that are there.
  func write(_ rows: [Columns], events: [String] = []) throws {
    let lines = Self.lines(rows.map { Self.usual.merging($0) { $1 } })
    for (table, text) in [("skan_postbacks", lines), ("skan_events", events.joined()), ("skan_rejects", "")] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      try folder.makeFile("out/\(table)/part-1.jsonl", holding: Array(text.utf8))
    }
  }

  /// Writes a line that is not a row before the row of `skan_postbacks` with a number, and divides the table and
  /// `skan_settled` into parts before another row.
  func damage(before number: Int, partsBefore second: Int) throws {
    let newline = UInt8(ascii: "\n")
    var lines = try folder.contents(of: "out/skan_postbacks/part-1.jsonl").split(separator: newline)
    lines.insert(Array(#"{"postback_key":"00"#.utf8)[...], at: number)
    let end = number < second ? second + 1 : second
    for (part, lines) in [lines[..<end], lines[end...]].enumerated() {
      let text = lines.flatMap { $0 + [newline] }
      try folder.makeFile("out/skan_postbacks/part-\(part + 1).jsonl", holding: text)
    }
    let settled = try folder.contents(of: "out/skan_settled/part-1.jsonl").split(separator: newline)
    for (part, lines) in [settled[..<second], settled[second...]].enumerated() {
      try folder.makeFile("out/skan_settled/part-\(part + 1).jsonl", holding: lines.flatMap { $0 + [newline] })
    }
  }

  /// Removes the row of `skan_postbacks` with a number.
  func remove(row number: Int) throws {
    let newline = UInt8(ascii: "\n")
    var lines = try folder.contents(of: "out/skan_postbacks/part-1.jsonl").split(separator: newline)
    lines.remove(at: number)
    try folder.makeFile("out/skan_postbacks/part-1.jsonl", holding: lines.flatMap { $0 + [newline] })
  }

  /// Writes rows of `skan_settled` for the first postbacks, and of `skan_settled_events`; with a grace period, also the summary.
  func settle(_ rows: [Columns], events: [String] = [], firstKey: Int = 0, graceHours: Int? = nil) throws {
    for (table, text) in [("skan_settled", Self.lines(rows, firstKey)), ("skan_settled_events", events.joined())] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      try folder.makeFile("out/\(table)/part-1.jsonl", holding: Array(text.utf8))
      guard let graceHours else { continue }
      let summary = #"{"models_digest":"m","grace_hours":\#(graceHours)}"#
      try folder.makeFile("out/\(table)/_summary.json", holding: Array(summary.utf8))
    }
  }

  /// The text of rows, each with the next key.
  private static func lines(_ rows: [Columns], _ firstKey: Int = 0) -> String {
    rows.enumerated().map { number, row in
      let key = ("postback_key", "\"\(Self.key(firstKey + number))\"")
      let columns = row.sorted { $0.key < $1.key }
      return "{" + ([key] + columns.map { ($0.key, $0.value) }).map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",")
        + "}\n"
    }.joined()
  }

  /// The key of the row with a number, from 0.
  static func key(_ number: Int) -> String { String(repeating: "0", count: 27) + "\(10_000 + number)" }

  /// Writes the daily tables.
  @discardableResult func report(
    _ lookups: [String: String] = ["apps.csv": "app_id,app_name\n1,One\n"],
    jobs: Int = 2,
    _ change: (inout DailySettings) -> Void = { _ in }
  ) async throws -> DailySummary {
    var settings = DailySettings(TableEncoding([.jsonLines]))
    change(&settings)
    let out = folder.path("out")
    var daily = try await Daily(
      DailyInputs(
        accepted: try TableFiles(.postbacks, at: [out]),
        events: try TableFiles(.events, at: [out]),
        rejects: try TableFiles(.rejects, at: [out]),
        settled: try DailySettledInputs(in: out)
      ),
      try LookupFolder(lookups).load(),
      settings,
      in: out,
      jobs: jobs
    )
    try await daily.write(into: try DailyOutputs(in: out, settings, wantsValues: true), jobs: jobs)
    return daily.summary
  }

  /// The bytes of a table.
  func bytes(of table: Table = .daily) throws -> [UInt8] {
    try folder.contents(of: "out/\(table.name)/part-00000001.jsonl")
  }

  /// The rows of a table with a date type.
  func rows(of table: Table = .daily, _ type: DateType = .received) throws -> [JSONValue] {
    try bytes(of: table).split(separator: UInt8(ascii: "\n")).map { try JSONValue(parsing: Array($0)) }
      .filter { $0["date_type"]?.text == type.rawValue }
  }

  /// The only row of a table with a date type.
  func row(of table: Table = .daily, _ type: DateType = .received) throws -> JSONValue {
    let rows = try rows(of: table, type)
    guard rows.count == 1 else { throw WrongCount(count: rows.count) }
    return rows[0]
  }

  /// The error of a table with another number of rows than one.
  struct WrongCount: Error {
    let count: Int
  }
}

extension JSONValue {
  /// The integer of a column; nil if it is null.
  func integer(_ column: ColumnName) -> Int? { self[column.rawValue]?.integer.map { Int($0) } }

  /// The text of a number; nil if it is null.
  func number(_ column: ColumnName) -> String? {
    guard let value = self[column.rawValue], value != .null else { return nil }
    return value.description
  }

  /// The text of a column; nil if it is null.
  func text(_ column: ColumnName) -> String? { self[column.rawValue]?.text }
}
