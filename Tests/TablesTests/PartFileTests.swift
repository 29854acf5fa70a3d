@testable import DurableFiles
@testable import Ledger
@testable import Tables
import Foundation
import TestSupport
import Testing

@Suite struct `A part` {
  private let output: StateSite
  private let new = LedgerPart(table: "skan_events", format: .csv, number: 12)
  private let hidden = "out/skan_events/.part-00000012.csv.inprogress"
  private let final = "out/skan_events/part-00000012.csv"

  init() throws { output = try StateSite() }

  private func append(_ text: String, to file: PartFile) throws {
    let bytes = Array(text.utf8)
    try file.append(bytes, checksum: CRC32(of: bytes).value, rows: 1)
  }

  /// Writes a part whose first three pieces are committed.
  private func committed() throws -> LedgerPart {
    let file = try PartFile.create(new, in: output.output)
    for text in ["a,b\r\n", "1,2\r\n", "", "3,4\r\n"] { try append(text, to: file) }
    try file.synchronize()
    let part = file.part
    try append("5,6\r\n", to: file)
    return part
  }

  @Test func `has the length and the checksum of what was appended, and is hidden until it is published`() throws {
    let file = try PartFile.create(new, in: output.output)
    for text in ["a,b\r\n", "1,2\r\n", "", "3,4\r\n"] { try append(text, to: file) }
    try file.synchronize()
    #expect((file.part.length, file.part.rows) == (15, 4))
    #expect(file.part.checksum == CRC32(of: try output.bytes(hidden)).value)
    #expect(!FileManager.default.fileExists(atPath: "\(output.directory.path)/\(final)"))
    file.complete()
    try file.publish()
    #expect(try output.bytes(final) == Array("a,b\r\n1,2\r\n3,4\r\n".utf8))
    #expect(try output.names(in: "out/skan_events") == ["part-00000012.csv"])
    #expect(stateFailure { try PartFile.create(new, in: output.output) }?.kind == .cannotCreate)
  }

  @Test func `is the same if rows that have their places are written in another order`() throws {
    let file = try PartFile.create(new, in: output.output)
    let writes = try ["a,b\r\n", "1,2\r\n", "3,4\r\n"].map { text in
      let bytes = Array(text.utf8)
      return try file.place(bytes, checksum: CRC32(of: bytes).value, rows: 1)
    }
    for write in writes.reversed() { try write.perform() }
    try file.synchronize()
    #expect(try output.bytes(hidden) == Array("a,b\r\n1,2\r\n3,4\r\n".utf8))
    #expect(file.part.checksum == CRC32(of: try output.bytes(hidden)).value)
  }

  @Test func `is not made anew if its file is gone when it goes on`() throws {
    let file = try PartFile.create(new, in: output.output)
    try append("a,b\r\n", to: file)
    try file.suspend()
    try FileManager.default.removeItem(atPath: "\(output.directory.path)/\(hidden)")
    #expect(stateFailure { try append("1,2\r\n", to: file) }?.kind == .damaged)
  }

  @Test func `begins empty where a crash left a file that is not committed`() throws {
    try append("left behind\r\n", to: try PartFile.create(new, in: output.output))
    let file = try PartFile.create(new, in: output.output)
    try append("a,b\r\n", to: file)
    #expect(try output.bytes(hidden) == Array("a,b\r\n".utf8))
  }

  @Test func `goes on after it was suspended, and is durable before`() throws {
    let file = try PartFile.create(new, in: output.output)
    try append("a,b\r\n", to: file)
    try file.suspend()
    #expect(file.isSuspended)
    try append("1,2\r\n", to: file)
    #expect(!file.isSuspended)
    try file.synchronize()
    #expect(try output.bytes(hidden) == Array("a,b\r\n1,2\r\n".utf8))
    #expect(file.part.checksum == CRC32(of: try output.bytes(hidden)).value)
  }

