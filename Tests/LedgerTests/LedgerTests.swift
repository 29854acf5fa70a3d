@testable import DurableFiles
@testable import Ledger
import Foundation
import SKAdNetwork
import TestSupport
import Testing

@Suite struct `The ledger` {
  private let input = LedgerInput(
    id: 3,
    path: "/in/a “b”.jsonl",
    device: .max,
    inode: 1 << 63,
    storedBytes: 1 << 40,
    records: 12,
    digest: .max - 5,
    prefixDigest: 1,
    phase: .complete
  )

  private var part: LedgerPart {
    var part = LedgerPart(table: "skan_events", format: .csv, number: 2)
    (part.length, part.checksum, part.rows) = (1 << 33, .max, 7)
    return part
  }

  private func fullCommit() -> LedgerCommit {
    var commit = LedgerCommit(time: 1_700_000_000_123)
    commit.inputs = [input]
    commit.parts = [part]
    commit.seen = SeenMark(entries: 5, checksum: 0xFFFF_FFFE)
    commit.increments = [.read: 12, .rejected(.signatureInvalid): 1]
    return commit
  }

  private func holdsFullCommit(_ ledger: Ledger) throws {
    #expect(ledger.commits == 1)
    #expect(ledger.committedAt == 1_700_000_000_123)
    #expect(ledger.seen == SeenMark(entries: 5, checksum: 0xFFFF_FFFE))
    #expect(try ledger.input(path: input.path) == input)
    #expect(try ledger.parts() == [part])
    #expect(try ledger.counts() == [.read: 12, .rejected(.signatureInvalid): 1])
  }

