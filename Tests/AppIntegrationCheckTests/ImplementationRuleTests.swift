import ConversionModel
import PostbackPipeline
import TestSupport
import Testing

@testable import AppIntegrationCheck

/// Checks of small files, each of which breaks one rule.
@Suite struct ImplementationRuleTests {
  /// The rules that need a model.
  private static let ofModels: Set<ImplementationRule> = [.lastCallStalls, .regression, .valueAgainstModel]
  private static let ofFiles = ImplementationRule.allCases.filter { $0 != .postbackCrossCheck }

  private func report(
    on path: String,
    hasModels: Bool = false,
    models: Models? = nil,
    buffer: Int? = nil
  ) async throws -> ImplementationReport {
    let folder = try TemporaryFolder()
    var check = ImplementationCheck(temporaryFolder: folder.path("."))
    if let models { check.models = models }
    if hasModels { check.models = try Models(loading: [Fixtures.path("implementation/models")]) }
    if let buffer { check.bufferBytes = buffer }
    return try await check.report(on: InputFile.enumerate([path]))
  }

  private func report(
    on lines: [String],
    named name: String = "rows.jsonl",
    hasModels: Bool = false,
    models: Models? = nil,
    buffer: Int? = nil
  ) async throws -> ImplementationReport {
    let folder = try TemporaryFolder()
    let path = try folder.makeFile(name, holding: Array(lines.map { $0 + "\n" }.joined().utf8))
    return try await report(on: path, hasModels: hasModels, models: models, buffer: buffer)
  }

  @Test func `rows whose id is a word for none are of no device`() async throws {
    let words = ["", "null", "NULL", "\\\\N", "None", " nil", "undefined", "Unknown", "0", "(null)", "0000-0000"]
    let lines = words.map { DeviceRows.line((0, 0, 0, ["idfv": "\"\($0)\""]), isLegacy: false) }
    let found = try await report(on: lines + [DeviceRows.line((0, 0, 0, ["idfv": "\"null-1\""]), isLegacy: false)])
    #expect(found.devices == 1 && found.badRowCount == words.count)
    let csv = ["received_at,idfv,idfa", "2026-03-01T00:00:00Z,NULL,a", "2026-03-01T00:00:00Z,\\N,0"]
    let columns = try await report(on: csv, named: "rows.csv")
    #expect(columns.devices == 1 && columns.badRowCount == 1)
  }

  @Test(arguments: ofFiles) func `the file of a rule breaks it, and no other`(_ rule: ImplementationRule) async throws {
    let path = Fixtures.path("implementation/\(rule.rawValue).jsonl")
    let report = try await report(on: path, hasModels: Self.ofModels.contains(rule))
    #expect(report.badRowCount == 0)
    #expect(report.findings.map(\.rule) == [rule])
    #expect(report.findings.first?.devices == 1)
    #expect(report.versions.map(\.verdict) != ["pass"])
  }

  @Test(arguments: ["pass.jsonl", "pass.csv"]) func `a right implementation passes in both formats`(
    _ name: String
  ) async throws {
    let report = try await report(on: Fixtures.path("implementation/\(name)"), hasModels: true)
    #expect(report.rows == 5)
    #expect(report.badRowCount == 0)
    #expect(report.findings.map(\.rule.rawValue) == [])
    #expect(report.versions.map(\.verdict) == ["pass"])
  }

