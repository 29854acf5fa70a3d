@testable import DurableFiles
@testable import Ledger
@testable import PostbackVerification
@testable import Tables
import Foundation
import TestSupport
import Testing

@Suite struct `The check of the state` {
  private let postbacks = Table.postbacks.name

  /// A state with a complete and an open part of `skan_postbacks` in each format, and their log.
  private func site(rows: Range<Int> = 0..<40, seen: Range<Int> = 0..<40) throws -> StateSite {
    let site = try StateSite()
    let ledger = try site.ledger()
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index)
    try log.append(seenEntries(seen))
    try log.synchronize()
    var commit = LedgerCommit(of: log)
    for format in TableFormat.allCases {
      for (number, rows) in [rows.prefix(25), rows.dropFirst(25)].enumerated() {
        let file = try PartFile.create(
          LedgerPart(table: postbacks, format: format, number: number + 1),
          in: site.output
        )
        let table = Table(
          name: postbacks,
          description: "",
          columns: [ColumnName.postbackKey, .found].map { Column($0, .text(TextForm()), .required, "") }
        )
        var encoder = RowEncoder(table, TableEncoding([format]))
        for entry in seenEntries(rows) {
          encoder.plain(.postbackKey, upTo: PostbackKey.length) { entry.seen.key.write(to: &$0) }
          encoder.text(.found, "a \"quoted\" text,\r\nof 2 lines")
          encoder.endRow()
        }
        let encoded = encoder.take()
        let bytes = format == .csv ? table.csvHeader + encoded.csv : encoded.jsonLines
        try file.append(bytes, checksum: CRC32(of: bytes).value, rows: rows.count)
        try file.synchronize()
        if number == 0 { file.complete() }
        commit.parts.append(file.part)
        if number == 0 { try file.publish() }
      }
    }
    try ledger.commit(commit)
    return site
  }

  private func check(_ site: StateSite) throws -> StateCheck {
    StateCheck(output: site.output, state: try StateFolder(existing: site.state))
  }

  @Test func `finds nothing in an undamaged state, also with uncommitted bytes`() throws {
    let site = try site()
    #expect(try check(site).problems == [])
    #expect(try check(site).notes == [])
    try site.change("state/\(SeenLog.name)") { $0.append(1) }
    try site.change("out/\(postbacks)/.part-00000002.csv.inprogress") { $0.append(1) }
    #expect(try check(site).problems == [])
  }

  @Test(arguments: [
    "out/skan_postbacks/part-00000001.jsonl", "out/skan_postbacks/part-00000001.csv",
    "out/skan_postbacks/.part-00000002.jsonl.inprogress", "out/skan_postbacks/.part-00000002.csv.inprogress",
    "state/seen.log", "state/ledger.sqlite",
  ]) func `names the one file that is damaged, cut, or gone`(_ name: String) throws {
    for change in [0, 1, 2] {
      let site = try site()
      if change == 0 { try site.change(name) { $0[$0.count / 2 - 1] ^= 0xFF } }
      // Of a database whole pages: of the last it takes what is not there for zeros.
      if change == 1 { try site.change(name) { $0.removeLast(name.hasSuffix("sqlite") ? 8192 : 1) } }
      if change == 2 { try site.remove(name) }
      // Without a ledger there is no state at all.
      if change == 2, name == "state/ledger.sqlite" { continue }
      // What is in the middle of an empty page SQLite does not look at; the page of the tables it does.
      if change == 0, name == "state/ledger.sqlite" { try site.change(name) { $0[105] ^= 0xFF } }
      let problems = try check(site).problems
      #expect(problems.count == 1, "\(change)")
      #expect(problems.first?.contains("/\(name): ") == true, "\(change)")
    }
  }

  @Test func `reports files that the ledger does not know, and complete ones as damage`() throws {
    let site = try site()
    try site.change("out/\(postbacks)/part-00000007.csv") { $0 = [1] }
    try site.change("out/\(postbacks)/.part-00000008.csv.inprogress") { $0 = [1] }
    try site.change("out/\(postbacks)/_SUCCESS") { $0 = [1] }
    try site.change("out/\(postbacks)/part-00000002.jsonl") { $0 = [1] }
    let check = try check(site)
    #expect(check.problems.count == 2)
    #expect(check.problems.contains { $0.contains("/part-00000007.csv: ") })
    #expect(check.problems.contains { $0.contains("/part-00000002.jsonl: ") })
    #expect(check.notes.count == 1)
  }

  @Test func `lets readers begin unless a complete part is unknown to the ledger, also while one is published`() throws
  {
    let site = try site()
    let before = try Ledger.reading(site.state)
    func refusal(_ reading: LedgerReading?) -> FileFailure? {
      stateFailure {
        guard let reading else {
          _ = try OutputFolder.reading(site.output, state: site.state)
          return
        }
        try OutputFolder.refuseUnknownParts(in: site.output, of: site.state, reading)
      }
    }
    try site.change("out/\(postbacks)/.part-00000008.csv.inprogress") { $0 = [1] }
    #expect(refusal(before) == nil && refusal(nil) == nil)
    // The state knows the part as an open one, and has fewer of its rows.
    try site.change("out/\(postbacks)/part-00000002.csv") { $0 = [1] }
    #expect(refusal(before)?.description.contains("\(postbacks)/part-00000002.csv") == true)
    try site.remove("out/\(postbacks)/part-00000002.csv")
    let file = try PartFile.create(LedgerPart(table: postbacks, format: .csv, number: 9), in: site.output)
    file.complete()
    try file.publish()
    #expect(refusal(before)?.description.contains("\(postbacks)/part-00000009.csv") == true)
    let ledger = try site.ledger()
    var index = SeenIndex()
    var commit = LedgerCommit(of: try SeenLog.recover(ledger, into: &index))
    commit.parts.append(file.part)
    try ledger.commit(commit)
    #expect(refusal(before) == nil && refusal(nil) == nil)
  }

  @Test(arguments: [(0..<40, 0..<39), (0..<40, 1..<41), (0..<39, 0..<40), (0..<0, 0..<1)])
  func `finds that the log and the rows have different postbacks`(_ rows: Range<Int>, _ seen: Range<Int>) throws {
    let problems = try check(try site(rows: rows, seen: seen)).problems
    // One a format.
    #expect(problems.count == 2)
    #expect(problems.allSatisfy { $0.contains("/\(SeenLog.name): The log has \(seen.count) postbacks") })
  }

  @Test func `accounts for dropped entries, also of an unfinished compaction`() throws {
    let site = try site()
    var crashes: [StateSite] = []
    do {
      let ledger = try site.ledger()
      #expect(try SeenLog.compact(ledger, before: 1_000_010).get() == 10)
      let compaction = try SeenCompaction(ledger, before: 1_000_020)
      try compaction.begin(in: ledger)
      crashes.append(try site.crashed())
      try SeenCompaction.replace(in: DurableFolder(site.state))
      crashes.append(try site.crashed())
      try SeenCompaction.finish(ledger)
    }
    #expect(try check(site).problems == [])
    for crash in crashes {
      #expect(try check(crash).problems == [])
      #expect(try check(crash).notes.count == 1)
    }
  }
}
