import DurableFiles
import PostbackPipeline
import Synchronization
import Tables
import TestSupport
import Testing

@testable import Analysis
import DerivedTables
import TableReading

/// The counts of a page on random rows, in one part each and in any number of parts.
@Suite struct `The counts of a page` {
  @Test(arguments: 0..<12)
  func `are the same for any division into parts, with a cache and without`(_ seed: UInt64) async throws {
    var output = try RandomOutput(seed: seed)
    let cache = try PartCache(in: output.folder.path("cache"))
    for _ in 0..<4 {
      try output.grow()
      let whole = try await output.counts(divided: false)
      #expect(try await output.counts(divided: true) == whole)
      #expect(try await output.counts(divided: true, cache: cache) == whole)
      try cache.removeOthers(of: PartCache.Kind.allCases)
      // The second reading finds the results of the first one, or calculates what was lost again.
      if output.number(below: 2) == 0 { try output.damageCache() }
      #expect(try await output.counts(divided: true, cache: cache) == whole)
    }
  }

  @Test func `are read from new parts alone`() async throws {
    var output = try RandomOutput(seed: 99)
    let cache = try PartCache(in: output.folder.path("cache"))
    while output.parts < 40 { try output.grow() }
    let reads = Mutex(0)
    _ = try await output.counts(divided: true, cache: cache) { _ in reads.withLock { $0 += 1 } }
    let old = output.parts
    #expect(reads.withLock { $0 } > old)
    reads.withLock { $0 = 0 }
    try output.grow()
    let counts = try await output.counts(divided: true, cache: cache) { _ in reads.withLock { $0 += 1 } }
    // There is one batch of each part that is not empty.
    #expect((1...2 * (output.parts - old)).contains(reads.withLock { $0 }))
    #expect(counts == (try await output.counts(divided: false)))
  }
}

/// An output with random rows, whose parts grow in number, and the same rows in one part.
private struct RandomOutput {
  let folder: TemporaryFolder
  private(set) var parts = 0
  private var random: SplitMix
  private var keys: [String] = []
  private var all: [String: [String]] = [:]

  init(seed: UInt64) throws {
    (folder, random) = (try TemporaryFolder(), SplitMix(seed: seed))
    for table in ["skan_postbacks", "skan_rejects"] {
      for output in ["parts", "whole"] { _ = try DurableFolder(making: folder.path("\(output)/\(table)")) }
    }
  }

  mutating func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

  private mutating func one(of values: [String]) -> String { values[number(below: values.count)] }

  /// Adds between 1 and 12 parts to each table.
  mutating func grow() throws {
    for _ in 0...number(below: 12) {
      parts += 1
      var accepted: [String] = []
      for _ in 0..<number(below: 30) { accepted.append(postback()) }
      var rejects: [String] = []
      for _ in 0..<number(below: 30) { rejects.append(reject()) }
      for (table, rows) in [("skan_postbacks", accepted), ("skan_rejects", rejects)] {
        try write("parts/\(table)/\(Self.name(parts))", rows)
        all[table, default: []] += rows
        try write("whole/\(table)/\(Self.name(1))", all[table] ?? [])
      }
    }
  }

  private static func name(_ part: Int) -> String { "part-0000\(1000 + part).jsonl" }

  private func write(_ name: String, _ rows: [String]) throws {
    try DurableFolder(folder.path("")).remove(name)
    try folder.makeFile(name, holding: Array(rows.map { $0 + "\n" }.joined().utf8))
  }

  /// Removes every fifth file of the cache.
  mutating func damageCache() throws {
    let cache = DurableFolder(folder.path("cache"))
    for name in try cache.names() where number(below: 5) == 0 { try cache.remove(name) }
  }

  private mutating func postback() -> String {
    let key = String((0..<32).map { _ in Array("0123456789abcdef")[number(below: 16)] })
    keys.append(key)
    let day = 10 + number(below: 15)
    return """
      {"postback_key":"\(key)",\(common()),"channel":"\(one(of: ["apple_direct", "network_forwarded"]))",\
      "did_win":\(one(of: ["true", "false", "null"])),"postback_sequence_index":\(number(below: 3)),\
      "decode_status":"\(one(of: ["decoded", "null", "no_model"]))",\
      "conversion_value":\(one(of: ["null", "0", "17"])),"coarse_conversion_value":\(one(of: ["null", "\"low\""])),\
      "redownload":\(one(of: ["false", "true"])),"estimated_install_date":"2026-03-\(day)T00:00:00Z",\
      "install_date_earliest":"2026-03-\(day - 1)T00:00:00Z","install_date_latest":"2026-03-\(day)T00:00:00Z",\
      "skan_revenue":\(one(of: ["1.5", "null", "20"])),"min_revenue":1,"max_revenue":\(one(of: ["30", "null"])),\
      "currency":"\(one(of: ["USD", "EUR"]))","model_id":"m","model_version":\(1 + number(below: 2))}
      """
  }

  private mutating func reject() -> String {
    let body = "{\\\"source-identifier\\\":\\\"\(number(below: 9))\\\"}"
    let field = "[{\"field\":\"conversion-value\",\"first\":\"1\",\"later\":\"\(number(below: 4))\"}]"
    let isConflict = !keys.isEmpty && number(below: 3) == 0
    return """
      {\(common()),"reject_code":"\(one(of: ["signature_invalid", "not_json", "duplicate_conflict", "duplicate_identical"]))",\
      "stage":"\(one(of: ["parse", "signature", "dedup"]))","channel":"\(one(of: ["apple_direct", "network_forwarded"]))",\
      "raw_sha256":"\(number(below: 40) + 100)","raw_body":"\(body)",\
      "conflicting_fields":\(isConflict ? field : "null"),\
      "first_seen_postback_key":\(isConflict ? "\"\(one(of: keys))\"" : "null")}
      """
  }

  private mutating func common() -> String {
    """
    "received_at":"2026-03-\(10 + number(below: 18))T\(10 + number(below: 10)):00:00Z",\
    "received_at_source":"\(one(of: ["envelope", "envelope", "file_modified"]))",\
    "forwarder":\(one(of: ["null", "\"a\"", "\"b\"", "\"c\""])),"ad_network_id":"\(one(of: ["n", "o"])).example",\
    "app_id":"\(one(of: ["1", "2"]))"
    """
  }

  /// The counts as bytes, and the first copies of conflicts.
  func counts(
    divided: Bool,
    cache: PartCache? = nil,
    progress: AnalysisProgress.Handler? = nil
  ) async throws -> [[UInt8]] {
    let path = folder.path(divided ? "parts" : "whole")
    var (rejects, accepted) = (try TableFiles(.rejects, at: [path]), try TableFiles(.postbacks, at: [path]))
    (rejects.progress, accepted.progress) = (progress, progress)
    let count =
      if let cache {
        try await ReportReading(ReportCounting(sampleLimit: 15), cache: cache, jobs: 2)
          .count(rejects: rejects, accepted: accepted)
      } else {
        try await ReportTotal(rejects: rejects, accepted: accepted, sampleLimit: 15, jobs: 2).count
      }
    #expect(count.unreadable.count == 0)
    var writer = ResultWriter()
    count.encode(&writer)
    let firsts = count.conflicts.firsts.map { "\($0.key) \($0.value.origin)" }.sorted()
    return [writer.bytes, Array(firsts.joined(separator: "\n").utf8)]
  }
}
