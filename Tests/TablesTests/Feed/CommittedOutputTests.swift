@testable import Ledger
@testable import Tables
import DurableFiles
import TestSupport
import Testing

@Suite struct `The files of an output at one moment` {
  private func files(_ site: FeedSite) throws -> [StoredFiles.File] {
    let output = try CommittedOutput(site.site.output, state: site.site.state)
    guard case .parts(_, let files) = try output.files(of: FeedSite.table) else { return [] }
    return files
  }

  @Test(arguments: TableFormat.allCases) func `have the committed rows of hidden parts, and no others`(
    _ format: TableFormat
  ) throws {
    let site = try FeedSite([format])
    #expect(try files(site).isEmpty)
    try site.write(5, rolls: true)
    try site.write(3)
    try site.append(4)
    let found = try files(site)
    #expect(found.map(\.rowCount) == [5, 3])
    #expect(found.map(\.isComplete) == [true, false])
    #expect(found[1].path.hasSuffix("/.part-00000002.\(format.rawValue).inprogress"))
    #expect(found[1].completePath.hasSuffix("/part-00000002.\(format.rawValue)"))
    #expect(found[0].header == (format == .csv ? FeedSite.table.columnNames : []))
  }

  @Test func `have a complete part that a crash has left hidden`() throws {
    let site = try FeedSite()
    try site.append(5)
    try site.commit(rolls: true, publishes: false)
    #expect(try files(site).map(\.isComplete) == [false])
  }

  @Test func `leave out parts without rows`() throws {
    let site = try FeedSite([.csv])
    try site.append(0)
    try site.commit(rolls: true)
    try site.write(2, rolls: true)
    #expect(try files(site).map(\.rowCount) == [2])
  }

  @Test func `are an error where one is gone, and where the state is of another output`() throws {
    let site = try FeedSite()
    try site.write(5, rolls: true)
    let other = try FeedSite()
    #expect(
      stateFailure { try CommittedOutput(other.site.output, state: site.site.state) }?.kind == .incompatible
    )
    try site.site.remove("out/\(FeedSite.table.name)/part-00000001.jsonl")
    #expect(stateFailure { try files(site) }?.kind == .notFound)
    #expect(stateFailure { try CommittedOutput(site.site.output, state: "/nonexistent") }?.kind == .notFound)
  }
}
