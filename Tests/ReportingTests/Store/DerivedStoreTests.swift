import DurableFiles
import Foundation
import JSON
import Ledger
import TestSupport
import Testing

@testable import CampaignEnrichment
@testable import CopySettlement
@testable import DailyReports
@testable import DerivedTables
@testable import Reporting
@testable import Tables

@Suite struct `The store of derived tables` {
  private let folder: TemporaryFolder
  private var output: String { folder.path("out") }

  init() throws {
    folder = try TemporaryFolder()
    _ = try DurableFolder(making: folder.path("out"))
  }

  /// Writes tables whose summary is a text into a new generation.
  private func begin(_ tables: [Table], _ text: String) throws -> DerivedGeneration {
    let generation = try DerivedGeneration(in: output)
    for table in tables {
      try DerivedTable(table, TableEncoding([.jsonLines]), in: generation.folder).complete(summary: text)
    }
    return generation
  }

  private func summary(_ table: Table, in place: String) throws -> String? {
    let path = "\(place)/\(table.name)/\(DerivedTable.summaryName)"
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    return String(decoding: try WholeFile.read(path, upTo: 1000).dropLast(), as: UTF8.self)
  }

  @Test func `knows the names of all tables but those of Apple Search Ads and of imports, which have one source each`()
  {
    let names = Table.derived.map(\.name)
    #expect(Set(DerivedStore.tableNames) == Set(names).subtracting(["asa_attributions", "skan_imported"]))
    #expect(DerivedStore.tableNames.count == names.count - 2)
  }

  @Test func `replaces all tables of a generation at once, and keeps the others`() throws {
    try begin([.settled, .enriched], "1").commit()
    let second = try begin([.settled, .daily], "2")
    #expect(try summary(.settled, in: output) == "1")
    #expect(try summary(.daily, in: output) == nil)
    try second.commit()
    #expect(try summary(.settled, in: output) == "2")
    #expect(try summary(.daily, in: output) == "2")
    #expect(try summary(.enriched, in: output) == "1")
  }

  @Test func `keeps what a reader reads, and removes it later`() throws {
    try begin([.settled], "1").commit()
    var reader: DerivedSnapshot? = try DerivedSnapshot(of: output)
    let place = try #require(reader?.folder)
    try begin([.settled], "2").commit()
    #expect(try summary(.settled, in: place) == "1")
    #expect(try summary(.settled, in: DerivedSnapshot(of: output).folder) == "2")
    reader = nil
    try begin([.enriched], "3").commit()
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  @Test func `stays as it was without a commit, and takes one writer at a time`() throws {
    try begin([.settled], "1").commit()
    do {
      let second = try begin([.settled], "2")
      #expect(throws: FileFailure.self) { try DerivedGeneration(in: output) }
      withExtendedLifetime(second) {}
    }
    #expect(try summary(.settled, in: output) == "1")
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(output)/_derived")
    #expect(names.sorted() == [".lock", "1", "current"])
  }

  @Test func `makes nothing anew at the path of an output that was moved away`() throws {
    let generation = try begin([.settled], "1")
    try FileManager.default.moveItem(atPath: output, toPath: folder.path("away"))
    #expect(throws: FileFailure.self) {
      try DerivedTable(.daily, TableEncoding([.jsonLines]), in: generation.folder).complete(summary: "1")
    }
    #expect(throws: FileFailure.self) { try generation.commit() }
    #expect(throws: FileFailure.self) { try DerivedGeneration(in: output) }
    #expect(!FileManager.default.fileExists(atPath: output))
  }

  @Test func `takes over the folders of a version without a store`() throws {
    for table in [Table.settled, .daily] {
      try DerivedTable(table, TableEncoding([.jsonLines]), in: output).complete(summary: "old")
    }
    try begin([.settled], "new").commit()
    #expect(try summary(.settled, in: output) == "new")
    #expect(try summary(.daily, in: output) == "old")
    #expect(try DurableFolder(output).target(ofLink: Table.daily.name) == "_derived/current/skan_daily")
  }

  @Test func `knows which files are not as they were committed, also those of earlier generations`() throws {
    try begin([.settled, .daily], "1").commit()
    try begin([.daily], "22").commit()
    let snapshot = try DerivedSnapshot(of: output)
    func changed() throws -> [String] { try snapshot.changedFiles().map { "\($0.table)/\($0.name)" } }
    #expect(try changed() == [] && snapshot.changedFiles(readsBytes: true).isEmpty)
    let summary = "skan_settled/\(DerivedTable.summaryName)"
    // Of summaries the bytes are always read.
    for text in ["2\n", "2"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: "\(snapshot.folder)/\(summary)"))
      #expect(try changed() == [summary])
    }
    try FileManager.default.removeItem(atPath: "\(snapshot.folder)/skan_daily")
    #expect(try changed() == ["skan_daily/\(DerivedTable.summaryName)", "skan_daily/part-00000001.jsonl", summary])
  }

  @Test func `remembers settings with the tables that were made with them`() throws {
    let expected = try {
      let generation = try begin([.settled], "1")
      generation.manifest.options = ["--currency": ["USD"], "--allow-credits": [""]]
      generation.manifest.inputs = ["settle": "a b c"]
      try generation.commit()
      return generation.manifest
    }()
    #expect(try DerivedSnapshot(of: output).manifest == expected)
    #expect(try DerivedGeneration(in: output).manifest == expected)
  }
}
