import DurableFiles
import Foundation
import JSON
import Tables
import TestSupport
import Testing

@Suite(.serialized) struct `A follower of the tables` {
  /// A consumer, and the rows that a follower has collected so far with its last cursor.
  private final class Site {
    let watch: WatchSite
    var rows: [[UInt8]] = []
    var cursor: String?

    init() throws { watch = try WatchSite() }

    /// Reads what is committed now, from the last cursor on, as a new process would.
    func collect() async throws {
      let out = watch.folder.path("out")
      var feed = TableFeed(.rejects, in: out, state: "\(out)/_state", after: cursor.flatMap { TableCursor($0) })
      feed.batchBytes = 700
      for try await element in feed {
        rows += element.rows.rows.map { Array(element.rows.bytes[$0.bytes.indices]) }
        cursor = "\(element.cursor)"
      }
    }

    /// The rows of all parts, which are complete.
    func expected() throws -> [[UInt8]] {
      let table = watch.folder.path("out/skan_rejects")
      return try FileManager.default.contentsOfDirectory(atPath: table).sorted().flatMap { name in
        try watch.folder.contents(of: "out/skan_rejects/\(name)").split(separator: UInt8(ascii: "\n")).map { Array($0) }
      }
    }
  }

  @Test func `has each row once, however often the writer is killed`() async throws {
    let site = try Site()
    var generator = SplitMix(seed: 11)
    var written = 0
    for round in 0..<12 {
      for file in 0..<40 {
        let lines = (0..<5).map { "{\"rubbish\":\(written + $0)}\n" }
        written += lines.count
        try site.watch.put("\(round)-\(file).jsonl", Array(lines.joined().utf8))
      }
      let process = try site.watch.start(["--commit-ms", "1", "--part-bytes", "65536"])
      let end = ContinuousClock.now + .milliseconds(20 + Int(generator.next() % 400))
      while .now < end {
        if FileManager.default.fileExists(atPath: site.watch.folder.path("out/_state/ledger.sqlite")) {
          try await site.collect()
        }
        try await Task.sleep(for: .milliseconds(5))
      }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let out = site.watch.folder.path("out")
    let last = try await BuiltCommand.run(["watch", site.watch.folder.path("spool"), "--out", out, "--once"])
    #expect(last.status == 0, "\(last.errorText)")
    try await site.collect()
    #expect(try site.rows == site.expected())
    #expect(site.rows.count == written)
  }

  @Test func `is refused after a restored backup, also where all rows have equal lengths`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("out")
    func run(_ name: String, _ numbers: Range<Int>) async throws {
      let lines = numbers.map { "{\"rubbish\":\($0)}\n" }
      try folder.makeFile(name, holding: Array(lines.joined().utf8))
      let ran = try await BuiltCommand.run(["run", folder.path(name), "--out", out, "-q"])
      #expect(ran.status == 0, "\(ran.errorText)")
    }
    func read(after cursor: TableCursor?) async throws -> (rows: Int, cursor: TableCursor?) {
      var (rows, last) = (0, cursor)
      for try await element in TableFeed(.rejects, in: out, state: "\(out)/_state", after: cursor) {
        rows += element.rows.rows.count
        last = element.cursor
      }
      return (rows, last)
    }
    try await run("first.jsonl", 100..<150)
    let early = try await read(after: nil).cursor
    try FileManager.default.copyItem(atPath: out, toPath: folder.path("backup"))
    try await run("lost1.jsonl", 200..<280)
    let late = try await read(after: early)
    #expect(late.rows == 80)
    try FileManager.default.removeItem(atPath: out)
    try FileManager.default.copyItem(atPath: folder.path("backup"), toPath: out)
    // Before another row comes, and after.
    await #expect(throws: FileFailure.self) { _ = try await read(after: late.cursor) }
    try await run("other.jsonl", 300..<380)
    let failure = await #expect(throws: FileFailure.self) { _ = try await read(after: late.cursor) }
    #expect(failure?.kind == .incompatible)
    #expect(try await read(after: early).rows == 80)
    // A text of an earlier version has no mark, and is accepted.
    let text = try #require(early).description
    let old = try #require(TableCursor(String(text.prefix { $0 != "@" })))
    #expect(old.mark == nil)
    let read = try await read(after: old)
    #expect(read.rows == 80 && read.cursor?.mark != nil)
  }
}
