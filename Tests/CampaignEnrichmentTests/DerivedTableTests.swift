import DurableFiles
import Ledger
import Tables
import TestSupport
import Testing

@testable import CampaignEnrichment
@testable import DerivedTables

@Suite struct DerivedTableTests {
  private func rows(_ text: String) -> EncodedRows {
    var encoder = RowEncoder(.enriched, TableEncoding([.jsonLines]))
    var rows = encoder.take()
    rows.jsonLines = Array("{\"postback_key\":\"\(text)\"}\n".utf8)
    rows.count = 1
    return rows
  }

  @Test func `a table replaces the one before as a whole`() throws {
    let folder = try TemporaryFolder()
    let out = try DurableFolder(making: folder.path("out")).path
    for text in ["first", "second"] {
      let table = try DerivedTable(.enriched, TableEncoding([.jsonLines]), in: out, partBytes: 1)
      try table.append(rows(text))
      if text == "first" { try table.append(rows(text)) }
      let before = try DurableFolder("\(out)/skan_enriched").names()
      #expect(before.isEmpty == (text == "first"))
      try table.complete(summary: "{}")
    }
    #expect(try DurableFolder("\(out)/skan_enriched").names() == ["_summary.json", "part-00000001.jsonl"])
    #expect(try DurableFolder(out).names() == [".skan_enriched.lock", "skan_enriched"])
  }

  @Test func `what is not completed leaves the table as it was`() throws {
    let folder = try TemporaryFolder()
    let out = try DurableFolder(making: folder.path("out")).path
    try DerivedTable(.enriched, TableEncoding([.jsonLines, .csv]), in: out).complete(summary: "{}")
    do {
      let table = try DerivedTable(.enriched, TableEncoding([.jsonLines]), in: out)
      try table.append(rows("x"))
      #expect(throws: FileFailure.self) { try DerivedTable(.enriched, TableEncoding([.jsonLines]), in: out) }
    }
    let names = ["_summary.json", "part-00000001.csv", "part-00000001.jsonl"]
    #expect(try DurableFolder("\(out)/skan_enriched").names() == names)
    #expect(try DurableFolder(out).names() == [".skan_enriched.lock", "skan_enriched"])
  }

  @Test func `a folder with other files is not replaced`() throws {
    let folder = try TemporaryFolder()
    _ = try DurableFolder(making: folder.path("skan_enriched"))
    try folder.makeFile("skan_enriched/notes.txt")
    #expect(throws: FileFailure.self) { try DerivedTable(.enriched, TableEncoding([.jsonLines]), in: folder.path("")) }
    #expect(try DurableFolder(folder.path("skan_enriched")).names() == ["notes.txt"])
  }
}
