import ConversionModel
import DurableFiles
import JSON
import Ledger
import LookupFixtures
import Tables
import TestSupport
import Testing

@testable import CampaignEnrichment
@testable import CopySettlement
@testable import DailyReports
@testable import DerivedTables
@testable import FraudSignals
@testable import LookupTables
@testable import NullValueModelling
@testable import Reporting
@testable import Statistics
@testable import TableReading

/// An output that grows by parts, and the derived tables of it that are made with a cache, and without.
struct PartHistory {
  /// The settings of the derived tables.
  struct Settings {
    var graceHours = 48
    var directSince = "2026-01-01"
    var formats: Set<TableFormat> = [.jsonLines]
    var environments: Set<String> = ["production"]
    var suspects: [SignalParty] = []
    /// Indicates that the results of parts are calculated together, before the tables are made.
    var isPrepared = false
    var jobs = 2
  }

  let folder: TemporaryFolder
  var settings = Settings()
  private var random: SplitMix
  private var keys: [String] = []
  private var parts = 0
  private var modified: [String] = []

  private static let models = Result { try Models(loading: [Fixtures.path("models")]) }
  private static let newline = UInt8(ascii: "\n")

  init(seed: UInt64) throws {
    (folder, random) = (try TemporaryFolder(), SplitMix(seed: seed))
    for table in ["skan_postbacks", "skan_rejects", "skan_events"] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
    }
  }

  mutating func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  // MARK: - Input

  /// Adds a part to `skan_postbacks` and one to `skan_rejects`, which has copies of these and of earlier postbacks.
  mutating func addRun() throws {
    parts += 1
    var accepted: [String] = []
    for _ in 0..<number(below: 40) {
      // The state may forget a postback, and accept it again.
      let isAgain = !keys.isEmpty && number(below: 50) == 0
      let key = isAgain ? keys[number(below: keys.count)] : Self.key(&random)
      keys.append(key)
      accepted.append(row(key))
    }
    var rejects: [String] = []
    for _ in 0..<number(below: 60) where !keys.isEmpty {
      // Most copies are of new postbacks, and some of none that is there.
      let place = number(below: 3) == 0 ? number(below: keys.count) : max(0, keys.count - 1 - number(below: 40))
      let copy = reject(number(below: 20) == 0 ? Self.key(&random) : keys[place])
      rejects += Array(repeating: copy, count: number(below: 10) == 0 ? 3 : 1)
    }
    if number(below: 15) == 0 { rejects.append("no row\n") }
    if number(below: 15) == 0 { accepted.append("{\"postback_key\":\"00\n") }
    try write("skan_postbacks/part-0000000\(parts).jsonl", accepted)
    // A run without rejects leaves no part.
    if !rejects.isEmpty { try write("skan_rejects/part-0000000\(parts).jsonl", rejects) }
  }

  /// Removes a line from a part of a table.
  mutating func removeLine(of table: String) throws {
    let names = try DurableFolder(folder.path("out/\(table)")).names()
    guard !names.isEmpty else { return }
    let name = "\(table)/\(names[number(below: names.count)])"
    var lines = try folder.contents(of: "out/\(name)").split(separator: Self.newline)
    guard !lines.isEmpty else { return }
    lines.remove(at: number(below: lines.count))
    try write(name, lines.map { String(decoding: $0, as: UTF8.self) + "\n" })
  }

  private func write(_ name: String, _ lines: [String]) throws {
    // Files are replaced as `run` and `retain` do it: by others with another identity.
    try? DurableFolder(folder.path("out")).remove(name)
    try folder.makeFile("out/\(name)", holding: Array(lines.joined().utf8))
  }

  private static func key(_ random: inout SplitMix) -> String {
    func digits(_ number: UInt64) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return digits(random.next()) + digits(random.next())
  }

  private mutating func time() -> String { "2026-03-1\(number(below: 9))T0\(number(below: 10)):00:00Z" }

  private mutating func row(_ key: String) -> String {
    let channel = number(below: 2) == 0 ? "apple_direct" : "network_forwarded"
    let app = [525_463_029, 1][number(below: 2)]
    let environment = number(below: 10) == 0 ? "development" : "production"
    let forwarder = channel == "apple_direct" ? "null" : "\"\(["a", "b"][number(below: 2)])\""
    let received = time()
    return "{\"postback_key\":\"\(key)\",\"framework\":\"skadnetwork\",\"version\":\"3.0\",\"ad_network_id\":"
      + "\"n\(number(below: 3))\",\"app_id\":\(app),\"campaign_id\":\(1 + number(below: 3)),\"did_win\":true,"
      + "\"postback_sequence_index\":0,\"fidelity_type\":1,\"redownload\":false,"
      + "\"conversion_value\":\(number(below: 64)),\"environment\":\"\(environment)\",\"channel\":\"\(channel)\","
      + "\"forwarder\":\(forwarder),\"received_at\":\"\(received)\",\"estimated_install_date\":\"\(received)\","
      + "\"decode_status\":\"no_model\"}\n"
  }

  private mutating func reject(_ key: String) -> String {
    let inline = ["", ",\"adjust_campaign_id\":\"c\(number(below: 3))\"", ",\"test\":\"true\""][number(below: 3)]
    let body =
      number(below: 20) == 0
      ? "no postback"
      : """
      {"version":"3.0","ad-network-id":"n1","campaign-id":1,"app-id":525463029,"transaction-id":"t",\
      "redownload":false,"fidelity-type":1,"did-win":true,"conversion-value":\(number(below: 64)),\
      "attribution-signature":"AA=="\(inline)}
      """
    let channel = number(below: 2) == 0 ? "apple_direct" : "network_forwarded"
    let forwarder = channel == "apple_direct" ? "null" : "\"\(["a", "b"][number(below: 2)])\""
    return "{\"reject_code\":\"duplicate_identical\",\"first_seen_postback_key\":\"\(key)\",\"channel\":\"\(channel)\","
      + "\"forwarder\":\(forwarder),\"received_at\":\"\(time())\",\"raw_body\":\(JSONValue.string(body))}\n"
  }

  // MARK: - Cache

  /// Removes, cuts or changes some files of the cache.
  mutating func damageCache() throws {
    let cache = DurableFolder(folder.path("cache"))
    for name in try cache.names() where number(below: 3) == 0 {
      let bytes = try folder.contents(of: "cache/\(name)")
      try cache.remove(name)
      var changed = Array(bytes.prefix(number(below: 2) == 0 ? bytes.count : bytes.count / 2))
      // The rows are links of those that are published, and only their length is compared.
      if changed.count == bytes.count, !name.contains("."), !changed.isEmpty {
        changed[number(below: changed.count)] ^= 1
      }
      if number(below: 2) == 0 { try folder.makeFile("cache/\(name)", holding: changed) }
    }
  }

  // MARK: - Derived tables

  private func lookups() throws -> Lookups {
    try LookupFolder([
      "apps.csv": "app_id,app_name,direct_copies_since\n525463029,One,\(settings.directSince)\n",
      "networks.csv": "ad_network_id,network_name\nn1,One\n",
    ]).load()
  }

  /// Makes the derived tables, and returns their files and those beside them. Without a cache all is calculated.
  func derive(cached: Bool) async throws -> [String: [UInt8]] {
    let name = cached ? "cached" : "full"
    let (out, target) = (folder.path("out"), try DurableFolder(making: folder.path(name)).path)
    let cache = cached ? try PartCache(in: folder.path("cache")) : nil
    let (accepted, rejects) = (try TableFiles(.postbacks, at: [out]), try TableFiles(.rejects, at: [out]))
    let encoding = TableEncoding(settings.formats)
    let lookups = try lookups()
    let models = try Self.models.get()
    let replacement = TableReplacement(isForced: true)
    var settlement = SettlementSettings()
    settlement.graceHours = settings.graceHours
    settlement.bufferBytes = cached ? 4_000 : 64 << 20
    var daily = DailySettings(encoding)
    daily.environments = settings.environments
    daily.replacement = replacement
    if let cache, settings.isPrepared {
      var preparation = PartPreparation(lookups, models, settlement, as: encoding)
      preparation.daily = daily
      preparation.lateAfterDays = 2
      try await preparation.fill(cache, accepted: accepted, rejects: rejects, jobs: settings.jobs)
    }
    let prepared = try DurableFolder(folder.path("cache")).names()
    let settled = try await Settlement(
      accepted: accepted,
      rejects: rejects,
      lookups,
      models,
      settlement,
      as: encoding,
      into: (
        try DerivedTable(.settled, encoding, in: target, replacing: replacement),
        try DerivedTable(.settledEvents, encoding, in: target)
      ),
      jobs: settings.jobs,
      cache: cache
    )
    let enriched = try await Enrichment(
      accepted: accepted,
      rejects: rejects,
      settled: try TableFiles(derived: .settled, in: target),
      lookups,
      as: encoding,
      into: try DerivedTable(.enriched, encoding, in: target, replacing: replacement),
      jobs: settings.jobs,
      bufferBytes: settlement.bufferBytes,
      cache: cache
    )
    var inputs = DailyInputs(
      accepted: accepted,
      events: try TableFiles(.events, at: [out]),
      rejects: rejects,
      settled: try DailySettledInputs(in: target)
    )
    inputs.suspicions = suspicions
    var report = try await Daily(inputs, lookups, daily, in: target, jobs: settings.jobs, cache: cache)
    try await report.write(into: try DailyOutputs(in: target, daily, wantsValues: true), jobs: settings.jobs)
    if cached, settings.isPrepared, settled.unreadable.count == 0 {
      // Nothing was calculated that was not prepared. Parts with lines that are not rows are calculated each time.
      #expect(try DurableFolder(folder.path("cache")).names() == prepared)
    }
    var tested = SignalInputs(rejects: rejects, accepted: accepted)
    tested.settled = try TableFiles(derived: .settled, in: target)
    tested.enriched = try TableFiles(derived: .enriched, in: target)
    tested.lateAfterDays = 2
    let signals = try await KnownSignals(of: tested, jobs: settings.jobs, cache: cache)
    try cache?.removeOthers(of: PartCache.Kind.allCases)
    var files: [String: [UInt8]] = [:]
    files["signals"] = Array(Self.text(signals.report).utf8)
    files["unreadable"] = Array("\([settled.unreadable, enriched.unreadable, report.unreadable])".utf8)
    let tables: [Table] = [
      .settled, .settledEvents, .enriched, .daily, .dailyEvents, .dailyValues, .dailyChanges, .modelled,
    ]
    for table in tables {
      for file in try DurableFolder("\(target)/\(table.name)").names() {
        files["\(table.name)/\(file)"] = try folder.contents(of: "\(name)/\(table.name)/\(file)")
      }
    }
    return files
  }

  /// The results of all tests.
  private static func text(_ report: SignalReport) -> String {
    let tests = report.tests.map { test in
      """
      \(test.name) \(test.basis) \(test.method) \(test.party) \(test.app ?? "") \(test.value ?? "") \(test.own) \(test.others) \
      \(test.effect) \(test.pValue) \(test.leftOut ?? 0) \(test.since.map { "\($0)" } ?? "")
      """
    }
    return (tests + ["\(report.lateReplays.sorted { $0.key < $1.key })", "\(report.omissions)"]).joined(separator: "\n")
  }

  /// The suspicions about a forwarder and a network, which change from one report to the next.
  private var suspicions: ValueSuspicions {
    func alarm(_ party: SignalParty) -> SignalTest {
      SignalTest(
        name: .raisedValues,
        basis: .copies,
        method: .strata,
        party: party,
        own: Rate(),
        others: Rate(),
        effect: 1,
        pValue: 0
      )
    }
    return ValueSuspicions(settings.suspects.map { alarm($0) })
  }
}
