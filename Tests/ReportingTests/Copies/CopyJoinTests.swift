import Analysis
import DurableFiles
import JSON
import PostbackPipeline
import PostbackVerification
import Tables
import TestSupport
import Testing

@testable import Reporting

@Suite struct CopyJoinTests {
  private let keys: [PostbackKey]

  init() {
    var random = SplitMix(seed: 3)
    keys = (0..<9_000).map { _ in PostbackKey(high: random.next(), low: random.next()) }
  }

  /// The table of accepted postbacks with these keys, in three parts, with a line that is not a row.
  private func accepted(in folder: TemporaryFolder, _ keys: [PostbackKey]) throws -> TableFiles {
    _ = try DurableFolder(making: folder.path("out/skan_postbacks"))
    for part in 0..<3 {
      let share = keys[part * keys.count / 3..<(part + 1) * keys.count / 3]
      var lines = share.map { "{\"postback_key\":\"\($0)\"}\n" }
      if part == 1 { lines.insert("no row\n", at: 1) }
      try folder.makeFile("out/skan_postbacks/part-\(part).jsonl", holding: Array(lines.joined().utf8))
    }
    return try TableFiles(.postbacks, at: [folder.path("out")])
  }

  /// The copies by the key of each accepted row, as a scan meets them.
  private func meet(
    _ copies: [(PostbackKey, String)],
    _ keys: [PostbackKey],
    bufferBytes: Int,
    contentStart: Int = 0,
    _ merge: CopyCollector.Merge = { _, _ in }
  ) async throws -> [[String]] {
    let folder = try TemporaryFolder()
    let accepted = try accepted(in: folder, keys)
    let collector = CopyCollector(in: folder.path("out"), bufferBytes: bufferBytes)
    for (key, text) in copies { try collector.add([(key, Array(text.utf8))]) }
    let join = try await collector.join(accepted, jobs: 3, contentStart: contentStart, merge)
    let files = accepted
    var found: [[String]] = []
    try await files.scan(jobs: 3) { batch throws(PipelineFailure) in
      try join.next(batch.records.count)
    } _: { batch, table in
      var rows: [[String]] = []
      for record in batch.records {
        let line = String(decoding: batch.bytes[record.bytes.indices], as: UTF8.self)
        var texts: [String] = []
        if let key = PostbackKey(hexadecimal: Array(line.dropFirst(17).prefix(32).utf8).span) {
          table.forEach(UInt128(key)) { texts.append(String(decoding: $0, as: UTF8.self)) }
          rows.append(texts)
        }
      }
      return rows
    } take: {
      found += $0
    }
    return found
  }

  private func copies(_ count: Int) -> [(PostbackKey, String)] {
    var random = SplitMix(seed: 11)
    return (0..<count).map { number in
      // Every tenth copy is of a postback whose row is gone.
      let key = number % 10 == 0 ? PostbackKey(high: random.next(), low: 1) : keys[Int(random.next() % 9_000)]
      return (key, "copy \(number)")
    }
  }

  @Test(arguments: [64 << 20, 100_000, 2_000])
  func `each accepted row meets its copies in the order of their addition`(bufferBytes: Int) async throws {
    let copies = copies(6_000)
    let byKey = Dictionary(grouping: copies, by: \.0).mapValues { $0.map(\.1) }
    let found = try await meet(copies, keys, bufferBytes: bufferBytes)
    #expect(found == keys.map { byKey[$0] ?? [] })
  }

  @Test(arguments: [64 << 20, 2_000])
  func `a key that two rows have brings its copies to both`(bufferBytes: Int) async throws {
    let keys = Array(keys[0..<600] + keys[0..<300])
    let copies = copies(4_000).filter { keys.contains($0.0) } + (0..<600).map { (keys[$0], "further") }
    let byKey = Dictionary(grouping: copies, by: \.0).mapValues { $0.map(\.1) }
    #expect(try await meet(copies, keys, bufferBytes: bufferBytes) == keys.map { byKey[$0] ?? [] })
  }

  @Test func `copies with the same content are merged if they do not fit the buffer`() async throws {
    let copies = (0..<50_000).map { (keys[$0 % 2], $0 % 3 == 0 ? "1abc" : "1xyz") }
    let found = try await meet(copies, Array(keys[0..<6]), bufferBytes: 1_000, contentStart: 1) { earlier, later in
      earlier[0] = max(earlier[0], later[0]) &+ 1
    }
    #expect(found.map(\.count) == [2, 2, 0, 0, 0, 0])
    #expect(Set(found[0].map { $0.dropFirst() }) == ["abc", "xyz"])
  }
}
