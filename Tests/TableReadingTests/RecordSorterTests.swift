import DurableFiles
import TestSupport
import Testing

@testable import TableReading

@Suite struct RecordSorterTests {
  /// Records with few different keys, so that many have the same one.
  private func records(_ count: Int, seed: UInt64) -> [(key: UInt128, payload: [UInt8])] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { number in
      let key = UInt128(random.next() % 500) << 100 | UInt128(random.next() % 3)
      let padding = [UInt8](repeating: UInt8(number % 251), count: Int(random.next() % 90))
      return (key, Array("\(number) ".utf8) + padding)
    }
  }

  private func sorted(_ records: [(key: UInt128, payload: [UInt8])]) -> [String] {
    records.enumerated()
      .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }
      .map { "\($0.element.key) \($0.element.payload)" }
  }

  @Test(arguments: [1, 100, 3_000, 50_000, 1 << 24])
  func `records come in the order of their keys, and of their addition`(bufferBytes: Int) throws {
    let folder = try TemporaryFolder()
    let records = records(2_000, seed: UInt64(bufferBytes))
    let sorter = RecordSorter(bufferBytes: bufferBytes, in: folder.path(""))
    for (key, payload) in records { try sorter.add(key, payload) }
    #expect(sorter.count == records.count)
    let result = try sorter.sorted()
    var found: [String] = []
    while try result.next() { found.append("\(result.key) \(result.payload)") }
    #expect(found == sorted(records))
    // The temporary file has no name.
    #expect(try DurableFolder(folder.path("")).names() == [])
  }

  @Test func `a record larger than the buffer and than a block is kept`() throws {
    let folder = try TemporaryFolder()
    let sorter = RecordSorter(bufferBytes: 1_000, in: folder.path(""))
    let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    for key in [9, 3, 7, 3] as [UInt128] { try sorter.add(key, large.dropFirst(Int(key))) }
    let result = try sorter.sorted()
    for key in [3, 3, 7, 9] as [UInt128] {
      #expect(try result.next())
      #expect(result.key == key)
      #expect(result.payload == Array(large.dropFirst(Int(key))))
    }
    #expect(try !result.next())
  }

  @Test(arguments: [0, 1, 2, 1_000])
  func `records in memory are found by their keys`(count: Int) throws {
    let records = records(count, seed: 5)
    let sorter = RecordSorter(in: "/nonexistent")
    for (key, payload) in records { try sorter.add(key, payload) }
    let table = try #require(sorter.table())
    for key in Set(records.map(\.key)).union([0, 1, .max, 1 << 127]) {
      var found: [[UInt8]] = []
      table.forEach(key) { found.append(Array($0)) }
      #expect(found == records.filter { $0.key == key }.map(\.payload))
    }
  }

  @Test func `a folder that does not exist is a failure`() throws {
    let sorter = RecordSorter(bufferBytes: 10, in: "/nonexistent")
    #expect(throws: FileFailure.self) { try sorter.add(1, [1]) }
  }
}
