@testable import DurableFiles
@testable import Ledger
import Foundation
import TestSupport
import Testing

@Suite struct `The number of the last commit` {
  private func commit(_ ledger: Ledger) throws { try ledger.commit(LedgerCommit(time: 1)) }

  @Test(arguments: 1...5) func `shows that the write-ahead log was removed`(_ commits: Int) throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    for _ in 0..<commits { try commit(ledger) }
    let crashed = try site.crashed()
    try crashed.remove("state/\(Ledger.name)-wal")
    for failure in [stateFailure { try crashed.ledger() }, stateFailure { try Ledger.reading(crashed.state) }] {
      #expect(failure?.kind == .damaged)
      #expect(failure?.reason.contains("\(commits) were made") == true)
    }
  }

  @Test(arguments: [0, 20, 32 + 24, 32 + 1048, -1]) func `shows that the write-ahead log was changed`(
    _ offset: Int
  ) throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    for _ in 0..<3 { try commit(ledger) }
    let crashed = try site.crashed()
    try crashed.change("state/\(Ledger.name)-wal") { $0[offset < 0 ? $0.count - 1 : offset] ^= 1 }
    #expect(stateFailure { try crashed.ledger() }?.kind == .damaged)
  }

  @Test func `shows that the ledger was replaced by an older copy`() throws {
    let site = try StateSite()
    try commit(try site.ledger())
    let older = try site.bytes("state/\(Ledger.name)")
    try commit(try site.ledger())
    try site.change("state/\(Ledger.name)") { $0 = older }
    try site.change("state/\(Ledger.name)-wal") { $0 = [] }
    #expect(stateFailure { try site.ledger() }?.kind == .damaged)
  }

  @Test func `is right after a crash at any point, and no commit is lost`() throws {
    let site = try StateSite()
    var crashes: [(site: StateSite, commits: Int64)] = []
    func crash(_ commits: Int64) throws { crashes.append((try site.crashed(), commits)) }
    let folder = try StateFolder(site.state)
    try crash(0)
    // Half of a ledger that was being made.
    try site.change("state/\(Ledger.name).new") { $0 = [1, 2, 3] }
    try crash(0)
    try LedgerSchema.create(in: folder.folder, ["format": "jsonl"])
    try crash(0)
    let ledger = try Ledger(folder, settings: ["format": "jsonl"])
    try crash(0)
    for number in 1...4 as ClosedRange<Int64> {
      // At 3 the log is written back, as after many changes.
      if number == 3 { _ = try ledger.database.checkpoint() }
      try ledger.transact(LedgerCommit(time: 1))
      try crash(number)
      try ledger.markCommit()
      try crash(number)
    }
    for crash in crashes {
      for _ in 1...2 { #expect(try crash.site.ledger().commits == crash.commits) }
      #expect(try CommitMarker.number(in: DurableFolder(crash.site.state)) == crash.commits)
    }
  }

  @Test(arguments: 0..<16) func `is still known after an incomplete write`(_ length: Int) throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    try commit(ledger)
    try commit(ledger)
    try ledger.transact(LedgerCommit(time: 1))
    let before = try site.bytes("state/commit")
    try ledger.markCommit()
    let after = try site.bytes("state/commit")
    let crashed = try site.crashed()
    // The third goes where the first was.
    let place = 4096
    try crashed.change("state/commit") { bytes in
      bytes = before
      bytes.replaceSubrange(place..<place + length, with: after[place..<place + length])
    }
    #expect(try crashed.ledger().commits == 3)
    #expect(try CommitMarker.number(in: DurableFolder(crashed.state)) == 3)
  }

  @Test func `is reported as missing if its file was removed`() throws {
    let site = try StateSite()
    try commit(try site.ledger())
    let kept = try site.bytes("state/commit")
    try site.remove("state/commit")
    #expect(stateFailure { try site.ledger() }?.kind == .damaged)
    try site.change("state/commit") { $0 = kept.map { _ in 0 } }
    #expect(stateFailure { try site.ledger() }?.kind == .damaged)
    try site.change("state/commit") { $0 = kept }
    #expect(stateFailure { try site.ledger() } == nil)
  }
}

@Suite struct `Reading a ledger` {
  private func commit(_ ledger: Ledger, _ inputs: Range<UInt32>) throws {
    var commit = LedgerCommit(time: 5)
    commit.inputs = inputs.map { LedgerInput(id: $0, path: "/\($0)", phase: $0 % 2 == 0 ? .complete : .partial) }
    commit.parts = [LedgerPart(table: "skan_events", format: .jsonLines, number: 1)]
    commit.increments = [.read: Int64(inputs.count)]
    try ledger.commit(commit)
  }

  @Test func `shows the last commit, and nothing uncommitted, while another process writes`() throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    try commit(ledger, 0..<5)
    try ledger.database.execute("BEGIN IMMEDIATE; UPDATE counts SET value = 0")
    let reading = try Ledger.reading(site.state)
    #expect(reading.counts == [.read: 5])
    #expect(reading.inputs == [.complete: 3, .partial: 2])
    #expect(reading.parts.map(\.name) == ["part-00000001.jsonl"])
    #expect((reading.commits, reading.committedAt) == (1, 5))
    #expect(reading.settings == ["format": "jsonl"])
    try ledger.database.execute("ROLLBACK")
    try commit(ledger, 5..<6)
    #expect(try Ledger.reading(site.state, isVerified: true).counts == [.read: 6])
  }

  @Test(arguments: [false, true]) func `creates no file, with and without a write-ahead log`(
    _ hasLog: Bool
  ) throws {
    let site = try StateSite()
    try commit(try site.ledger(), 0..<1)
    #expect(try site.names(in: "state").contains("\(Ledger.name)-wal"))
    if !hasLog {
      try site.remove("state/\(Ledger.name)-wal")
      try site.remove("state/\(Ledger.name)-shm")
    }
    let before = try site.names(in: "state")
    #expect(try Ledger.reading(site.state).counts == [.read: 1])
    #expect(try site.names(in: "state") == before)
    #expect(stateFailure { try site.ledger() } == nil)
  }
}