  @Test func `a refund lowers the total and a window alike, and is no finding`() async throws {
    let line = String(decoding: try #require(Fixtures.lines("implementation/pass.jsonl").last), as: UTF8.self)
    func row(_ second: Int, _ total: String, _ window: String, _ value: Int) -> String {
      let object = Object(line).with([
        "received_at": "\"2026-01-01T00:00:\(second)Z\"", "skan_total_revenue_by_currency": "{\"USD\":\(total)}",
        "p0_total_iap_revenue": "{\"USD\":\(window)}", "skan_current_conversion_value": "\(value)",
      ])
      return object.text
    }
    func rules(_ lines: [String]) async throws -> [ImplementationRule] {
      try await report(on: lines).findings.map(\.rule).filter { $0 == .revenueFalls || $0 == .revenueSum }
    }
    #expect(try await rules([row(30, "9.99", "9.99", 1), row(40, "4.99", "4.99", 1)]).isEmpty)
    #expect(try await rules([row(30, "9.99", "9.99", 1), row(40, "4.99", "9.99", 1)]).contains(.revenueFalls))
    #expect(try await rules([row(30, "9.99", "9.99", 1), row(40, "9.99", "4.99", 1)]).contains(.revenueFalls))
  }

  @Test func `the guide's example breaks the order of times twice`() async throws {
    let report = try await report(on: Fixtures.path("implementation/ts_order.jsonl"))
    let finding = try #require(report.findings.first)
    #expect(finding.rows == 2)
    #expect(finding.examples.first?.values.contains { $0.contains("59808 s before") } == true)
    #expect(finding.examples.first?.values.contains { $0.contains("before May 2014") } == true)
  }

  @Test func `rows that differ from the model fail if they are of more than one device in twenty`() async throws {
    let wrong = Fixtures.lines("implementation/value_vs_model.jsonl").map { String(decoding: $0, as: UTF8.self) }
    let right = Fixtures.lines("implementation/pass.jsonl").map { String(decoding: $0, as: UTF8.self) }
    let id = "6D92078A-8246-4BA4-AE5B-76104861E7DC"
    for (count, severity) in [(10, FindingSeverity.fail), (30, .warn)] {
      let others = (0..<count).flatMap { number in right.map { $0.replacing(id, with: "device \(number)") } }
      let report = try await report(on: wrong + others, hasModels: true)
      #expect(report.devices == count + 1)
      #expect(report.findings.map(\.severity) == [severity])
      #expect(report.versions.map(\.verdict) == [severity.rawValue])
    }
  }

  @Test func `the order of rows makes no difference, nor does sorting on disk`() async throws {
    var lines: [String] = []
    for rule in Self.ofFiles {
      for line in Fixtures.lines("implementation/\(rule.rawValue).jsonl") {
        lines.append(String(decoding: line, as: UTF8.self).replacing("6D92078A", with: rule.rawValue))
      }
    }
    let models = try DeviceRows.models(hasLaterWindows: true)
    let inOrder = try await report(on: lines, models: models)
    let onDisk = try await report(on: lines.reversed(), models: models, buffer: 4096)
    #expect(inOrder.devices == Self.ofFiles.count)
    #expect(inOrder.findings.map(\.rule) == onDisk.findings.map(\.rule))
    #expect(inOrder.findings.map(\.rows) == onDisk.findings.map(\.rows))
    #expect(inOrder.findings.count == Self.ofFiles.count)
  }

  @Test func `bad rows are counted and named, and the others are checked`() async throws {
    let good = String(decoding: try #require(Fixtures.lines("implementation/pass.jsonl").first), as: UTF8.self)
    let rows = [
      good, "{broken", "no json", "[1,2]", #"{"received_at":"2026-01-01T00:00:00Z"}"#, #"{"idfv":"x"}"#,
      #"{"received_at":"yesterday","idfv":"x"}"#, #"{"received_at":99999999999999999999,"idfv":"x"}"#,
    ]
    let report = try await report(on: rows + [good])
    #expect(report.rows == report.badRowCount + 2)
    #expect(report.devices == 1)
    #expect(report.badRows.first?.line == 2)
    let csv = try await self.report(
      on: ["received_at,idfv,n", "2026-01-01T00:00:00Z,x", "1767225600,x,\"a"],
      named: "rows.csv"
    )
    #expect(csv.badRows.map(\.line) == [2, 3])
  }

  @Test func `values of hostile rows are findings`() async throws {
    let rows = [
      #"{"received_at":0,"device":"x","skan_first_call_to_skadnetwork_timestamp":-9223372036854775808}"#,
      #"{"received_at":1,"device":"x","skan_first_call_to_skadnetwork_timestamp":9223372036854775807,"p0_window_lock":9223372036854775807}"#,
      #"{"received_at":2,"device":"x","skan_current_conversion_value":1e400,"p0_coarse":"low","skan_total_revenue_by_currency":{"USD":-1}}"#,
      #"{"received_at":3,"device":"x","skan_total_revenue_by_currency":"{\"USD\":999999999999999}","p1_total_iap_revenue":[1]}"#,
    ]
    let report = try await report(on: rows, hasModels: true)
    #expect(report.badRowCount == 0)
    let rules = Set(report.findings.map(\.rule))
    #expect(
      rules.isSuperset(of: [.timestampOrder, .timestampInMilliseconds, .fineRange, .coarseRange, .revenueCurrency])
    )
  }

  @Test(arguments: [
    ([#""app_id":1,"bundle_id":"com.example.shop","effective_from":null"#], 0),
    ([#""app_id":1,"bundle_id":"com.example.other","effective_from":null"#], 2),
    ([#""app_id":1,"bundle_id":"com.example.shop","effective_from":"2027-01-01T00:00:00Z""#], 2),
    ([#""app_id":1,"effective_from":null"#], 0),
    ([#""app_id":1,"effective_from":null"#, #""app_id":2,"effective_from":null"#], 2),
  ]) func `a model of another app or time is not used, and the rows without a model are counted`(
    _ members: [String],
    _ count: Int
  ) async throws {
    let window = #"{"postback_sequence_index":0,"fine":{"0":[],"1":[{"event":"purchase"}]}}"#
    let models = members.map { #"{\#($0),"model_id":"m","version":1,"windows":[\#(window)]}"# }
    let rows: [DeviceRows.Row] = [(0, 0, 0, [:]), (60, 7, 60, ["n": "\"purchase\""])]
    let report = try await report(
      on: rows.map { DeviceRows.line($0, isLegacy: false) },
      models: try Models(parsing: Array("[\(models.joined(separator: ","))]".utf8))
    )
    #expect(report.rowsWithoutModel == count)
    #expect(report.findings.map(\.rule) == (count == 0 ? [.valueAgainstModel] : []))
    #expect(try await self.report(on: rows.map { DeviceRows.line($0, isLegacy: false) }).rowsWithoutModel == nil)
  }

  @Test func `values on devices are compared with those in postbacks`() throws {
    var devices = DeviceValues(lastReceived: 1_800_000_000)
    for number in 0..<200 { devices.add((bundleID: "com.example.shop", firstCall: 1_767_225_600, value: number % 4)) }
    // A first window that is still open does not count.
    devices.add((bundleID: "com.example.shop", firstCall: 1_799_999_999, value: 63))
    var same = ReceivedValues.Counts()
    for value in 0..<4 { same.values[value] = 60 }
    var other = ReceivedValues.Counts()
    other.values[0] = 240
    var hidden = other
    hidden.without = 60
    for (counts, differs, isFinding) in [(same, false, false), (other, true, true), (hidden, true, false)] {
      var report = ImplementationReport()
      report.compare(devices, with: ReceivedValues(byApp: [42: counts]), .none)
      #expect(report.comparisons?.first?.devices == 200)
      #expect(report.comparisons?.first?.differs == differs)
      #expect((report.findings.map(\.rule) == [.postbackCrossCheck]) == isFinding)
    }
  }
}
