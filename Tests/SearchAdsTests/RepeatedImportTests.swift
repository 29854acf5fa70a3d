import DurableFiles
import TestSupport
import Testing

@testable import SearchAds

/// Records without a token that are imported again, in the same file or in another one.
@Suite struct RepeatedImportTests {
  private static let dated = #"{"received_at":"2026-03-11T10:00:00Z","payload":{"attribution":true,"campaignId":1}}"#
  private static let bare = #"{"payload":{"attribution":true,"campaignId":2}}"#
  private static let token = #"{"token":"t","payload":{"attribution":true,"campaignId":3}}"#

  /// A journal to which files are imported one after the other, as `postback asa import` does.
  private struct Site {
    let folder: TemporaryFolder
    init() throws { folder = try TemporaryFolder() }

    /// Imports files, and returns the number of rows that count then.
    @discardableResult
    func rows(_ texts: String...) throws -> Int {
      let journal = try AttributionJournal(in: folder.path("out"))
      for text in texts {
        let file = AttributionFile(path: "a", bytes: Array(text.utf8))
        try journal.append(file.payloads { journal.standings[$0] != nil })
      }
      return journal.standings.count
    }
  }

  private static func lines(_ records: String..., end: String = "\n") -> String {
    records.map { $0 + end }.joined()
  }

  @Test func `records with a time are as many as in the file with most of them, however files are grouped`() throws {
    let a = Self.lines(Self.dated, Self.dated)
    let b = Self.lines(Self.dated, Self.token, Self.dated, Self.dated)
    for order in [[a, b], [b, a], [a, a, b, a]] {
      let (apart, together) = (try Site(), try Site())
      for text in order { try apart.rows(text) }
      #expect(try apart.rows() == 4)
      #expect(try together.rows(a, b) == 4 && together.rows(b, a) == 4)
      #expect(try apart.rows(a, b) == 4)
    }
  }

  @Test(arguments: ["\n", "\r\n"]) func `a file that has grown has its new records alone`(_ end: String) throws {
    let site = try Site()
    let first = Self.lines(Self.bare, Self.token, Self.bare, "broken", end: end)
    let second = first + Self.lines(Self.token, end: end)
    let third = second + Self.lines(Self.bare, Self.dated, Self.bare, end: end)
    #expect(try site.rows(first) == 4)
    #expect(try site.rows(second) == 4)
    #expect(try site.rows(third) == 7)
    #expect(try site.rows(first, second, third) == 7 && site.rows(third) == 7)
  }

  @Test(arguments: ["\n", "\r\n"]) func `a file may grow behind a last line without an end`(_ end: String) throws {
    let site = try Site()
    #expect(try site.rows(Self.bare) == 1)
    #expect(try site.rows(Self.bare + end) == 1)
    #expect(try site.rows(Self.bare + end + Self.bare) == 2)
  }

  @Test func `other files with equal records without a time are of other installs`() throws {
    let site = try Site()
    #expect(try site.rows(Self.lines(Self.bare, Self.bare, Self.token)) == 3)
    #expect(try site.rows(Self.lines(Self.bare, Self.bare, Self.dated)) == 6)
    #expect(try site.rows(Self.lines(Self.bare, Self.bare, Self.token)) == 6)
  }

  @Test func `a removed row does not make the others of a grown file new`() throws {
    let site = try Site()
    let text = Self.lines(Self.bare, Self.bare, Self.bare)
    try site.rows(text)
    let keys = try AttributionJournal(in: site.folder.path("out")).standings.keys.sorted()
    for key in keys {
      _ = try AttributionJournal.remove(AttributionSelection(tokens: [], keys: [key]), from: site.folder.path("out"))
      #expect(try site.rows(text + Self.lines(Self.token)) == 4)
    }
  }

  @Test func `records of a token file that has grown are malformed once`() throws {
    let texts = ["x\n{}\n", "x\n{}\n{\"token\":\"a\"}\ny\n"]
    let folder = try TemporaryFolder()
    for text in texts {
      let journal = try AttributionJournal(in: folder.path("out"))
      let file = AttributionFile(path: "a", bytes: Array(text.utf8))
      try journal.append(file.tokens({ journal.standings[$0] != nil }) { _ in })
    }
    #expect(try AttributionJournal(in: folder.path("out")).malformedCount == 3)
  }

  @Test func `the keys of older versions stay`() throws {
    let rows = try AttributionFile(path: "a", bytes: Array(Self.lines(Self.dated, Self.dated, Self.bare).utf8))
      .payloads { _ in false }
    let keys = [
      "94d6a99e4e6559992312ec2859ed9a94", "8204a23687df2702dd263cd881f77c76", "353787dfdd97a66e66ab8b3ba60a77b3",
    ]
    #expect(rows.map(\.key) == keys)
  }
}
