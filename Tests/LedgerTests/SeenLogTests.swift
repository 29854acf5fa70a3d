@testable import DurableFiles
@testable import Ledger
@testable import PostbackVerification
import Foundation
import TestSupport
import Testing

@Suite struct `The seen log` {
  private let name = "state/\(SeenLog.name)"

  /// A state with committed entries, followed by uncommitted ones.
  private func site(committed: Int, loose: Int = 0) throws -> StateSite {
    let site = try StateSite()
    let ledger = try site.ledger()
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index)
    try log.append(seenEntries(0..<committed / 2))
    try log.append(seenEntries(committed / 2..<committed))
    try log.synchronize()
    try ledger.commit(LedgerCommit(of: log))
    try log.append(seenEntries(committed..<committed + loose))
    try log.synchronize()
    return site
  }

  private func recovered(_ site: StateSite) throws -> SeenIndex {
    var index = SeenIndex()
    _ = try SeenLog.recover(try site.ledger(), into: &index)
    return index
  }

  @Test func `returns every committed entry, and truncates the rest`() throws {
    let site = try site(committed: 200_000, loose: 7)
    let index = try recovered(site)
    #expect(index.count == 200_000)
    #expect(try site.bytes(name).count == 16 + 200_000 * 48)
  }

  @Test func `has the documented layout of an entry`() throws {
    let site = try site(committed: 1)
    let seen = RecentIndex.Seen(
      key: PostbackKey(high: 0x0102_0304_0506_0708, low: 9),
      content: SortedSegment.Content(digest: 0xA1A2_A3A4, unsigned: 0x7102_0304),
      number: nil
    )
    let entry = SeenEntry(seen, inputID: 11, seenAt: 12, line: 13)
    let ledger = try site.ledger()
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index)
    try log.append([entry])
    let bytes = try site.bytes(name)
    #expect(Array(bytes[..<16]) == Array("pbseen".utf8) + [0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    #expect(
      Array(bytes.suffix(48)) == [
        8, 7, 6, 5, 4, 3, 2, 1, 9, 0, 0, 0, 0, 0, 0, 0, 0xA4, 0xA3, 0xA2, 0xA1, 4, 3, 2, 0x71,
        0, 0, 0, 0, 0, 0, 0, 0x80, 11, 0, 0, 0, 12, 0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0,
      ]
    )
    var later = entry
    later.seen = .init(key: seen.key, content: .init(digest: 1, unsigned: 2, resend: 0x0A0B), number: nil)
    later.line = 0
    try log.append([later])
    #expect(
      Array(try site.bytes(name).suffix(32)) == [
        1, 0, 0, 0, 2, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x80, 11, 0, 0, 0, 12, 0, 0, 0, 0x0B, 0x0A, 0, 0, 0, 0, 0, 0,
      ]
    )
    for entry in seenEntries(0..<20) + [entry, later] {
      var words: [UInt64] = [0]
      entry.append(to: &words)
      #expect(SeenEntry(words.span, at: 1) == entry)
    }
  }

  @Test(arguments: [0, 7, 8, 15, 16, 40, 48, 60, 16 + 48 * 99, 16 + 48 * 100 - 1])
  func `is refused with any byte changed`(_ offset: Int) throws {
    let site = try site(committed: 100, loose: 1)
    try site.change(name) { $0[offset] ^= 1 }
    let failure = try #require(stateFailure { try recovered(site) })
    #expect(failure.kind == ((8..<16).contains(offset) ? .incompatible : .damaged))
    #expect(failure.path.hasSuffix(SeenLog.name))
  }

  @Test func `ignores bytes after the committed entries`() throws {
    let site = try site(committed: 100, loose: 2)
    try site.change(name) { bytes in
      bytes[16 + 48 * 100] ^= 1
      bytes.removeLast(50)
    }
    #expect(try recovered(site).count == 100)
    #expect(try site.bytes(name).count == 16 + 48 * 100)
  }

  @Test(arguments: [0, 10, 16, 64, 16 + 48 * 99, 16 + 48 * 100 - 1]) func `is refused if it is truncated`(
    _ byteCount: Int
  ) throws {
    let site = try site(committed: 100)
    try site.change(name) { $0.removeLast($0.count - byteCount) }
    #expect(stateFailure { try recovered(site) }?.kind == .damaged)
    #expect(try site.bytes(name).count == byteCount)
  }

  @Test func `is refused if it is missing, and created if it had no entries`() throws {
    let full = try site(committed: 2)
    try full.remove(name)
    #expect(stateFailure { try recovered(full) }?.kind == .damaged)
    let empty = try site(committed: 0)
    try empty.remove(name)
    #expect(try recovered(empty).count == 0)
  }

  @Test func `continues after its last entry`() throws {
    let site = try site(committed: 10, loose: 3)
    do {
      let ledger = try site.ledger()
      var index = SeenIndex()
      let log = try SeenLog.recover(ledger, into: &index)
      try log.append(seenEntries(100..<105))
      try log.synchronize()
      try ledger.commit(LedgerCommit(of: log))
    }
    #expect(try recovered(site).count == 15)
  }
}
