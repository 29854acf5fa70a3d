import DurableFiles
import Ledger
import Tables
import TestSupport
import Testing

@testable import LookupTables

/// Derived tables that are calculated from what is new.
@Suite struct PartHistoryTests {
  private func compare(_ history: PartHistory, _ step: String) async throws {
    let full = try await history.derive(cached: false)
    let cached = try await history.derive(cached: true)
    for name in Set(full.keys).union(cached.keys).sorted() {
      #expect(full[name] == cached[name], "\(name) after \(step)")
    }
  }

  @Test(arguments: 0..<12) func `the tables are those of a calculation from nothing`(seed: Int) async throws {
    var history = try PartHistory(seed: UInt64(seed))
    for _ in 0..<8 {
      let step: String
      switch history.number(below: 12) {
      case 0..<4:
        step = "a run"
        try history.addRun()
      case 4:
        step = "a removal"
        try history.removeLine(of: "skan_postbacks")
      case 5:
        step = "a removal of rejects"
        try history.removeLine(of: "skan_rejects")
      case 6:
        step = "damage"
        try history.damageCache()
      case 7:
        step = "other settings"
        history.settings.graceHours = 48 - history.settings.graceHours
      case 8:
        step = "other lookups"
        history.settings.directSince = history.settings.directSince == "2026-01-01" ? "2026-03-15" : "2026-01-01"
      case 9:
        step = "other environments"
        let isAll = history.settings.environments.count > 1
        history.settings.environments = isAll ? ["production"] : ["production", "development"]
      case 10:
        step = "other suspects"
        let suspects = [SignalParty(kind: .forwarder, name: "a"), SignalParty(kind: .network, name: "One")]
        history.settings.suspects = Array(suspects.prefix(history.number(below: 3)))
      default:
        step = "other formats"
        history.settings.formats = history.settings.formats.count == 1 ? [.jsonLines, .csv] : [.jsonLines]
      }
      history.settings.isPrepared = history.number(below: 2) == 0
      try await compare(history, step)
    }
  }

  @Test func `a part whose postbacks and copies stay the same is not calculated again`() async throws {
    var history = try PartHistory(seed: 100)
    for _ in 0..<3 { try history.addRun() }
    _ = try await history.derive(cached: true)
    let folder = DurableFolder(history.folder.path("cache"))
    func rows() throws -> [String?] {
      try folder.names().filter { $0.hasSuffix(".jsonl") }.map { try folder.version(of: $0)?.content }
    }
    let before = try rows()
    _ = try await history.derive(cached: true)
    #expect(try rows() == before && before.count >= 6)
  }
}
