import DurableFiles
import JSON
import PostbackVerification
import Tables
import TestSupport
import Testing

@testable import DerivedTables
@testable import PostbackCopies
@testable import TableReading

/// The copies of the postbacks of each part.
@Suite struct PartCopiesTests {
  private let keys: [PostbackKey]
  private let folder: TemporaryFolder

  init() throws {
    var random = SplitMix(seed: 3)
    keys = (0..<900).map { _ in PostbackKey(high: random.next(), low: random.next()) }
    folder = try TemporaryFolder()
  }

  /// Writes parts of `skan_postbacks` with these keys, the first one with a line that is not a row.
  private func write(_ parts: [ArraySlice<PostbackKey>]) throws {
    _ = try DurableFolder(making: folder.path("out/skan_postbacks"))
    for (number, keys) in parts.enumerated() {
      var lines = keys.map { "{\"postback_key\":\"\($0)\"}\n" }
      if number == 0 { lines.insert("no row\n", at: 1) }
      try folder.makeFile("out/skan_postbacks/part-\(number + 1).jsonl", holding: Array(lines.joined().utf8))
    }
  }

  /// Writes a part of `skan_rejects` with copies, each with a forwarder and a second of receipt.
  private func write(_ number: Int, _ copies: [(key: PostbackKey, forwarder: String, second: Int)]) throws {
    _ = try DurableFolder(making: folder.path("out/skan_rejects"))
    let body = JSONValue.string(
      """
      {"version":"3.0","ad-network-id":"n","campaign-id":1,"app-id":1,"transaction-id":"t","redownload":false,\
      "fidelity-type":1,"did-win":true,"conversion-value":1,"attribution-signature":"AA=="}
      """
    )
    let lines = copies.map { copy in
      "{\"reject_code\":\"duplicate_identical\",\"first_seen_postback_key\":\"\(copy.key)\","
        + "\"channel\":\"network_forwarded\",\"forwarder\":\"\(copy.forwarder)\","
        + "\"received_at\":\"2026-03-10T00:00:0\(copy.second)Z\",\"raw_body\":\(body)}\n"
    }
    try folder.makeFile("out/skan_rejects/part-\(number).jsonl", holding: Array(lines.joined().utf8))
  }

  private func search(bufferBytes: Int = 2_000) async throws -> PartCopies {
    try await PartCopies(
      try TableFiles(.postbacks, at: [folder.path("out")]),
      among: try TableFiles(.rejects, at: [folder.path("out")]),
      in: try PartCache(in: folder.path("cache")),
      jobs: 2,
      bufferBytes: bufferBytes
    )
  }

  /// The copies of each postback, by part and key, with a cache that is kept.
  private func found(bufferBytes: Int = 2_000) async throws -> [[PostbackKey: [PostbackCopy]]] {
    let copies = try await search(bufferBytes: bufferBytes)
    var found: [[PostbackKey: [PostbackCopy]]] = []
    for part in copies.parts.indices {
      let table = try await copies.table(of: part)
      var ofPart: [PostbackKey: [PostbackCopy]] = [:]
      for key in keys { table.forEach(UInt128(key)) { ofPart[key, default: []].append(PostbackCopy(record: $0)) } }
      found.append(ofPart)
    }
    return found
  }

  @Test(arguments: [64 << 20, 2_000])
  func `each part has the copies of its postbacks, also of those that another part has too`(buffer: Int) async throws {
    let parts = [keys[0..<300], keys[300..<600], keys[500..<800]]
    try write(parts)
    var random = SplitMix(seed: 11)
    var expected = [[PostbackKey: Set<String>]](repeating: [:], count: 3)
    for run in 0..<3 {
      var copies: [(key: PostbackKey, forwarder: String, second: Int)] = []
      for copy in 0..<400 {
        // Some copies are of postbacks whose rows are gone.
        let key = keys[Int(random.next() % 900)]
        copies.append((key, "\(run) \(copy)", 0))
        for part in parts.indices where parts[part].contains(key) {
          expected[part][key, default: []].insert("\(run) \(copy)")
        }
      }
      try write(run + 1, copies)
      let names = try await found(bufferBytes: buffer).map { $0.mapValues { Set($0.map { $0.forwarder ?? "" }) } }
      #expect(names == expected)
    }
  }

  @Test func `copies with the same content are one, with their number and their first time`() async throws {
    try write([keys[0..<6]])
    try write(1, (0..<3_000).map { (keys[$0 % 2], $0 % 3 == 0 ? "a" : "b", 3 + $0 % 5) })
    try write(2, [(keys[0], "a", 1)])
    let copies = try await found()[0]
    #expect(Set(copies.keys) == Set(keys[0..<2]))
    let counts = copies[keys[0]]?.map { "\($0.forwarder ?? "") \($0.count) \(($0.time ?? 0) / 1000 % 10)" }
    #expect(counts?.sorted() == ["a 501 1", "b 1000 3"])
  }

  @Test func `copies in rejects that were removed are gone`() async throws {
    try write([keys[0..<6], keys[6..<9]])
    try write(1, [(keys[0], "a", 1), (keys[6], "a", 1)])
    try write(2, [(keys[0], "b", 1)])
    #expect(try await found().map(\.count) == [1, 1])
    try DurableFolder(folder.path("out/skan_rejects")).remove("part-1.jsonl")
    let left = try await found()
    #expect(left[0][keys[0]]?.map(\.forwarder) == ["b"] && left[1].isEmpty)
  }

  @Test func `tasks that find damaged files at the same time find all copies again`() async throws {
    try write((0..<30).map { keys[$0 * 30..<$0 * 30 + 30] })
    try write(1, keys.map { ($0, "a", 1) })
    let copies = try await search()
    let digests = copies.parts.indices.map { copies.digest(of: $0) }
    let cache = DurableFolder(folder.path("cache"))
    for name in try cache.names() where !name.hasPrefix(PartCache.Kind.matching.rawValue) {
      try folder.makeFile("cache/\(name)", holding: [1, 2, 3])
    }
    let counts = try await withThrowingTaskGroup { group in
      for part in copies.parts.indices {
        group.addTask {
          var count = 0
          let table = try await copies.table(of: part)
          for key in keys { table.forEach(UInt128(key)) { _ in count += 1 } }
          return count
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == [Int](repeating: 30, count: 30))
    #expect(copies.parts.indices.map { copies.digest(of: $0) } == digests)
    #expect(try await search().parts.indices.map { copies.digest(of: $0) } == digests)
  }
}