  @Test func `of many partitions has few open files, and all rows`() throws {
    let folder = try OutputFolder(output.output, of: output.ledger(), [])
    var parts = try TableParts(FeedSite.table, [.jsonLines], in: folder, [], lastNumber: 0)
    var rows = EncodedRows()
    for _ in 1...2 {
      for day in 0..<600 {
        var encoder = RowEncoder(FeedSite.table, TableEncoding([.jsonLines]), inputBytes: 100)
        for column in FeedSite.table.columns { encoder.null(column.name) }
        encoder.endRow()
        rows = encoder.take()
        let portion = TablePortion(rows, in: "received_day=\(day)", received: nil, formats: [.jsonLines])
        for write in try parts.append(portion, limit: 1 << 20) { try write.perform() }
      }
    }
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
    }
    #expect(descriptors.filter { $0.contains(output.directory.path) && $0.hasSuffix(".inprogress") }.count <= 256)
    let committed = try parts.synchronize()
    #expect(committed.count == 600)
    #expect(committed.allSatisfy { $0.rows == 2 && $0.length == 2 * Int64(rows[.jsonLines].count) })
  }

  @Test func `continues after the committed bytes, and truncates the rest`() throws {
    let part = try committed()
    #expect(try output.bytes(hidden).count == 20)
    let file = try PartFile.reopen(part, in: output.output)
    #expect(try output.bytes(hidden).count == 15)
    try append("7,8\r\n", to: file)
    #expect(file.part.checksum == CRC32(of: try output.bytes(hidden)).value)
    #expect(try output.bytes(hidden) == Array("a,b\r\n1,2\r\n3,4\r\n7,8\r\n".utf8))
  }

  @Test func `is written again if it was not committed`() throws {
    _ = try committed()
    let file = try PartFile.create(new, in: output.output)
    try append("x", to: file)
    #expect(try output.bytes(hidden) == [UInt8(ascii: "x")])
  }

  @Test(arguments: 0..<15) func `is refused with any byte changed`(_ offset: Int) throws {
    let part = try committed()
    try output.change(hidden) { $0[offset] ^= 4 }
    let failure = stateFailure { try PartFile.reopen(part, in: output.output) }
    #expect(failure?.kind == .damaged)
    #expect(failure?.path.hasSuffix(hidden) == true)
    #expect(try output.bytes(hidden).count == 20)
  }

  @Test func `is refused if it is truncated, missing, or published too early`() throws {
    let part = try committed()
    try output.change(hidden) { $0.removeLast(6) }
    #expect(stateFailure { try PartFile.reopen(part, in: output.output) }?.kind == .damaged)
    try output.remove(hidden)
    #expect(stateFailure { try PartFile.reopen(part, in: output.output) }?.kind == .damaged)
    try output.change(final) { $0 = Array("a,b\r\n1,2\r\n3,4\r\n".utf8) }
    #expect(stateFailure { try PartFile.reopen(part, in: output.output) }?.kind == .damaged)
  }

  @Test func `is published once by the next start after a crash`() throws {
    var part = try committed()
    part.phase = .complete
    let done = Array("a,b\r\n1,2\r\n3,4\r\n".utf8)
    for _ in 1...3 {
      try PartFile.publish(part, in: output.output)
      #expect(try output.bytes(final) == done)
      #expect(try output.names(in: "out/skan_events") == ["part-00000012.csv"])
    }
    try output.change(final) { $0.append(1) }
    #expect(stateFailure { try PartFile.publish(part, in: output.output) }?.kind == .damaged)
    try output.remove(final)
    #expect(stateFailure { try PartFile.publish(part, in: output.output) }?.kind == .damaged)
    try output.change(hidden) { $0 = done.reversed() }
    #expect(stateFailure { try PartFile.publish(part, in: output.output) }?.kind == .damaged)
    #expect(!FileManager.default.fileExists(atPath: "\(output.directory.path)/\(final)"))
  }

  @Test func `has the checksum of all bytes, however many`() throws {
    let file = try PartFile.create(new, in: output.output)
    let bytes = (0..<3_000_001).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    for _ in 1...4 { try file.append(bytes, checksum: CRC32(of: bytes).value, rows: 9) }
    try file.synchronize()
    #expect(file.part.checksum == CRC32(of: bytes + bytes + bytes + bytes).value)
    #expect(stateFailure { try PartFile.reopen(file.part, in: output.output) } == nil)
  }
}
