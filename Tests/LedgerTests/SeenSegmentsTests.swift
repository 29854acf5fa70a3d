@testable import DurableFiles
@testable import Ledger
import Foundation
import PostbackVerification
import SKAdNetwork
import TestSupport
import Testing

@Suite struct `The segments of the seen log` {
  /// A state with committed entries.
  func site(_ entries: [SeenEntry]) throws -> StateSite {
    let site = try StateSite()
    let ledger = try site.ledger()
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index)
    try log.append(entries)
    try log.synchronize()
    try ledger.commit(LedgerCommit(of: log))
    return site
  }

  /// The admission of one entry, which is looked for first, as in a run.
  func admission(_ entry: SeenEntry, in index: SeenIndex) throws -> RecentIndex.Admission? {
    let found = try index.find([entry.seen.key])
    if let first = found.entries.first ?? nil { return entry.seen.admission(after: first) }
    return try index.admit([.init(entry.seen, searchedUpTo: found.end)]).first
  }

  /// Recovers the state, and expects that it has these entries and no others.
  func check(_ site: StateSite, _ entries: [SeenEntry], end: Int64? = nil) throws {
    var index = SeenIndex()
    let log = try SeenLog.recover(try site.ledger(), into: &index, limit: 300)
    #expect(index.count == entries.count)
    #expect(try index.find(entries.map(\.seen.key)).entries.map { $0?.resend } == entries.map(\.seen.resend))
    #expect(try entries.filter { try admission($0, in: index) != .identical } == [])
    let others = seenEntries(1_000_000..<1_000_500)
    #expect(try others.filter { try admission($0, in: index) != .first } == [])
    #expect(try others.filter { try admission($0, in: index) != .identical } == [])
    #expect(log.mark.entries == end ?? Int64(entries.count))
  }

  func segments(_ site: StateSite) throws -> [String] {
    try site.names(in: "state").filter { SeenSegments.isSegment($0) }
  }

  @Test(arguments: [0, 1, 599, 600, 601, 5000, 40_000]) func `recognise every entry, and no other`(_ count: Int) throws
  {
    let entries = seenEntries(0..<count)
    let site = try site(entries)
    try check(site, entries)
    let names = try segments(site)
    #expect(names.isEmpty == (count < 600))
    #expect(names.count < 10)
    // This time they are there already.
    try check(site, entries)
    #expect(try segments(site) == names)
    var keys = KeyTally()
    for entry in entries { keys.add(entry.seen.key) }
    let mark = try Ledger.reading(site.state).seen
    let found = try SeenSegments(DurableFolder(site.state), from: SeenMark(), to: mark.entries, isReading: true)
    if count >= 600 { #expect(try found.keys() == keys && found.end == mark) }
  }

  @Test func `are looked for again behind the position up to which a postback was`() throws {
    let entries = seenEntries(0..<2000)
    let site = try site(entries)
    var index = SeenIndex()
    _ = try SeenLog.recover(try site.ledger(), into: &index, limit: 300)
    #expect(try index.find(seenEntries(5000..<5001).map(\.seen.key)).end == 2000)
    let candidates = entries.enumerated().map { SeenIndex.Candidate($1.seen, searchedUpTo: Int64($0)) }
    #expect(try index.admit(candidates) == entries.map { _ in .identical })
    #expect(index.count == 2000)
  }

  @Test func `of version 1 are read on, without digests of resends`() throws {
    let entries = seenEntries(0..<3000)
    let site = try site(entries)
    try check(site, entries)
    let names = try segments(site)
    for name in names {
      let old = try Self.version1(try site.bytes("state/\(name)"))
      try site.change("state/\(name)") { $0 = old }
    }
    do {
      var index = SeenIndex()
      _ = try SeenLog.recover(try site.ledger(), into: &index, limit: 300)
      #expect(try index.find(entries.map(\.seen.key)).entries.allSatisfy { $0 != nil && $0?.resend == nil })
      #expect(try entries.allSatisfy { try admission($0, in: index) == .identical })
      #expect(try segments(site) == names)
    }
    // Merged ones have the digests of the newer entries.
    let more = seenEntries(3000..<9000)
    var index = SeenIndex()
    let ledger = try site.ledger()
    let log = try SeenLog.recover(ledger, into: &index, limit: 300)
    try log.append(more)
    try log.synchronize()
    try ledger.commit(LedgerCommit(of: log))
    try log.segments.add(upTo: ledger.seen) {}
    let found = try SeenSegments(DurableFolder(site.state), from: SeenMark(), to: 9000, limit: 300, isReading: true)
    #expect(found.current.segments.allSatisfy { $0.footer.hasResends || $0.footer.end.entries <= 3000 })
    #expect(found.current.segments.contains { $0.footer.hasResends && $0.footer.first < 3000 })
    index = SeenIndex(RecentIndex(), found, end: 9000, ResendKey(), forgotten: ForgottenIDs())
    #expect(try index.find(more.map(\.seen.key)).entries.map { $0?.resend } == more.map(\.seen.resend))
  }

  /// Rewrites a segment in the form of version 1, whose entries have 28 bytes.
  private static func version1(_ bytes: [UInt8]) throws -> [UInt8] {
    func words(_ bytes: ArraySlice<UInt8>) -> [UInt64] {
      let bytes = Array(bytes)
      return stride(from: 0, to: bytes.count, by: 8).map { start in
        (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
      }
    }
    func text(_ words: [UInt64]) -> [UInt8] {
      words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) } }
    }
    let end = bytes.count - Int(SegmentFooter.byteCount)
    let footer = try #require(SegmentFooter(words(bytes[end...])))
    let entries = (0..<Int(footer.entryCount)).map { Array(bytes[36 * $0..<36 * $0 + 28]) }
    var directory = words(bytes[Int(footer.directoryStart)..<Int(footer.filterStart)])
    for bucket in 0..<footer.bucketCount {
      let (first, last) = (Int(directory[bucket] & 0xFFFF_FFFF), Int(directory[bucket + 1] & 0xFFFF_FFFF))
      let checksum = unsafe Array(entries[first..<last].joined()).withUnsafeBytes { unsafe SeenSegment.checksum($0) }
      directory[bucket] = UInt64(first) | checksum << 32
    }
    let filter = words(bytes[Int(footer.filterStart)..<end])
    var old = footer
    (old.hasResends, old.checksum) = (false, SegmentFooter.checksum(directory, filter))
    return Array(entries.joined()) + bytes[Int(footer.numbersStart)..<Int(footer.directoryStart)]
      + text(directory + filter + old.words.map { UInt64(littleEndian: $0) })
  }

  @Test func `tell copies from conflicts, also of fields that do not fit into an entry`() throws {
    let entries = seenEntries(0..<2000)
    let site = try site(entries)
    var index = SeenIndex()
    _ = try SeenLog.recover(try site.ledger(), into: &index, limit: 300)
    for entry in entries {
      var other = entry
      other.seen = .init(key: entry.seen.key, content: entry.seen.content, number: (entry.seen.number ?? 0) + 1)
      let admission = try admission(other, in: index)
      guard case .conflict = admission else {
        Issue.record("\(admission)")
        return
      }
      let content = SortedSegment.Content(digest: ~entry.seen.content.digest, unsigned: entry.seen.content.unsigned)
      other.seen = .init(key: entry.seen.key, content: content, number: entry.seen.number)
      #expect(try self.admission(other, in: index) == .transaction)
    }
  }

  @Test func `take over committed entries while more are admitted`() throws {
    let site = try site([])
    let entries = seenEntries(0..<6000)
    do {
      let ledger = try site.ledger()
      var index = SeenIndex()
      let log = try SeenLog.recover(ledger, into: &index, limit: 500)
      for start in stride(from: 0, to: entries.count, by: 100) {
        let batch = Array(entries[start..<start + 100])
        #expect(try batch.allSatisfy { try admission($0, in: index) == .first })
        try log.append(batch)
        if start % 300 == 0 {
          try log.synchronize()
          try ledger.commit(LedgerCommit(of: log))
          try log.committed()
        }
        if start % 1000 == 0 { while log.segments.isWorking { usleep(1000) } }
        #expect(try entries[..<(start + 100)].allSatisfy { try admission($0, in: index) == .identical })
      }
      while log.segments.isWorking { usleep(1000) }
      #expect(log.segments.end.entries > 3000)
      #expect(log.segments.end.entries <= ledger.seen.entries)
      try log.synchronize()
      try ledger.commit(LedgerCommit(of: log))
    }
    #expect(try !segments(site).isEmpty)
    try check(site, entries)
  }

  private enum Leftover: CaseIterable {
    case unfinished, parts, uncommitted, footer, otherLog, gap
  }

  @Test(arguments: Leftover.allCases) private func `are made anew if a crash or a copy left something else`(
    _ leftover: Leftover
  ) throws {
    let entries = seenEntries(0..<5000)
    let site = try site(entries)
    try check(site, entries)
    let names = try segments(site)
    let first = try #require(names.first { $0.hasPrefix("seen-0-") })
    switch leftover {
    case .unfinished: try site.change("state/\(first).new") { $0 = [1, 2, 3] }
    case .parts:
      let shorter = try self.site(Array(entries[..<700]))
      try check(shorter, Array(entries[..<700]))
      for name in try segments(shorter) {
        let bytes = try shorter.bytes("state/\(name)")
        try site.change("state/\(name)") { $0 = bytes }
      }
    case .uncommitted, .otherLog:
      let other = try self.site(seenEntries(leftover == .otherLog ? 1..<5001 : 0..<9000))
      var index = SeenIndex()
      _ = try SeenLog.recover(try other.ledger(), into: &index, limit: 300)
      for name in names { try site.remove("state/\(name)") }
      for name in try segments(other) {
        let bytes = try other.bytes("state/\(name)")
        try site.change("state/\(name)") { $0 = bytes }
      }
    case .footer: try site.change("state/\(first)") { $0[$0.count - 20] ^= 1 }
    case .gap: try site.remove("state/\(first)")
    }
    try check(site, entries)
    let now = try segments(site)
    #expect(now.allSatisfy { $0.hasSuffix(SeenSegments.suffix) && !$0.hasSuffix("-9000.index") })
    try check(site, entries)
    #expect(try segments(site) == now)
  }

  @Test func `have the same entries in memory as on disk`() throws {
    let entries = seenEntries(0..<5000)
    let site = try site(entries)
    try check(site, entries)
    let others = seenEntries(5000..<9000)
    for name in try segments(site) {
      let segment = try SeenSegment(DurableFolder(site.state), name)
      let inMemory = try segment.allEntries()
      var found = 0
      for key in (entries + others).map(\.seen.key) {
        let entry = try segment.find(key, in: nil)
        let same = try segment.find(key, in: inMemory)
        #expect(same?.seen == entry?.seen && same?.position == entry?.position)
        if entry != nil { found += 1 }
      }
      #expect(Int64(found) == segment.footer.entryCount)
    }
  }

  @Test func `have all entries on their way to them once the log has settled`() throws {
    let site = try site([])
    let entries = seenEntries(0..<900)
    let ledger = try site.ledger()
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index, limit: 500)
    try log.waitForSegments()
    #expect(log.segments.end.entries == 0)
    #expect(try entries.allSatisfy { try admission($0, in: index) == .first })
    try log.append(entries)
    try log.synchronize()
    try ledger.commit(LedgerCommit(of: log))
    try log.committed()
    try log.waitForSegments()
    #expect(log.segments.end.entries == 900)
    // One segment of more than the limit, and no small one beside it.
    #expect(try segments(site) == ["seen-0-900.index"])
  }

  @Test(arguments: [true, false]) func `are never believed if a bucket is damaged`(ofTheNewest: Bool) throws {
    let entries = seenEntries(0..<5000)
    let site = try site(entries)
    try check(site, entries)
    let name = try #require(
      try segments(site).first { ofTheNewest ? $0.hasSuffix("-5000.index") : $0.hasPrefix("seen-0-") }
    )
    try site.change("state/\(name)") { $0[1000] ^= 1 }
    let failure = try #require(stateFailure { try check(site, entries) })
    #expect(failure.kind == .damaged && failure.path.hasSuffix(name) && failure.reason.contains("Remove it"))
    try site.remove("state/\(name)")
    try check(site, entries)
  }

  @Test func `do not hide damage of the log behind them`() throws {
    let site = try site(seenEntries(0..<1000))
    try check(site, seenEntries(0..<1000))
    try site.change("state/\(SeenLog.name)") { $0.removeLast(48) }
    #expect(stateFailure { try check(site, seenEntries(0..<1000)) }?.kind == .damaged)
  }
}
