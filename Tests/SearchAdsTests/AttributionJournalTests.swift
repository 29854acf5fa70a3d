import DurableFiles
import JSON
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
