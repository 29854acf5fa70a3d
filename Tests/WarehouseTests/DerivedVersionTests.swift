import DurableFiles
import Ledger
import Reporting
import Tables
import TestSupport
import Testing

@testable import Warehouse

@Suite struct `The version of a derived table` {
  @Test func `is another one after the table was replaced`() throws {
    let folder = try TemporaryFolder()
    let output = folder.path("out")
    #expect(try DerivedVersion(of: .daily, in: output) == nil)
    try DerivedTable(.daily, TableEncoding([.jsonLines]), in: output).complete(summary: "{}")
    let first = try #require(try DerivedVersion(of: .daily, in: output))
    #expect(try first.isCurrent(in: output))
    #expect(try DerivedVersion(of: .daily, in: output)?.text == first.text)
    try DerivedTable(.daily, TableEncoding([.jsonLines]), in: output).complete(summary: "{}")
    #expect(try !first.isCurrent(in: output))
  }
}