  @Test func `counters keep the names that earlier states have`() {
    let counters: [LedgerCounter] = [
      .read, .accepted, .rejected, .rejected(.signatureInvalid), .reprocessed(.signatureInvalid),
      .rows(ofTable: "skan_postbacks"), .inputs(.done), .inputs(.failed), .inputs(.skipped),
    ]
    #expect(
      counters.map(\.name) == [
        "read", "accepted", "rejected", "reject.signature_invalid", "fed_back.signature_invalid",
        "rows.skan_postbacks", "inputs.done", "inputs.failed", "inputs.skipped",
      ]
    )
  }

  @Test func `returns what was committed, after an orderly end and after a crash`() throws {
    let site = try StateSite()
    var ledger: Ledger? = try site.ledger()
    let seed = ledger?.seed
    try ledger?.commit(fullCommit())
    try holdsFullCommit(try #require(ledger))
    let crashed = try site.crashed()
    ledger = nil
    for site in [site, crashed] {
      let again = try site.ledger()
      try holdsFullCommit(again)
      #expect(again.seed == seed)
    }
    #expect(try StateSite().ledger().seed != seed)
  }

  @Test func `replaces inputs and parts by newer ones, and adds up counts`() throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    try ledger.commit(fullCommit())
    var commit = LedgerCommit(time: 2)
    var (input, part) = (input, part)
    (input.path, input.records, input.digest, input.phase) = ("/in/done/a", 13, 9, .complete)
    (part.length, part.rows, part.phase) = (part.length + 10, 8, .complete)
    commit.inputs = [input, LedgerInput(id: 4, path: "/in/done/a", digest: 77)]
    commit.parts = [part, LedgerPart(table: "skan_events", format: .csv, number: 3)]
    commit.increments = [.read: 1, .accepted: 1]
    try ledger.commit(commit)
    #expect(try ledger.parts().map(\.number) == [2, 3])
    #expect(try ledger.parts().first == part)
    #expect(try ledger.parts().filter { $0.phase == .open }.map(\.number) == [3])
    #expect(try ledger.counts() == [.read: 13, .rejected(.signatureInvalid): 1, .accepted: 1])
    #expect(ledger.seen.entries == 5)
    #expect(try ledger.input(path: "/in/done/a")?.id == 4)
    #expect(try ledger.input(path: self.input.path) == nil)
    #expect(try ledger.input(device: .max, inode: 1 << 63) == input)
    #expect(try ledger.input(device: 0, inode: 1 << 63) == nil)
    #expect(try ledger.input(digest: 9, records: 13) == input)
    #expect(try ledger.input(digest: 9, records: 12) == nil)
    #expect(try ledger.nextInputID() == 5)
  }

  @Test func `can be opened without knowing its settings`() throws {
    let site = try StateSite()
    _ = try site.ledger(settings: ["format": "jsonl", "safe": "no"])
    #expect(try Ledger(existing: StateFolder(existing: site.state)).commits == 0)
    #expect(try Ledger.reading(site.state).settings == ["format": "jsonl", "safe": "no"])
    let other = try StateSite()
    #expect(stateFailure { try Ledger(existing: StateFolder(other.state)) }?.kind == .notFound)
    #expect(try other.names(in: "state") == ["lock"])
  }

  @Test(arguments: [
    ["format": "csv", "safe": "no"], ["format": "jsonl", "safe": "no", "more": "1"], ["safe": "no"],
  ]) func `refuses other settings, and names the first that differs`(_ settings: [String: String]) throws {
    let site = try StateSite()
    _ = try site.ledger(settings: ["format": "jsonl", "safe": "no"])
    let failure = try #require(stateFailure { try site.ledger(settings: settings) })
    #expect(failure.kind == .incompatible)
    #expect(failure.reason.contains(settings.count == 3 ? "more" : "format is “jsonl”"))
    #expect(stateFailure { try site.ledger(settings: ["safe": "no", "format": "jsonl"]) } == nil)
  }

  private enum Foreign: CaseIterable {
    case garbage, empty, truncated, page, removed
  }

  @Test(arguments: Foreign.allCases) private func `refuses a file that is not a ledger, and does not change it`(
    _ foreign: Foreign
  ) throws {
    let site = try StateSite()
    do {
      let ledger = try site.ledger()
      var index = SeenIndex()
      _ = try SeenLog.recover(ledger, into: &index)
      try ledger.commit(fullCommit())
    }
    let name = "state/\(Ledger.name)"
    switch foreign {
    case .garbage: try site.change(name) { $0 = Array("not a database at all\n".utf8) }
    case .empty: try site.change(name) { $0 = [] }
    case .truncated: try site.change(name) { $0.removeLast($0.count / 2) }
    // The last page: nothing but a check of everything looks at it.
    case .page: try site.change(name) { bytes in for index in bytes.indices.suffix(4096) { bytes[index] = 0xA5 } }
    case .removed: try site.remove(name)
    }
    let before = try? site.bytes(name)
    let failure = try #require(stateFailure { try site.ledger() })
    #expect(failure.kind == .damaged)
    #expect(failure.path.hasSuffix(Ledger.name))
    #expect((try? site.bytes(name)) == before)
  }

  @Test(arguments: ["application_id = 7", "user_version = 99"])
  func `refuses a database of another program or another version`(
    _ pragma: String
  ) throws {
    let site = try StateSite()
    try site.ledger().database.execute("PRAGMA \(pragma)")
    for failure in [stateFailure { try site.ledger() }, stateFailure { try Ledger.reading(site.state) }] {
      #expect(failure?.kind == .incompatible)
      #expect(failure?.reason.contains(pragma.suffix(1)) == true)
    }
  }

  @Test func `refuses work after a failed commit, which is rolled back`() throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    try ledger.commit(fullCommit())
    try ledger.database.execute("PRAGMA max_page_count = 20")
    var commit = LedgerCommit(time: 3)
    commit.increments = [.read: 1]
    commit.inputs = (10..<2000).map { LedgerInput(id: $0, path: "/in/\($0)") }
    #expect(stateFailure { try ledger.commit(commit) }?.kind == .diskFull)
    #expect(stateFailure { try ledger.commit(LedgerCommit(time: 4)) }?.kind == .diskFull)
    #expect(stateFailure { try ledger.counts() }?.kind == .diskFull)
    try holdsFullCommit(try site.crashed().ledger())
  }

  @Test func `keeps its write-ahead log short over many small commits, also after a long reading`() throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    func logBytes() throws -> Int { try site.bytes("state/\(Ledger.name)-wal").count }
    func commit(_ numbers: Range<UInt32>) throws {
      for number in numbers {
        var commit = LedgerCommit(time: 1)
        commit.inputs = [LedgerInput(id: number, path: "/in/\(number)", digest: UInt128(number) << 90)]
        commit.increments = [.read: 1]
        try ledger.commit(commit)
      }
    }
    try commit(0..<600)
    #expect(try logBytes() < 6 << 20)
    do {
      let reader = try SQLiteDatabase("\(site.state)/\(Ledger.name)", .reading)
      try reader.execute("BEGIN; SELECT * FROM inputs")
      try commit(600..<1800)
      #expect(try logBytes() > 8 << 20)
    }
    try commit(1800..<2000)
    #expect(try logBytes() <= 8 << 20)
  }

  @Test func `is not verified again after an orderly end, but after a crash or a change`() throws {
    let site = try StateSite()
    let folder = DurableFolder(site.state)
    do {
      let ledger = try site.ledger()
      try ledger.commit(fullCommit())
      #expect(try !CleanShutdownMarker.isLast(in: folder))
    }
    #expect(try CleanShutdownMarker.isLast(in: folder))
    #expect(try !CleanShutdownMarker.isLast(in: DurableFolder(try site.crashed().state)))
    var ledger: Ledger? = try site.ledger()
    try ledger?.commit(LedgerCommit(time: 3))
    #expect(try !CleanShutdownMarker.isLast(in: folder))
    ledger = nil
    #expect(try CleanShutdownMarker.isLast(in: folder))
    try site.change("state/\(Ledger.name)") { $0[$0.count - 1] ^= 1 }
    #expect(try !CleanShutdownMarker.isLast(in: folder))
    try site.change("state/\(CleanShutdownMarker.name)") { $0 = [0] }
    #expect(try !CleanShutdownMarker.isLast(in: folder))
  }

  @Test func `knows the lines of rejects that were taken up after others are removed`() throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    try ledger.database.execute("INSERT INTO feeds VALUES (1, '\(ledger.output.id)', 1, '', 1)")
    for line in [1, 3, 5, 6, 8, 9, 11, 20] {
      for part in 4...5 {
        try ledger.database.execute("INSERT INTO fed_back VALUES (\(part), \(line), 1, 'dump', \(line), x'00')")
      }
    }
    var removal = TableRemoval(table: "skan_rejects", reason: .retention)
    removal.rejectedLines = [(9, 2), (2, 3), (7, 1)].map { TableRemoval.Lines(part: 4, first: $0.0, count: $0.1) }
    var commit = LedgerCommit(time: 1)
    commit.removals = [removal]
    try ledger.commit(commit)
    let rows = try Ledger.reprocessedRows(of: ledger.output.id, in: ledger.database)
    #expect(rows == [4: [1, 2, 3, 4, 5, 14], 5: [1, 3, 5, 6, 8, 9, 11, 20]])
  }

  @Test func `keeps many inputs, and commits after a checkpoint of its log`() throws {
    let site = try StateSite()
    do {
      let ledger = try site.ledger()
      for start in stride(from: UInt32(0), to: 20_000, by: 1000) {
        var commit = LedgerCommit(time: 1)
        commit.inputs = (start..<start + 1000).map { LedgerInput(id: $0, path: "/in/\($0)", digest: UInt128($0)) }
        try ledger.commit(commit)
      }
    }
    let again = try site.crashed().ledger()
    #expect(try again.nextInputID() == 20_000)
    #expect(try again.input(digest: 4711, records: 0)?.path == "/in/4711")
    #expect(again.commits == 20)
  }
}
