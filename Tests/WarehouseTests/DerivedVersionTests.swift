import CampaignEnrichment
import DailyReports
import DerivedTables
import DurableFiles
import Ledger
import Tables
import TestSupport
import Testing

@testable import Warehouse

@Suite struct `The version of a derived table` {
  private func version(in output: String) throws -> DerivedVersion? {
    try DerivedVersion(of: .daily, in: DerivedSnapshot(of: output))
  }

  private func replace(_ table: Table, in output: String) throws {
    let generation = try DerivedGeneration(in: output)
    try DerivedTable(table, TableEncoding([.jsonLines]), in: generation.folder).complete(summary: "{}")
    try generation.commit()
  }

  @Test func `is another one after the table was replaced, and not after another table was`() throws {
    let folder = try TemporaryFolder()
    let output = try DurableFolder(making: folder.path("out")).path
    #expect(try version(in: output) == nil)
    try replace(.daily, in: output)
    let first = try #require(try version(in: output))
    try replace(.enriched, in: output)
    #expect(try version(in: output)?.text == first.text)
    try replace(.daily, in: output)
    #expect(try version(in: output)?.text != first.text)
    // A version that is being read stays as it is.
    #expect(try first.isCurrent())
  }

  @Test func `of a table that no store has is not current once it was replaced`() throws {
    let folder = try TemporaryFolder()
    let output = try DurableFolder(making: folder.path("out")).path
    try DerivedTable(.daily, TableEncoding([.jsonLines]), in: output).complete(summary: "{}")
    let first = try #require(try version(in: output))
    #expect(try first.isCurrent())
    try DerivedTable(.daily, TableEncoding([.jsonLines]), in: output).complete(summary: "{}")
    #expect(try !first.isCurrent())
  }
}
