@testable import DurableFiles
@testable import Ledger
import Foundation
import PostbackVerification
import SKAdNetwork
import TestSupport
import Testing

extension `The segments of the seen log` {
  @Test func `do not have entries that are forgotten, and become smaller`() throws {
    let entries = seenEntries(0..<5000)
    let site = try site(entries)
    do {
      let ledger = try site.ledger()
      var index = SeenIndex()
      let log = try SeenLog.recover(ledger, into: &index, limit: 300)
      #expect(try log.forget(before: 1_003_500, in: ledger, limit: 3000) == 3000)
      #expect(try log.forget(before: 1_003_500, in: ledger) == 500)
      #expect(try log.forget(before: 1_003_500, in: ledger) == 0)
      #expect(index.count == 1500)
      #expect(try entries[3500...].allSatisfy { try admission($0, in: index) == .identical })
      #expect(try admission(entries[0], in: index) == .first)
      var tally = KeyTally()
      for entry in entries[..<3500] { tally.add(entry.seen.key) }
      #expect(ledger.state.retired == tally)
      let before = try segments(site)
      // Moving newer entries out of memory also trims the oldest segment.
      try log.append([entries[0]] + seenEntries(5000..<5400))
      try log.synchronize()
      try ledger.commit(LedgerCommit(of: log))
      try log.segments.add(upTo: ledger.seen) {}
      #expect(try !segments(site).contains { before.contains($0) && $0.hasPrefix("seen-0-") })
    }
    try check(site, Array(entries[3500...]) + [entries[0]] + seenEntries(5000..<5400), end: 5401)
    var status = stat()
    try #require(unsafe stat("\(site.state)/\(SeenLog.name)", &status) == 0)
    // 3500 entries have 41 whole blocks of 4 KiB, of which the first stays.
    let (blocks, size) = (Int(status.st_blocks), Int(status.st_size))
    #expect(blocks * 512 <= size - 40 * 4096 + 4096)
    #expect(try SeenLog.compact(try site.ledger(), before: 1_004_000).get() == 501)
    #expect(try site.ledger().forgotten == SeenMark())
    try check(site, Array(entries[4000...]) + seenEntries(5000..<5400))
  }

  @Test func `are not overtaken by what is forgotten while they are made`() throws {
    let count = 60_000
    let site = try StateSite()
    do {
      let ledger = try site.ledger()
      var index = SeenIndex()
      let log = try SeenLog.recover(ledger, into: &index, limit: 300)
      try log.append(seenEntries(0..<count))
      try log.synchronize()
      try ledger.commit(LedgerCommit(of: log))
      log.segments.request(upTo: Int64(count))
      try log.committed()
      while log.segments.isWorking, log.segments.end.entries == 0 { usleep(100) }
      repeat {
        _ = try log.forget(before: .max, in: ledger)
        #expect(ledger.state.forgotten.entries <= log.segments.end.entries)
      } while log.segments.isWorking
      try log.waitForSegments()
      _ = try log.forget(before: .max, in: ledger)
      #expect(ledger.state.forgotten.entries == count)
    }
    try check(site, [], end: Int64(count))
  }

  @Test func `end with the log that a compaction replaces`() throws {
    let entries = seenEntries(0..<3000)
    let site = try site(entries)
    try check(site, entries)
    #expect(try SeenLog.compact(try site.ledger(), before: 1_001_000).get() == 1000)
    #expect(try segments(site).isEmpty)
    try check(site, Array(entries[1000...]))
  }
}
