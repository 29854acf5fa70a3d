import DurableFiles
import JSON
import Ledger
import LookupFixtures
import Tables
import TestSupport

@testable import DailyReports
@testable import LookupTables
@testable import Reporting
@testable import TableReading

/// An output with rows of `skan_postbacks`, and the daily reports of it with costs and rates.
struct CostReport {
  /// A postback of a campaign; the usual one is a new install by SKAdNetwork 4, worth 5 dollars.
  struct Postback {
    var campaign = "2001"
    var network = "one.skadnetwork"
    var app = 1
    var window = 0
    var received = "2026-03-10T06:00:00Z"
    var installed = "2026-03-06T18:00:00Z"
    var redownload = false
    var hasWon = true
    /// The estimated, the least and the greatest revenue; nil for a postback without a value, and a greatest amount
    /// without limit is `null`.
    var revenue: (String, String, String)? = ("5", "4", "6")
    var currency = "USD"
    var isCumulative = false
    var model = "m"
    /// The conversion type of a postback of AdAttributionKit; nil for one of SKAdNetwork 4.
    var conversionType: String?
  }

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes the rows of `skan_postbacks`; a forwarder names the campaign of each.
  func write(_ postbacks: [Postback]) throws {
    var lines = ""
    for (number, postback) in postbacks.enumerated() {
      var columns = [
        ("postback_key", #""\#(String(repeating: "0", count: 27))\#(10_000 + number)""#),
        ("framework", postback.conversionType == nil ? #""skadnetwork""# : #""adattributionkit""#),
        ("version", postback.conversionType == nil ? #""4.0""# : "null"),
        ("conversion_type", postback.conversionType.map { "\"\($0)\"" } ?? "null"),
        ("ad_network_id", #""\#(postback.network)""#),
        ("app_id", "\(postback.app)"), ("source_identifier", #""39""#), ("redownload", "\(postback.redownload)"),
        ("fidelity_type", "1"), ("did_win", "\(postback.hasWon)"), ("postback_sequence_index", "\(postback.window)"),
        ("environment", #""production""#), ("received_at", #""\#(postback.received)""#),
        ("estimated_install_date", #""\#(postback.installed)""#),
        ("extras", #"{"ad-network-campaign-id":"\#(postback.campaign)"}"#),
      ]
      if let (estimate, least, most) = postback.revenue {
        columns += [
          ("conversion_value", "7"), ("decode_status", #""decoded""#), ("model_id", #""\#(postback.model)""#),
          ("model_version", "1"),
          ("skan_revenue", estimate), ("min_revenue", least), ("max_revenue", most),
          ("currency", #""\#(postback.currency)""#), ("cumulative", "\(postback.isCumulative)"),
        ]
      } else {
        columns.append(("decode_status", #""null""#))
      }
      lines += "{" + columns.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}\n"
    }
    for (table, text) in [("skan_postbacks", lines), ("skan_events", ""), ("skan_rejects", "")] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      try folder.makeFile("out/\(table)/part-00000001.jsonl", holding: Array(text.utf8))
    }
  }

  /// Writes the daily tables, and returns the summary.
  @discardableResult func report(
    cost: String? = nil,
    rates: String? = nil,
    lookups: [String: String] = ["networks.csv": "ad_network_id,network_name\none.skadnetwork,One\n"],
    _ change: (inout DailySettings) -> Void = { _ in }
  ) async throws -> DailySummary {
    let out = folder.path("out")
    let lookups = try LookupFolder(lookups).load()
    var inputs = DailyInputs(
      accepted: try TableFiles(.postbacks, at: [out]),
      events: try TableFiles(.events, at: [out]),
      rejects: try TableFiles(.rejects, at: [out])
    )
    var settings = DailySettings(TableEncoding([.jsonLines]))
    if let cost {
      try folder.makeFile("cost.csv", holding: Array(cost.utf8))
      let costs = try Costs(loading: folder.path("cost.csv"), lookups.networks, allowingCredits: true)
      (inputs.costs, settings.dimensions) = (costs, costs.dimensions)
    }
    if let rates {
      try folder.makeFile("rates.csv", holding: Array(rates.utf8))
      inputs.currency = try ReportCurrency("USD", loading: folder.path("rates.csv"))
    }
    change(&settings)
    var daily = try await Daily(inputs, lookups, settings, in: out, jobs: 2)
    try await daily.write(into: try DailyOutputs(in: out, settings, wantsValues: false), jobs: 2)
    return daily.summary
  }

  /// The rows of a table.
  func rows(of table: Table = .daily) throws -> [JSONValue] {
    try folder.contents(of: "out/\(table.name)/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { try JSONValue(parsing: Array($0)) }
  }

  /// The rows of install dates.
  func installs() throws -> [JSONValue] { try rows().filter { $0[.dateType] == "install" } }

  /// The changes that the report before caused, as texts.
  func changes() throws -> [String] {
    try rows(of: .dailyChanges).map { row in
      let words: [ColumnName] = [.dateType, .date, .campaignID, .metric, .previous, .current, .reason]
      return words.map { row[$0] ?? "-" }.joined(separator: " ")
    }
  }
}

extension JSONValue {
  /// The text of a cell; nil if it is null.
  subscript(_ column: ColumnName) -> String? {
    switch self[column.rawValue] {
    case nil, .null?: nil
    case .string(let text)?: text
    case let value?: "\(value)"
    }
  }
}
