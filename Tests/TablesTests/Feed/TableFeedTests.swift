@testable import DurableFiles
@testable import Ledger
@testable import Tables
import Foundation
import TestSupport
import Testing

@Suite struct `The table feed` {
  private let output = "out/\(Table.rejects.name)"

  private func failure(_ site: FeedSite, after cursor: String) async -> FileFailure? {
    await #expect(throws: FileFailure.self) { _ = try await site.numbers(after: TableCursor(cursor)) }
  }

  @Test(arguments: [[.jsonLines], [.csv], [.jsonLines, .csv]] as [Set<TableFormat>], [1, 300, 1 << 20])
  func `has each committed row once, and continues after every cursor`(
    _ formats: Set<TableFormat>,
    batchBytes: Int
  ) async throws {
    let site = try FeedSite(formats)
    try site.write(40, rolls: true)
    try site.write(30)
    try site.write(20, rolls: true)
    try site.write(25)
    try site.append(7)
    let (numbers, cursors) = try await site.numbers(batchBytes: batchBytes)
    #expect(numbers == Array(0..<115))
    var rest = numbers.count
    for cursor in [nil] + cursors.map(Optional.some) {
      let text = cursor.map(\.description)
      let found = try await site.numbers(after: text.flatMap(TableCursor.init), batchBytes: 1 << 20).numbers
      #expect(found == Array(numbers.suffix(found.count)))
      #expect(cursor == nil || found.count < rest)
      rest = found.count
    }
    #expect(rest == 0)
  }

