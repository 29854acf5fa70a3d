import DurableFiles
import PostbackPipeline
import Synchronization
import Tables
import TestSupport
import Testing

@testable import Analysis
import DerivedTables
import TableReading

/// Merges of results that keep few groups, so that some are left out.
@Suite struct `Results of parts` {
  /// The number of rejects by code, of the first five codes alone.
  private struct Codes: PartResult {
    var groups = GroupTallies(limit: 5)
    var unreadable = UnreadableRows()
    /// The numbers of the parts that were read.
    var read: [Int] = []
    var isWhole: Bool { groups.isWhole }

    init() {}

    init(_ batch: RawBatch) {
      var key = GroupKey()
      let reader = GroupKeyReader(["reject_code"], in: .rejects)
      var row = RowCursor(batch, of: .rejects)
      while row.next() {
        reader.read(row, into: &key)
        groups.add(key)
      }
      unreadable = row.unreadable
    }

    init(_ reader: inout ResultReader) { groups = GroupTallies(&reader, limit: 5) }

    func encode(_ writer: inout ResultWriter) { groups.encode(&writer) }

    mutating func merge(_ later: Self) {
      groups.merge(later.groups)
      unreadable += later.unreadable
    }

    var counts: [String] {
      groups.tallies.map { "\($0.key.values[0] ?? "") \($0.value.count)" } + ["\(groups.rest.count)"]
    }
  }

  /// Rows in parts, of which each has its number of codes, counted from the part's number on.
  private func codes(_ parts: [(number: Int, codes: Int)], in folder: TemporaryFolder, _ cache: PartCache?) async throws
    -> Codes
  {
    _ = try DurableFolder(making: folder.path("out/skan_rejects"))
    for (number, codes) in parts {
      let rows = (0..<codes).map { "{\"reject_code\":\"c\((number + $0) % 11)\"}\n" }.joined()
      let name = "out/skan_rejects/part-0000\(1000 + number).jsonl"
      try DurableFolder(folder.path("out/skan_rejects")).remove("part-0000\(1000 + number).jsonl")
      try folder.makeFile(name, holding: Array(rows.utf8))
    }
    let merging = PartMerging(.page, empty: Codes(), cache: cache, jobs: 2)
    var (total, read) = (Codes(), [Int]())
    try await merging.add(try TableFiles(.rejects, at: [folder.path("out")]).divided(), to: &total) { part, _ in
      read.append(part.number)
    } _: {
      Codes($0)
    }
    total.read = read
    return total
  }

  @Test(arguments: [1, 3, 5, 6, 11])
  func `are those of all rows in their order, also if parts have more groups than are kept`(_ most: Int) async throws {
    let folder = try TemporaryFolder()
    let cache = try PartCache(in: folder.path("cache"))
    let parts = (0..<50).map { (number: $0, codes: 1 + $0 % most) }
    let whole = try await codes(parts, in: folder, nil)
    #expect(whole.groups.tallies.count == 5 && whole.groups.rest.count > 0)
    for _ in 0..<2 { #expect(try await codes(parts, in: folder, cache).counts == whole.counts) }
    let more = parts + [(number: 50, codes: most)]
    let grown = try await codes(more, in: folder, cache)
    #expect(grown.counts == (try await codes(more, in: folder, nil)).counts)
  }

  @Test func `are read once where the reading ahead puts them into the cache`() async throws {
    let folder = try TemporaryFolder()
    let cache = try PartCache(in: folder.path("cache"))
    let reads = Mutex<[Int: Int]>([:])
    let items = try (0..<40).map { number in
      let name = try cache.name(.page, ["\(number)"])
      return PartMerging<Codes>.Item(number, name) { _, take throws(PipelineFailure) in
        reads.withLock { $0[number, default: 0] += 1 }
        // Meanwhile the parts behind the first one are read.
        if number == 0 { try? await Task.sleep(for: .milliseconds(200)) }
        try cache.add(name, Codes())
        take(Codes())
      }
    }
    var total = Codes()
    try await PartMerging(.page, empty: Codes(), cache: cache, jobs: 4, keepsParts: true).add(items, to: &total)
    #expect(reads.withLock { $0.count == 40 && $0.values.allSatisfy { $0 == 1 } })
  }

  @Test func `tell of lines that are not rows each time`() async throws {
    let folder = try TemporaryFolder()
    let cache = try PartCache(in: folder.path("cache"))
    _ = try await codes((0..<20).map { (number: $0, codes: 2) }, in: folder, cache)
    try folder.makeFile("out/skan_rejects/part-00000001.jsonl", holding: Array("no row\n".utf8))
    for _ in 0..<2 {
      let found = try await codes([], in: folder, cache)
      #expect(found.unreadable.count == 1)
      #expect(found.groups.tallies.reduce(found.groups.rest.count) { $0 + $1.value.count } == 40)
    }
    // The other parts of a block with such a line are not read again.
    try DurableFolder(folder.path("out/skan_rejects")).remove("part-00001001.jsonl")
    try folder.makeFile("out/skan_rejects/part-00001001.jsonl", holding: Array("no row\n".utf8))
    for _ in 0..<2 { _ = try await codes([], in: folder, cache) }
    #expect(try await codes([], in: folder, cache).read == [1, 1001])
  }

  @Test func `stay in a temporary folder when one that had its path ends late`() throws {
    let folder = try TemporaryFolder()
    var earlier: PartCache? = try PartCache(temporary: folder.path("cache"))
    var later: PartCache? = try PartCache(temporary: folder.path("cache"))
    withExtendedLifetime(earlier) {}
    earlier = nil
    try later?.add("signals-1", [1] as [UInt8])
    #expect(try later?.has("signals-1") == true)
    later = nil
    #expect(try DurableFolder(folder.path(".")).names().isEmpty)
  }

  @Test func `are read from the folder of another process, which stays as it is`() async throws {
    let folder = try TemporaryFolder()
    let parts = (0..<4).map { (number: $0, codes: 2) }
    let whole = try await codes(parts, in: folder, try PartCache(in: folder.path("other")))
    let names = try Directory.names(in: folder.path("other")).sorted()
    let cache = try PartCache(in: folder.path("cache"), readingAlso: folder.path("other"))
    let found = try await codes([], in: folder, cache)
    #expect(found.counts == whole.counts && found.read.count < whole.read.count)
    // A file that is damaged there is calculated again, once, and kept here.
    for name in names { try folder.makeFile("other/\(name)", holding: Array("damaged".utf8)) }
    let damaged = try PartCache(in: folder.path("cache"), readingAlso: folder.path("other"))
    #expect(try await codes([], in: folder, damaged).counts == whole.counts)
    #expect(try await codes([], in: folder, damaged).read.count < whole.read.count)
    #expect(try Directory.names(in: folder.path("other")).sorted() == names)
  }
}
