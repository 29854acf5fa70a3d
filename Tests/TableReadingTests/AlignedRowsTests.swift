import DurableFiles
import PostbackPipeline
import Tables
import TestSupport
import Testing

@testable import TableReading

extension Table {
  /// A derived table.
  fileprivate static let derived = Table(
    name: "skan_derived",
    description: "",
    columns: [Column(.postbackKey, .text, .required, "")]
  )
}

@Suite struct AlignedRowsTests {
  /// The output of a run with `skan_postbacks` and `skan_derived`, each in parts with so many rows.
  private func output(_ postbacks: [Int], _ enriched: [Int]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (table, parts) in [("skan_postbacks", postbacks), ("skan_derived", enriched)] {
      _ = try DurableFolder(making: folder.path("out/\(table)"))
      var number = 0
      for (part, count) in parts.enumerated() {
        var text = ""
        for _ in 0..<count {
          text += "{\"postback_key\":\"\(number)\"}\n"
          number += 1
        }
        try folder.makeFile("out/\(table)/part-\(part).jsonl", holding: Array(text.utf8))
      }
    }
    return folder
  }

  private func keys(_ batch: RawBatch, of table: Table) -> [String] {
    var cursor = RowCursor(batch, of: table)
    var keys: [String] = []
    while cursor.next() { keys.append(cursor.text(0) ?? "") }
    return keys
  }

  @Test(arguments: [[20_000], [1, 9_999, 10_000], [7, 7, 19_986]], [1, 3])
  func `each batch meets as many rows of the other table`(parts: [Int], jobs: Int) async throws {
    let folder = try output([3, 12_345, 7_652], parts)
    let accepted = try TableFiles(.postbacks, at: [folder.path("out")])
    let files = try #require(try TableFiles(derived: .derived, in: folder.path("out")))
    var enriched = AlignedRows(files)
    var total = 0
    var batches = 0
    try await accepted.scan(jobs: jobs) { batch throws(PipelineFailure) in
      try await enriched.next(beside: batch)
    } _: { batch, rows in
      (keys(batch, of: .postbacks), keys(rows, of: .derived))
    } take: { (base, other) throws(PipelineFailure) in
      #expect(base == other)
      total += base.count
      batches += 1
    }
    #expect(total == 20_000)
    #expect(batches > 3)
  }

  /// Reads a table in a task that is cancelled.
  private func readAfterCancellation(_ accepted: TableFiles) async throws(PipelineFailure) {
    try await accepted.scan(jobs: 2) { _ throws(PipelineFailure) in
      withUnsafeCurrentTask { unsafe $0?.cancel() }
    } _: { batch, _ in
      batch.records.count
    } take: { _ in
      Issue.record("the rows were given to somebody")
    }
  }

  @Test func `a reading that nobody waits for ends with a failure`() async throws {
    let folder = try output([20_000], [20_000])
    let accepted = try TableFiles(.postbacks, at: [folder.path("out")])
    let reading = Task { try await readAfterCancellation(accepted) }
    await #expect(throws: PipelineFailure.self) { try await reading.value }
  }

  @Test func `lines that are not rows meet none`() async throws {
    let folder = try output([3, 12_345, 7_652], [20_000])
    var lines = try folder.contents(of: "out/skan_postbacks/part-1.jsonl").split(separator: UInt8(ascii: "\n"))
    for place in [12_345, 700, 0] { lines.insert(Array("{\"postback".utf8)[...], at: place) }
    try folder.makeFile("out/skan_postbacks/part-1.jsonl", holding: Array(lines.joined(separator: "\n".utf8)))
    let accepted = try TableFiles(.postbacks, at: [folder.path("out")])
    var enriched = AlignedRows(
      try #require(try TableFiles(derived: .derived, in: folder.path("out"))),
      besideRowsOf: .postbacks
    )
    var total = 0
    try await accepted.scan(jobs: 2) { batch throws(PipelineFailure) in
      try await enriched.next(beside: batch)
    } _: { batch, rows in
      (keys(batch, of: .postbacks), keys(rows, of: .derived))
    } take: { (base, other) throws(PipelineFailure) in
      #expect(base == other)
      total += base.count
    }
    #expect(total == 20_000)
  }

  @Test func `rows beyond the end of the other table meet none`() async throws {
    let folder = try output([5_000, 10], [4_998])
    let accepted = try TableFiles(.postbacks, at: [folder.path("out")])
    let files = try #require(try TableFiles(derived: .derived, in: folder.path("out")))
    var enriched = AlignedRows(files)
    var counts = 0
    try await accepted.scan(jobs: 2) { batch throws(PipelineFailure) in
      try await enriched.next(beside: batch)
    } _: { _, rows in
      keys(rows, of: .derived).count
    } take: {
      counts += $0
    }
    #expect(counts == 4_998)
  }

  @Test func `a failure beside a batch stops the reading`() async throws {
    let folder = try output([20_000], [1])
    let accepted = try TableFiles(.postbacks, at: [folder.path("out")])
    let failure = FileFailure(.damaged, "other", "The file is damaged")
    var batches = 0
    var taken = 0
    do throws(PipelineFailure) {
      try await accepted.scan(jobs: 1) { _ throws(PipelineFailure) in
        batches += 1
        if batches == 2 { throw PipelineFailure.read(failure) }
        return batches
      } _: { _, number in
        number
      } take: {
        taken = $0
      }
      Issue.record("the scan ended without a failure")
    } catch {
      #expect("\(error)" == "\(PipelineFailure.read(failure))")
    }
    #expect((batches, taken) == (2, 1))
  }

  @Test func `a derived table that is absent or not in JSON Lines is not read`() throws {
    let folder = try output([1], [])
    let out = folder.path("out")
    #expect(try TableFiles(derived: .events, in: out) == nil)
    try folder.makeFile("out/skan_derived/part-1.csv")
    #expect(throws: FileFailure.self) { try TableFiles(derived: .derived, in: out) }
  }
}