  @Test(arguments: TableFormat.allCases) func `tells the file and the line of a row that is read from the start`(
    _ format: TableFormat
  ) async throws {
    let site = try FeedSite([format])
    try site.write(40, rolls: true)
    var lines: [Int] = []
    for try await element in site.feed() {
      var row = RowCursor(element.rows, of: FeedSite.table)
      while row.next() {
        #expect(row.source.path.hasSuffix("part-00000001.\(format.rawValue)"))
        lines.append(try #require(row.source.line))
      }
    }
    #expect(lines.prefix(5) == (format == .csv ? [2, 3, 4, 6, 7] : [1, 2, 3, 4, 5]))
    #expect(lines.count == 40)
  }

  @Test func `does not know a line where it continues within a part`() async throws {
    let site = try FeedSite()
    try site.write(40)
    let cursors = try await site.numbers().cursors
    for try await element in site.feed(after: cursors[0]) { #expect(element.rows.rows.allSatisfy { $0.line == nil }) }
  }

  @Test func `is empty where nothing is committed`() async throws {
    let site = try FeedSite([.csv])
    #expect(try await site.numbers().numbers.isEmpty)
    try site.append(3)
    #expect(try await site.numbers().numbers.isEmpty)
    try site.commit()
    #expect(try await site.numbers().numbers == [0, 1, 2])
  }

  @Test func `finds a part under its hidden name until it is published`() async throws {
    let site = try FeedSite()
    try site.append(10)
    try site.commit(rolls: true, publishes: false)
    #expect(try site.site.names(in: output) == [".part-00000001.jsonl.inprogress"])
    #expect(try await site.numbers().numbers == Array(0..<10))
  }

  @Test func `reads on in a part that is renamed meanwhile`() async throws {
    let site = try FeedSite()
    try site.write(40)
    var iterator = site.feed().makeAsyncIterator()
    var numbers = try FeedSite.numbers(of: try #require(try await iterator.next()).rows)
    // The part was open when the iteration began.
    try site.write(10, rolls: true)
    #expect(try site.site.names(in: output) == ["part-00000001.jsonl"])
    while let element = try await iterator.next() { numbers += try FeedSite.numbers(of: element.rows) }
    #expect(numbers == Array(0..<40))
    var late = site.feed().makeAsyncIterator()
    let first = try FeedSite.numbers(of: try #require(try await late.next()).rows)
    try site.site.change("\(output)/part-00000001.jsonl") { _ in }
    #expect(first.first == 0)
  }

  @Test func `names a part that is gone, unless all its rows were read`() async throws {
    let site = try FeedSite()
    try site.write(40, rolls: true)
    let read = try #require(try await site.numbers().cursors.last)
    try site.write(20, rolls: true)
    try site.site.remove("\(output)/part-00000001.jsonl")
    #expect(try await site.numbers(after: read).numbers == Array(40..<60))
    let failure = await #expect(throws: FileFailure.self) { _ = try await site.numbers() }
    #expect(failure?.kind == .notFound)
    #expect(failure?.path.hasSuffix("\(output)/part-00000001.jsonl") == true)
  }

  @Test func `refuses a part that is shorter than what is committed`() async throws {
    let site = try FeedSite()
    try site.write(40, rolls: true)
    try site.site.change("\(output)/part-00000001.jsonl") { $0.removeLast() }
    let failure = await #expect(throws: FileFailure.self) { _ = try await site.numbers() }
    #expect(failure?.kind == .damaged)
  }

  @Test(arguments: [0, 1]) func `checks each part once before it reads a row of it, if asked`(
    _ damaged: Int
  ) async throws {
    let site = try FeedSite()
    try site.write(40, rolls: true)
    try site.write(40, rolls: true)
    let parts = (1...2).map { "\(output)/part-0000000\($0).jsonl" }
    let cursors = try await site.numbers().cursors
    let checked = CheckedParts()
    func read(after cursor: TableCursor?) async throws {
      var feed = site.feed(after: cursor)
      feed.checkedParts = checked
      for try await _ in feed {}
    }
    // A digit of the last row, so that all lines are rows and have their lengths.
    try site.site.change(parts[damaged]) { bytes in
      for index in bytes.indices.suffix(60) where bytes[index] == UInt8(ascii: "9") { bytes[index] = UInt8(ascii: "8") }
    }
    for cursor in [nil, cursors[0]] {
      let failure = await #expect(throws: FileFailure.self) { try await read(after: cursor) }
      #expect(failure?.kind == .damaged && failure?.path.hasSuffix(parts[damaged]) == true)
    }
    var rows = 0
    for try await element in site.feed() { rows += element.rows.rows.count }
    #expect(rows == 80)
    // The first part was checked before the second one was found damaged.
    if damaged == 1 {
      try site.site.change(parts[0]) { $0[$0.count - 30] = UInt8(ascii: "x") }
      let failure = await #expect(throws: FileFailure.self) { try await read(after: nil) }
      #expect(failure?.path.hasSuffix(parts[1]) == true)
    }
  }

  @Test(arguments: [
    "skan_events:0:1:0", "skan_rejects:1:1:0", "skan_rejects:0:1:99999", "skan_rejects:0:9:1", "skan_rejects:0:1:5",
  ])
  func `refuses a cursor that is no place in it`(_ cursor: String) async throws {
    let site = try FeedSite()
    try site.write(40)
    #expect(await failure(site, after: cursor)?.kind == .incompatible)
  }

  @Test func `refuses the state of another output`() async throws {
    let (site, other) = (try FeedSite(), try FeedSite())
    try site.write(4)
    try other.write(4)
    let feed = TableFeed(.rejects, in: other.site.output, state: site.site.state)
    let failure = await #expect(throws: FileFailure.self) { for try await _ in feed {} }
    #expect(failure?.kind == .incompatible)
  }

  @Test(arguments: TableFormat.allCases) func `follows many small commits, and ends if it is cancelled`(
    _ format: TableFormat
  ) async throws {
    let site = try FeedSite([format])
    try site.write(1)
    let feed = site.feed(follow: true)
    let progress = Progress()
    let follower = Task {
      for try await element in feed { progress.add(try FeedSite.numbers(of: element.rows), element.cursor) }
    }
    for commit in 0..<200 {
      try site.append(commit % 7)
      try site.commit(rolls: commit % 10 == 9, publishes: true)
      if commit % 20 == 0 { try await Task.sleep(for: .milliseconds(3)) }
    }
    for _ in 0..<2000 where progress.numbers.count < site.committed { try await Task.sleep(for: .milliseconds(5)) }
    follower.cancel()
    try await follower.value
    #expect(progress.numbers == Array(0..<site.committed))
    #expect(try await site.numbers(after: progress.cursor).numbers.isEmpty)
  }

  /// The numbers that a follower has read, in their order, and its last cursor.
  private final class Progress: @unchecked Sendable {
    private let lock = NSLock()
    private var read: [Int] = []
    private var last: TableCursor?

    var numbers: [Int] { lock.withLock { read } }
    var cursor: TableCursor? { lock.withLock { last } }

    func add(_ numbers: [Int], _ cursor: TableCursor) {
      lock.withLock {
        read += numbers
        last = cursor
      }
    }
  }
}

@Suite struct `The cursor of a table` {
  @Test func `is a text that a follower can keep`() throws {
    let cursor = TableCursor(table: "skan_postbacks", generation: 0, part: 3, offset: 18230)
    #expect(cursor.description == "skan_postbacks:0:3:18230")
    #expect(TableCursor(cursor.description) == cursor)
    let json = try JSONEncoder().encode([cursor])
    #expect(String(decoding: json, as: UTF8.self) == #"["skan_postbacks:0:3:18230"]"#)
    #expect(try JSONDecoder().decode([TableCursor].self, from: json) == [cursor])
  }

  @Test(arguments: ["", "a", "a:0:1", "a:0:1:2:3", ":0:1:2", "a:0:0:2", "a:-1:1:2", "a:0:1:-2", "a:+0:1:2", "a:0:01:2"])
  func `is no other text`(_ text: String) { #expect(TableCursor(text) == nil) }
}

@Suite struct `A cursor of several parts` {
  @Test(arguments: [1, 300, 1 << 20])
  func `has each row once while rows are appended to several parts in turn`(batchBytes: Int) async throws {
    let site = try FeedSite()
    var cursor: String?
    var numbers: [Int] = []
    for round in 0..<12 {
      try site.append(7, to: "received_day=2026-03-0\(1 + round % 3)")
      if round % 2 == 0 { try site.append(3, to: "received_day=2026-03-0\(1 + round / 5)") }
      try site.commit(rolls: round == 6)
      // Each time as a new process would.
      let read = try await site.numbers(after: cursor.flatMap { TableCursor($0) }, batchBytes: batchBytes)
      numbers += read.numbers
      cursor = read.cursors.last?.description ?? cursor
    }
    #expect(numbers.count == site.committed)
    #expect(numbers.sorted() == Array(0..<site.committed))
    #expect(try await site.numbers(after: cursor.flatMap { TableCursor($0) }).numbers == [])
  }

  @Test(arguments: [
    "skan_rejects:0:1:5", "skan_rejects:2:3:0,5:99", "a:0:1:1,2:0,9:7",
  ])
  func `is the same after it was written as text`(_ text: String) throws {
    #expect(try #require(TableCursor(text)).description == text)
  }

  @Test(arguments: [
    "skan_rejects:0:5:1,3:2", "skan_rejects:0:1:1,1:2", "skan_rejects:0:", "skan_rejects:0:1:1,",
    "skan_rejects:0:1:1,x",
    "skan_rejects:0:0:1", "skan_rejects:0:1:-1", "skan_rejects:00:1:1",
  ])
  func `is refused in any other form`(_ text: String) {
    #expect(TableCursor(text) == nil)
  }
}
