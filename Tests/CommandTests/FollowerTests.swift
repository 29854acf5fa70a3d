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
}
