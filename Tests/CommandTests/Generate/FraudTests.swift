import JSON
import TestSupport
import Testing

/// Dumps of campaigns with frauds.
struct FraudTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func options(_ frauds: [String], _ name: String = "reporting") -> [String] {
    Self.options(frauds, folder.path(name))
  }

  private static func options(_ frauds: [String], _ path: String) -> [String] {
    ["--campaigns", "12", "--days", "7", "--reporting", path] + frauds.flatMap { ["--fraud", $0] }
  }

  /// The lines of a dump without frauds, and its daily totals, made once for all tests.
  private static let clean = Task {
    let folder = try TemporaryFolder()
    let dump = try await GeneratedDump(count: 2500, seed: 3, options: options([], folder.path("clean")))
    return (Set(dump.bytes.split(separator: 10).map(Array.init)), try folder.contents(of: "clean/truth_daily.csv"))
  }

  @Test(arguments: [
    "inflate-fine", "inflate-coarse", "flip-win", "replay-late", "steal-signature", "fabricate", "change-country",
    "self-conflict", "withhold", "drop-low", "zero-values", "invent-nulls", "hold-back", "frame", "hide",
  ])
  func `run sees the fraud as the truth has it`(_ kind: String) async throws {
    let fraud = "\(kind),forwarder=adjust,share=0.6,since=2026-03-27"
    let (cleanLines, cleanTotals) = try await Self.clean.value
    let dump = try await GeneratedDump(count: 2500, seed: 3, options: options([fraud]))
    let rows = try await dump.rows()
    let written = dump.truth.filter { $0["outcome"] != .string("withheld") }
    #expect(rows.count == written.count)
    var sent: [Int: [UInt8]] = [:]
    for (place, line) in dump.bytes.split(separator: 10).enumerated() { sent[place + 1] = Array(line) }
    for truth in written {
      let line = try #require(truth.integer("line"))
      let row = try #require(rows[line])
      #expect(row["reject_code"] ?? .null == truth["reject_code"], "line \(line)")
      if truth["outcome"] == .string("accepted") {
        #expect(row["conversion_value"] == truth["conversion_value"], "line \(line)")
        #expect(row["coarse_conversion_value"] == truth["coarse_conversion_value"], "line \(line)")
      }
      if truth["fraud"] == nil { #expect(cleanLines.contains(try #require(sent[line])), "line \(line)") }
    }
    let frauds = dump.truth.filter { $0["fraud"] != nil }
    #expect(frauds.count > 3)
    for truth in frauds {
      #expect(truth["fraud"] == .string(kind))
      let isOfDevice = kind == "frame" || kind == "hide" && truth["fraud_by"] == .null
      #expect(truth["fraud_by"] == (isOfDevice ? .null : .string("adjust")))
      guard let line = truth.integer("line") else { continue }
      #expect(rows[line]?["forwarder"] == truth["fraud_by"])
      #expect(rows[line].flatMap { text($0, "received_at") } ?? "" >= (isOfDevice ? "2026-03-26T17:30" : "2026-03-27"))
      switch kind {
      case "drop-low", "invent-nulls": #expect(truth["fraud_edited"] == .null)
      case "zero-values": #expect(truth["fraud_edited"] == .string("0"))
      case "frame",
        "hide" where isOfDevice:
        #expect(truth["fraud_edited"] != .null)
      case "inflate-coarse": #expect(truth["fraud_edited"] == .string("high"))
      case "change-country" where truth["outcome"] == .string("accepted"):
        #expect(rows[line]?["country_code"] == .string("US"))
      case "steal-signature", "fabricate", "flip-win": #expect(truth["reject_code"] == .string("signature_invalid"))
      default: break
      }
    }
    let csv = String(decoding: try folder.contents(of: "reporting/truth_fraud.csv"), as: UTF8.self)
    #expect(csv.split(separator: "\n").count == frauds.count + 1)
    #expect(try folder.contents(of: "reporting/truth_daily.csv") == cleanTotals)
  }

  private func text(_ row: JSONObject, _ name: String) -> String? {
    if case .string(let text) = row[name] { text } else { nil }
  }

  @Test func `several frauds together keep the truth, for any number of jobs`() async throws {
    let frauds = [
      "replay-late,network=Network 1,postbacks=40", "self-conflict,network=Network 1", "withhold,app=525463029",
      "inflate-coarse,share=1", "fabricate,forwarder=appsflyer,postbacks=9",
    ]
    let one = try await GeneratedDump(count: 9000, seed: 5, options: options(frauds, "one") + ["--jobs", "1"])
    let three = try await GeneratedDump(count: 9000, seed: 5, options: options(frauds, "three") + ["--jobs", "3"])
    #expect(one.bytes == three.bytes)
    #expect(one.truth == three.truth)
    let rows = try await one.rows()
    for truth in one.truth {
      guard let line = truth.integer("line") else { continue }
      #expect(rows[line]?["reject_code"] ?? .null == truth["reject_code"], "line \(line)")
    }
    #expect(one.truth.count { $0["fraud"] == .string("replay-late") } <= 40)
    #expect(one.values(of: "fraud").count == 5)
  }

  @Test func `forwarders that act together change the same postbacks of a network in some days`() async throws {
    let fraud =
      "inflate-fine,by=5,forwarder=network-1+appsflyer,network=Network 1,share=1,since=2026-03-18,until=2026-04-01"
    let options = ["--world", "two-forwarders", "--days", "21", "--reporting", folder.path("two"), "--fraud", fraud]
    let dump = try await GeneratedDump(count: 1500, seed: 3, options: options)
    let rows = try await dump.rows()
    var raised: [String: Set<String>] = [:]
    var times: [Bool: Int] = [:]
    for truth in dump.truth where truth["fraud"] != nil {
      let line = try #require(truth.integer("line"))
      let time = rows[line].flatMap { text($0, "received_at") } ?? ""
      // All copies of a postback are changed in the same way, also those of later days.
      times[time >= "2026-03-18" && time < "2026-04-01", default: 0] += 1
      if let original = text(truth, "fraud_original"), let edited = text(truth, "fraud_edited") {
        #expect((1...5).contains((Int(edited) ?? 0) - (Int(original) ?? 0)))
      }
      raised[text(truth, "transaction_id") ?? "", default: []].insert(text(truth, "fraud_by") ?? "")
    }
    #expect(raised.values.count { $0 == ["network-1", "appsflyer"] } > 3)
    #expect(times[true, default: 0] > 10 * times[false, default: 0])
  }

  @Test(arguments: [
    ("inflate", "there is no fraud inflate"), ("withhold,forwarder=nobody", "which the dump does not have"),
    ("withhold,share=2", "share=2"), ("withhold,since=1.2.2026", "since=1.2.2026"), ("withhold,by=x", "by=x"),
    ("withhold,app=1,app=2", "give it once"), ("withhold,app=1,network=Network 1", "names the app 1"),
    ("withhold,by=2", "by which inflate-fine raises"), ("withhold,forwarder=adjust+nobody", "the forwarder nobody"),
  ])
  func `a fraud that cannot be is refused`(_ fraud: String, _ message: String) async throws {
    let result = try await BuiltCommand.run(["generate", "--count", "9"] + options([fraud]))
    #expect(result.status == 64)
    #expect(result.errorText.contains(message))
    #expect(try folder.names.isEmpty)
  }
}
