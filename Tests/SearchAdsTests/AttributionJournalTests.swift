import Base
import DurableFiles
import JSON
import Tables
import TestSupport
import Testing

@testable import SearchAds

@Suite struct AttributionJournalTests {
  private func row(_ key: Int, _ outcome: AttributionOutcome, attempts: Int64 = 1) -> AttributionRow {
    AttributionRow(key: String(repeating: "\(key)", count: 32), outcome, attempts: attempts)
  }

  private func outcomes(_ journal: AttributionJournal) throws -> [AttributionOutcome] {
    var outcomes: [AttributionOutcome] = []
    try journal.forEach { outcomes.append($0.outcome) }
    return outcomes
  }

  @Test func `a payload replaces a failure, and nothing replaces a payload`() throws {
    let folder = try TemporaryFolder()
    let journal = try AttributionJournal(in: folder.path("out"))
    #expect(try journal.append([row(1, .notFound), row(2, .payload)]) == 2)
    #expect(try journal.append([row(1, .payload, attempts: 2), row(2, .tokenExpired), row(2, .payload)]) == 1)
    #expect(try outcomes(journal) == [.payload, .payload])
    #expect(try outcomes(AttributionJournal(in: folder.path("out"))) == [.payload, .payload])
  }

  private func payload(_ time: String?, campaign: Int, attribution: Bool = true, file: String = "a") -> AttributionRow {
    var row = row(1, .payload)
    row[.receivedAt] = time.map { .string($0) }
    row[.attribution] = .bool(attribution)
    row[.campaignID] = .integer(campaign)
    row[.sourceFile] = .string(file)
    return row
  }

  @Test func `of payloads the one that was received last counts, in any order`() throws {
    let newest = payload("2026-03-12T00:00:00Z", campaign: 3, attribution: false)
    let others = [payload(nil, campaign: 1), payload("2026-03-11T00:00:00Z", campaign: 2)]
    for rows in [
      [newest] + others, others + [newest], others.reversed() + [newest] + others, [others[1], newest, others[0]],
    ] {
      let folder = try TemporaryFolder()
      let journal = try AttributionJournal(in: folder.path("out"))
      for row in rows { try journal.append([row]) }
      #expect(journal.supersededCount == 2 && journal.newCount == 1)
      for journal in [journal, try AttributionJournal(in: folder.path("out"))] {
        var counted: [AttributionRow] = []
        try journal.forEach { counted.append($0) }
        #expect(counted == [newest])
      }
      let again = try AttributionJournal(in: folder.path("out"))
      #expect(try again.append(rows) == 0)
      #expect(again.supersededCount == 2 && again.newCount == 0)
    }
  }

  @Test(arguments: [nil, "2026-03-11T00:00:00Z"])
  func `of payloads of one time the same one counts in any order`(_ time: String?) throws {
    func counted(_ rows: [AttributionRow]) throws -> AttributionRow? {
      let folder = try TemporaryFolder()
      let journal = try AttributionJournal(in: folder.path("out"))
      for row in rows { try journal.append([row]) }
      #expect(journal.supersededCount == rows.count - 1)
      var counted: [AttributionRow] = []
      try journal.forEach { counted.append($0) }
      #expect(counted.count == 1)
      return counted.first
    }
    for campaign in 2..<20 {
      let rows = [payload(time, campaign: 1), payload(time, campaign: campaign, file: "b")]
      #expect(try counted(rows) == counted(rows.reversed()))
    }
    let (none, attributed) = (payload(time, campaign: 1, attribution: false), payload(time, campaign: 1))
    #expect(try counted([none, attributed]) == attributed)
    #expect(try counted([attributed, none]) == attributed)
    // The same payload in another file changes nothing.
    let folder = try TemporaryFolder()
    let journal = try AttributionJournal(in: folder.path("out"))
    #expect(try journal.append([attributed, payload(time, campaign: 1, file: "b")]) == 1)
    #expect(journal.supersededCount == 0)
  }

  @Test func `a payload does not come back when the one that replaced it is removed`() throws {
    let folder = try TemporaryFolder()
    let (out, newest) = (folder.path("out"), payload("2026-03-12T00:00:00Z", campaign: 3))
    try AttributionJournal(in: out).append([payload(nil, campaign: 1), newest])
    let selection = AttributionSelection(before: try #require(Timestamp("2026-03-20T00:00:00Z")))
    #expect(try AttributionJournal.remove(selection, from: out) == 2)
    #expect(try outcomes(AttributionJournal(in: out)).isEmpty)
  }

  @Test func `the last of several failures counts`() throws {
    let folder = try TemporaryFolder()
    let journal = try AttributionJournal(in: folder.path("out"))
    #expect(try journal.append([row(1, .notFound, attempts: 4), row(1, .unavailable, attempts: 8)]) == 2)
    #expect(try outcomes(journal) == [.unavailable])
    #expect(try journal.append([row(1, .tokenExpired, attempts: 8)]) == 1)
    #expect(try outcomes(journal) == [.tokenExpired])
  }

  @Test func `malformed records that another reading has no more are removed, and payloads stay`() throws {
    let folder = try TemporaryFolder()
    let journal = try AttributionJournal(in: folder.path("out"))
    #expect(try journal.append([row(1, .malformed), row(2, .payload), row(3, .malformed)]) == 3)
    try journal.removeMalformed([row(1, .payload).key, row(2, .payload).key])
    #expect(try outcomes(journal) == [.payload, .malformed])
    #expect(try journal.append([row(4, .payload), row(2, .payload)]) == 1)
    #expect(try outcomes(AttributionJournal(in: folder.path("out"))) == [.payload, .malformed, .payload])
  }

  @Test func `the number of malformed records follows each change`() throws {
    let folder = try TemporaryFolder()
    let journal = try AttributionJournal(in: folder.path("out"))
    try journal.append([1, 2, 3, 1].map { row($0, .malformed) } + [row(4, .payload)])
    #expect(journal.malformedCount == 3)
    try journal.append([row(1, .payload), row(4, .malformed)])
    #expect(journal.malformedCount == 2)
    #expect(try AttributionJournal(in: folder.path("out")).malformedCount == 2)
    try journal.removeMalformed([row(1, .malformed).key, row(2, .malformed).key])
    #expect(journal.malformedCount == 1)
  }

  @Test func `a last line that is cut is removed, wherever it is cut`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("out/_asa/journal.jsonl")
    _ = try AttributionJournal(in: folder.path("out")).append([row(1, .payload), row(2, .payload)])
    let whole = try WholeFile.read(path, upTo: 1 << 20)
    let first = try #require(whole.firstIndex(of: UInt8(ascii: "\n"))) + 1
    for length in first..<whole.count {
      try WholeFile.replace(path, with: Array(whole[..<length]))
      let journal = try AttributionJournal(in: folder.path("out"))
      #expect(try journal.append([row(3, .payload)]) == 1)
      #expect(try outcomes(AttributionJournal(in: folder.path("out"))).count == 2)
    }
  }

  @Test func `a line within that is no row is an error`() throws {
    let folder = try TemporaryFolder()
    _ = try AttributionJournal(in: folder.path("out")).append([row(1, .payload)])
    let path = folder.path("out/_asa/journal.jsonl")
    let whole = try WholeFile.read(path, upTo: 1 << 20)
    try WholeFile.replace(path, with: Array("{}\n".utf8) + whole)
    #expect(throws: FileFailure.self) { try AttributionJournal(in: folder.path("out")) }
  }
}
