@testable import DurableFiles
@testable import Ledger
import Foundation
import TestSupport
import Testing

@Suite struct `Compaction of the seen log` {
  private func site(_ count: Int) throws -> StateSite {
    let site = try StateSite()
    let ledger = try site.ledger()
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index)
    try log.append(seenEntries(0..<count))
    try log.synchronize()
    try ledger.commit(LedgerCommit(of: log))
    return site
  }

  /// The number of entries in the index and in the file.
  private func recovered(_ site: StateSite) throws -> [SeenEntry] {
    let ledger = try site.ledger()
    var index = SeenIndex()
    _ = try SeenLog.recover(ledger, into: &index)
    var entries: [SeenEntry] = []
    try SeenFile(SeenLog.name, in: DurableFolder(site.state)).read(ledger.seen) { words in
      for start in stride(from: 0, to: words.count, by: SeenEntry.wordCount) {
        entries.append(SeenEntry(words, at: start))
      }
    }
    #expect(index.count == entries.count)
    #expect(ledger.state.compaction == nil)
    #expect(try !site.names(in: "state").contains(SeenLog.newName))
    return entries
  }

  @Test(arguments: [(0, 10_000), (1, 9999), (9000, 1000), (10_000, 0)])
  func `drops older entries, and keeps the others unchanged`(_ dropped: Int, _ kept: Int) throws {
    let site = try site(10_000)
    do {
      let ledger = try site.ledger()
      #expect(try SeenLog.compact(ledger, before: UInt32(1_000_000 + dropped)).get() == Int64(dropped))
      #expect(try SeenLog.compact(ledger, before: UInt32(1_000_000 + dropped)).get() == 0)
      var tally = KeyTally()
      for entry in seenEntries(0..<dropped) { tally.add(entry.seen.key) }
      #expect(ledger.state.retired == tally)
    }
    #expect(try recovered(site) == seenEntries(dropped..<10_000))
    #expect(try site.bytes("state/\(SeenLog.name)").count == 16 + 48 * kept)
  }

  @Test func `is complete or undone after a crash at any point`() throws {
    let site = try site(5000)
    var crashes: [(site: StateSite, isDone: Bool)] = []
    func crash(isDone: Bool) throws { crashes.append((try site.crashed(), isDone)) }
    let ledger = try site.ledger()
    try crash(isDone: false)
    let compaction = try SeenCompaction(ledger, before: 1_004_000)
    try crash(isDone: false)
    let half = try site.crashed()
    try half.change("state/\(SeenLog.newName)") { $0.removeLast(70) }
    crashes.append((half, false))
    try ledger.transact(LedgerCommit(compaction: .begin(compaction)))
    try crash(isDone: true)
    try ledger.markCommit()
    try crash(isDone: true)
    try SeenCompaction.replace(in: DurableFolder(site.state))
    try crash(isDone: true)
    try ledger.transact(LedgerCommit(compaction: .finish))
    try crash(isDone: true)
    try ledger.markCommit()
    try crash(isDone: true)
    for crash in crashes {
      let kept = seenEntries((crash.isDone ? 4000 : 0)..<5000)
      #expect(try recovered(crash.site) == kept)
      #expect(try recovered(crash.site) == kept)
      #expect(try crash.site.ledger().state.retired.count == (crash.isDone ? 4000 : 0))
    }
  }

  @Test(arguments: [SeenLog.name, SeenLog.newName]) func `refuses a damaged log`(_ damaged: String) throws {
    let site = try site(5000)
    do {
      let ledger = try site.ledger()
      if damaged == SeenLog.newName {
        let compaction = try SeenCompaction(ledger, before: 1_004_000)
        try compaction.begin(in: ledger)
      }
    }
    try site.change("state/\(damaged)") { $0[16 + 48 * 500 + 3] ^= 0x80 }
    let failure = stateFailure { try SeenLog.compact(try site.ledger(), before: 1_004_000) }
    #expect(failure?.kind == .damaged)
    #expect(failure?.path.hasSuffix(damaged) == true)
  }

  @Test func `leaves a log that can be appended to`() throws {
    let site = try site(100)
    do {
      let ledger = try site.ledger()
      #expect(try SeenLog.compact(ledger, before: 1_000_090).get() == 90)
      var index = SeenIndex()
      let log = try SeenLog.recover(ledger, into: &index)
      try log.append(seenEntries(100..<110))
      try log.synchronize()
      try ledger.commit(LedgerCommit(of: log))
    }
    #expect(try recovered(site) == seenEntries(90..<110))
  }
}

extension LedgerCommit {
  fileprivate init(compaction: SeenCompaction.Step) {
    self.init(time: 1)
    self.compaction = compaction
  }
}
