@testable import PostbackPipeline
@testable import DurableFiles
@testable import Ledger
@testable import Tables
import TestSupport
import Testing

@Suite struct `Damaged numbers in a ledger` {
  private static let columns = [
    "state.commits", "state.committed_at", "state.seen_entries", "state.retired_count", "state.pending_entries",
    "state.pending_count", "state.next_input", "state.put_away_inputs", "state.put_away_entries",
    "state.put_away_forgotten_entries", "state.seen_forgotten_entries", "inputs.stored_bytes", "inputs.records",
    "parts.number", "parts.length", "parts.rows",
  ]

  private func site() throws -> StateSite {
    let site = try StateSite()
    let ledger = try site.ledger()
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index)
    try log.append(seenEntries(0..<10))
    try log.synchronize()
    var commit = LedgerCommit(of: log)
    commit.inputs = [LedgerInput(id: 1, path: "/in/a")]
    commit.parts = [LedgerPart(table: "skan_events", format: .csv, number: 1)]
    commit.increments = [.read: 1]
    commit.compaction = .begin(SeenCompaction(mark: log.mark, dropped: KeyTally()))
    try ledger.commit(commit)
    return site
  }

  /// Does everything that a run and a check do with a ledger.
  private func use(_ site: StateSite) throws {
    let state = try PipelineState(site.state, settings: ["format": "jsonl"])
    _ = try state.ledger.input(path: "/in/a")
    let parts = try state.ledger.parts()
    for part in parts { _ = try PartFile.reopen(part, in: site.output) }
    try state.ledger.commit(LedgerCommit(time: 1))
  }

  @Test(arguments: columns, [Int64.min, -1, .max, 1 << 60]) func `are refused if they are out of range`(
    _ column: String,
    _ number: Int64
  ) throws {
    let site = try site()
    let names = column.split(separator: ".")
    try site.ledger().database.execute("UPDATE \(names[0]) SET \(names[1]) = \(number)")
    #expect(stateFailure { try use(site) }?.kind == .damaged)
    // Reading for a check or a status meets them too.
    if names[0] != "inputs" { #expect(stateFailure { try Ledger.reading(site.state) }?.kind == .damaged) }
  }

  @Test func `reserve no memory for entries that do not exist`() throws {
    let site = try site()
    try site.ledger().database.execute("UPDATE state SET seen_entries = 1 << 50, pending_entries = NULL")
    #expect(stateFailure { try use(site) }?.kind == .damaged)
  }

  @Test(arguments: ["seen", "put_away"]) func `are refused if more entries are forgotten than there are`(
    _ log: String
  ) throws {
    let site = try site()
    try site.ledger().database.execute(
      "UPDATE state SET \(log)_forgotten_entries = 1000, pending_entries = NULL"
    )
    #expect(stateFailure { try use(site) }?.kind == .damaged)
  }

  @Test func `stop new inputs if the last input number is taken`() throws {
    let site = try site()
    try site.ledger().database.execute("UPDATE inputs SET id = \(Int64.max)")
    #expect(stateFailure { try use(site) }?.kind == .incompatible)
  }
}
