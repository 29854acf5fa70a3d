import ConversionModel
import PostbackPipeline
import TestSupport
import Testing

@testable import AppIntegrationCheck

/// Rows of apps that do everything right, which no rule may accuse, beside rows of apps that do not.
@Suite struct RightImplementationTests {
  private func findings(
    _ rows: [DeviceRows.Row],
    isLegacy: Bool = false,
    _ models: Models = .none
  ) async throws -> [ImplementationReport.Finding] {
    let folder = try TemporaryFolder()
    let lines = rows.map { DeviceRows.line($0, isLegacy: isLegacy) + "\n" }
    let path = try folder.makeFile("rows.jsonl", holding: Array(lines.joined().utf8))
    var check = ImplementationCheck(temporaryFolder: folder.path("."))
    check.models = models
    return try await check.report(on: InputFile.enumerate([path])).findings
  }

  @Test func `metadata that lag by one update are not stuck at zero`() async throws {
    let before: [DeviceRows.Row] = [(0, 0, 0, [:]), (3600, 0, 0, [:]), (7200, 0, 0, [:])]
    let purchase: DeviceRows.Row = (
      7230, 0, 0, ["n": "\"purchase\"", "skan_total_revenue_by_currency": #"{"USD":9.99}"#]
    )
    #expect(try await findings(before + [purchase]).map(\.rule) == [])
    let after: DeviceRows.Row = (9000, 0, 0, ["skan_total_revenue_by_currency": #"{"USD":9.99}"#])
    #expect(try await findings(before + [purchase, after]).map(\.rule) == [.stuckAtZero])
  }

  @Test(arguments: [[0, 20], [0, 1, 36], [0, 1, 36, 40]])
  func `a device whose rows can show no update is not only registered`(_ days: [Int]) async throws {
    #expect(try await findings(days.map { ($0 * 86_400, 0, 0, [:]) }).map(\.rule) == [])
  }

  @Test func `an app that never updates is only registered, if there are windows to update in`() async throws {
    let rows: [DeviceRows.Row] = [0, 3, 8].map { ($0 * 86_400, 0, 0, [:]) }
    #expect(try await findings(rows).map(\.rule) == [.registerOnly])
    #expect(try await findings(rows, try DeviceRows.models(hasLaterWindows: true)).map(\.rule) == [.registerOnly])
    #expect(try await findings(rows, try DeviceRows.models(hasLaterWindows: false)).map(\.rule) == [])
    #expect(try await findings(rows, isLegacy: true).map(\.rule) == [])
  }

  @Test func `a window without a model is never accused of having no value`() async throws {
    let rows: [DeviceRows.Row] =
      [(0, 0, 0, [:]), (60, 1, 60, ["n": "\"purchase\""])]
      + [3, 8, 9].map { ($0 * 86_400, 1, 60, [:]) }
    #expect(try await findings(rows, try DeviceRows.models(hasLaterWindows: true)).map(\.rule) == [.windowNever])
    #expect(try await findings(rows, try DeviceRows.models(hasLaterWindows: false)).map(\.rule) == [])
  }

  private static func revenue(_ amount: Int, _ event: String = SessionValues.session) -> [String: String] {
    [
      "n": "\"\(event)\"", "skan_total_revenue_by_currency": "{\"USD\":\(amount)}",
      "skan_total_admon_revenue_by_currency": "{}", "p0_total_iap_revenue": "{\"USD\":\(amount)}",
    ]
  }

  @Test func `after a lock a refund changes no value, and without a lock a stall is one finding`() async throws {
    let rows: [DeviceRows.Row] = [
      (0, 0, 0, Self.revenue(0)), (60, 2, 60, Self.revenue(50, "purchase")), (120, 2, 60, Self.revenue(0, "refund")),
      (180, 2, 60, Self.revenue(0)), (240, 2, 60, Self.revenue(0)),
    ]
    let models = try DeviceRows.revenueModels()
    let time = "\(DeviceRows.firstCall + 60)"
    let locked = rows.enumerated().map { index, row in
      index == 0 ? row : (row.0, row.1, row.2, row.3.merging(["p0_window_lock": time]) { $1 })
    }
    #expect(try await findings(locked, models).map(\.rule) == [])
    let stalls = try await findings(rows, models)
    #expect(stalls.map(\.rule) == [.lastCallStalls])
    #expect(stalls.map(\.rows) == [1])
    #expect(stalls.first?.examples.map(\.line) == [4])
  }

  @Test func `each example names its own line`() async throws {
    func row(_ second: Int, _ firstCall: Int64) -> DeviceRows.Row {
      (second, 0, second, ["skan_first_call_to_skadnetwork_timestamp": "\(firstCall)"])
    }
    let first = DeviceRows.firstCall
    let found = try await findings([row(10, first), row(20, first + 1), row(30, first)])
    #expect(found.map(\.rule) == [.firstCallChanges])
    #expect(found.first?.devices == 1)
    #expect(found.first?.examples.map(\.line) == [2, 3])
    #expect(found.first?.examples.map(\.values.count) == [1, 1])
  }

  @Test func `of SKAdNetwork 3 a refund lowers the total alone, and the value stays`() async throws {
    let total = "skan_total_revenue_by_currency"
    let rows: [DeviceRows.Row] = [
      (0, 0, 0, [total: "{}"]), (60, 2, 60, ["n": "\"purchase\"", total: #"{"USD":50}"#]),
      (120, 2, 60, ["n": "\"refund\"", total: "{}"]), (180, 2, 60, [total: "{}"]), (240, 2, 60, [total: "{}"]),
      // Later than 24 hours after the update a purchase changes nothing.
      (100_000, 2, 60, [total: #"{"USD":50}"#]), (100_060, 2, 60, [total: #"{"USD":50}"#]),
    ]
    #expect(try await findings(rows, isLegacy: true, try DeviceRows.revenueModels()).map(\.rule) == [])
    let late: [DeviceRows.Row] = [
      (0, 0, 0, [total: "{}"]), (100_000, 0, 0, [total: #"{"USD":50}"#]), (100_060, 0, 0, [total: #"{"USD":50}"#]),
    ]
    #expect(try await findings(late, isLegacy: true, try DeviceRows.revenueModels()).map(\.rule) == [])
  }

  @Test func `of SKAdNetwork 3 the value is final when the measurement hours of the model are over`() async throws {
    let total = "skan_total_revenue_by_currency"
    let purchase: [String: String] = ["n": "\"purchase\"", total: #"{"USD":10}"#]
    let rising: [DeviceRows.Row] = [
      (0, 0, 0, [total: "{}"]), (80_000, 1, 80_000, purchase), (90_000, 1, 80_000, [total: #"{"USD":50}"#]),
      (90_060, 1, 80_000, [total: #"{"USD":50}"#]),
    ]
    let zero: [DeviceRows.Row] = [
      (0, 0, 0, [total: "{}"]), (50_000, 0, 50_000, [total: "{}"]), (90_000, 0, 50_000, [total: #"{"USD":50}"#]),
      (90_060, 0, 50_000, [total: #"{"USD":50}"#]),
    ]
    for (rows, rules) in [(rising, [ImplementationRule.lastCallStalls]), (zero, [.lastCallStalls, .stuckAtZero])] {
      #expect(try await findings(rows, isLegacy: true, try DeviceRows.revenueModels(hours: 48)).map(\.rule) == rules)
      #expect(try await findings(rows, isLegacy: true, try DeviceRows.revenueModels(hours: 24)).map(\.rule) == [])
    }
  }

  @Test func `a malformed value draws no finding of another rule`() async throws {
    var wrong = Self.revenue(10)
    wrong["skan_total_revenue_by_currency"] = #"{"usd":10}"#
    let totals: [DeviceRows.Row] = [
      (0, 0, 0, Self.revenue(0)), (60, 1, 60, Self.revenue(10, "purchase")), (120, 1, 60, wrong),
      (180, 1, 60, Self.revenue(10)),
    ]
    #expect(try await findings(totals, try DeviceRows.revenueModels()).map(\.rule) == [.revenueCurrency])
    let values: [DeviceRows.Row] = [
      (0, 0, 0, [:]), (60, 1, 60, ["n": "\"purchase\""]), (120, 64, 120, ["n": "\"purchase\""]),
      (259_200, 2, 259_200, ["p1_coarse": "0"]),
    ]
    #expect(try await findings(values).map(\.rule) == [.fineRange])
  }
}

/// Rows of one device, and models of its app.
enum DeviceRows {
  /// The second of a row, its fine value, the second of the last call, and other members as JSON.
  typealias Row = (Int, Int, Int, [String: String])

  static let firstCall: Int64 = 1_767_225_600

  /// Returns a row as JSON, under the names of SKAdNetwork 4 or 3.
  static func line(_ row: Row, isLegacy: Bool) -> String {
    let (second, value, lastCall, others) = row
    var members = [
      "received_at": "\(firstCall + Int64(second))", "a": "\"key\"", "p": "\"iOS\"", "i": "\"com.example.shop\"",
      "app_v": "\"3.1\"", "n": "\"\(SessionValues.session)\"", "idfa": "\"\"", "idfv": "\"x\"",
      "v": isLegacy ? "\"15.2\"" : "\"17.4\"",
    ]
    members[isLegacy ? "skan_conversion_value" : "skan_current_conversion_value"] = "\(value)"
    let calls = isLegacy ? "skan_%_call_timestamp" : "skan_%_call_to_skadnetwork_timestamp"
    members[calls.replacing("%", with: "first")] = "\(firstCall)"
    members[calls.replacing("%", with: "last")] = "\(firstCall + Int64(lastCall))"
    members.merge(others) { $1 }
    return "{" + members.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
  }

  /// Returns a model of purchases, with or without the windows 1 and 2.
  static func models(hasLaterWindows: Bool) throws -> Models {
    let later = [1, 2].map { #",{"postback_sequence_index":\#($0),"coarse":{"low":[],"high":[{"event":"purchase"}]}}"# }
    return try models(
      #"{"postback_sequence_index":0,"fine":{"0":[],"1":[{"event":"purchase"}],"2":[{"event":"purchase","min_count":2}]}}"#
        + (hasLaterWindows ? later.joined() : "")
    )
  }

  /// Returns a model of revenue from purchases and ads that locks the first window at the highest value.
  static func revenueModels(hours: Int = 48) throws -> Models {
    try models(
      #"{"postback_sequence_index":0,"kind":"revenue","event":"purchase","thresholds":[5,20],"open_value":80,"lock_window":true}"#,
      #""currency":"USD","revenue_kind":"all","measurement_hours":\#(hours),"#
    )
  }

  private static func models(_ windows: String, _ others: String = "") throws -> Models {
    let head = #"{"app_id":6740000002,"model_id":"m","version":1,"bundle_id":"com.example.shop","effective_from":null,"#
    return try Models(parsing: Array("\(head)\(others)\"windows\":[\(windows)]}".utf8))
  }
}
