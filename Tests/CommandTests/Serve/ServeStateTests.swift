import Foundation
import Glibc
import JSON
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"

@Suite struct `A receiver with --watch whose state cannot be used` {
  private static let options = ["--watch", "--out", "FOLDER/out", "--commit-ms", "50", "--rescan-ms", "50"]

  /// A way in which the state is unusable at the start, and its repair. Both get the path of the output.
  enum Trouble: String, CaseIterable {
    case damaged, missing, locked, notFolder, otherFormat

    func make(_ out: String) throws -> () throws -> Void {
      let (files, state) = (FileManager.default, "\(out)/_state")
      switch self {
      case .damaged:
        try files.copyItem(atPath: "\(state)/ledger.sqlite", toPath: "\(out)/copy")
        try Data(count: 100).write(to: URL(fileURLWithPath: "\(state)/ledger.sqlite"))
        return {
          try files.removeItem(atPath: "\(state)/ledger.sqlite")
          try files.moveItem(atPath: "\(out)/copy", toPath: "\(state)/ledger.sqlite")
        }
      case .missing:
        try files.moveItem(atPath: state, toPath: "\(out)/copy")
        return { try files.moveItem(atPath: "\(out)/copy", toPath: state) }
      case .locked:
        let descriptor = unsafe open("\(state)/lock", O_RDWR | O_CLOEXEC)
        #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
        return { close(descriptor) }
      case .notFolder:
        try files.moveItem(atPath: out, toPath: "\(out)-copy")
        _ = files.createFile(atPath: out, contents: nil)
        return {
          try files.removeItem(atPath: out)
          try files.moveItem(atPath: "\(out)-copy", toPath: out)
        }
      case .otherFormat:
        // The options choose the default format if the ledger cannot be read, and the format of the tables later.
        return try Trouble.missing.make(out)
      }
    }
  }

  private func phase(_ site: ServerSite) throws -> String? {
    let health = try JSONValue(parsing: Array(try site.request("GET", "/healthz").text.utf8))
    return health["consumer"]?["state"]?.text
  }

  private func rows(_ site: ServerSite) throws -> Int {
    var count = 0
    for table in ["skan_postbacks", "skan_rejects"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: site.folder.path("out/\(table)")) {
        count += try site.folder.contents(of: "out/\(table)/\(name)").count { $0 == UInt8(ascii: "\n") }
      }
    }
    return count
  }

  private func check(_ site: ServerSite) async throws -> String {
    try await BuiltCommand.run(["state", "check", site.folder.path("out")]).text
  }

  @Test(arguments: Trouble.allCases) func `receives, says why, and consumes by itself when it is repaired`(
    _ trouble: Trouble
  ) async throws {
    let csv = trouble == .otherFormat
    let first = try await ServerSite(Self.options + (csv ? ["--format", "both"] : []))
    #expect(try first.request("POST", device, body: "{\"n\":1}").status == 200)
    try await first.wait("it is committed") { try first.names("done").count == 1 }
    #expect(try await first.stop() == 0)
    let repair = try trouble.make(first.folder.path("out"))
    let site = try await ServerSite(Self.options, in: first.folder)
    try await site.wait("the consumer fails") { try phase(site) == "failing" }
    #expect(try site.request("POST", device, body: "{\"n\":2}").status == 200)
    #expect(try site.request("GET", "/healthz").status == 200)
    #expect(try site.metric(#"postback_consumer_state{state="failing"}"#) == 1)
    let failures = try site.log().filter { $0["event"] == .string("consumer_failing") }
    #expect(failures.count == 1, "the reason is logged once: \(failures)")
    #expect(try site.names("new").count == 1)
    try repair()
    try await site.wait("the consumer runs") { try phase(site) == "running" && site.names("new").isEmpty }
    #expect(try await site.stop() == 0)
    // Each of the two parts of CSV has its header, and so has the empty table.
    #expect(try rows(site) == (csv ? 7 : 2))
    #expect(try await check(site) == "sound\n")
  }

  @Test(arguments: ["out/_state", "out", "out/skan_rejects"])
  func `because it was moved away notices it, and puts no file away until it is back`(_ name: String) async throws {
    let site = try await ServerSite(Self.options)
    #expect(try site.request("POST", device, body: "{\"n\":1}").status == 200)
    try await site.wait("it is committed") { try site.names("done").count == 1 }
    try FileManager.default.moveItem(atPath: site.folder.path(name), toPath: site.folder.path("away"))
    for n in 2...4 { #expect(try site.request("POST", device, body: "{\"n\":\(n)}").status == 200) }
    try await site.wait("the consumer fails") { try phase(site) == "failing" }
    #expect(try site.names("new").count == 3 && site.names("done").count == 1)
    #expect(!FileManager.default.fileExists(atPath: site.folder.path(name)), "nothing is begun anew in its place")
    try FileManager.default.moveItem(atPath: site.folder.path("away"), toPath: site.folder.path(name))
    try await site.wait("the consumer runs") { try phase(site) == "running" && site.names("new").isEmpty }
    #expect(try await site.stop() == 0)
    #expect(try rows(site) == 4)
    #expect(try await check(site) == "sound\n")
  }

  @Test func `because a part with committed rows is gone says so at once and at every start`() async throws {
    let site = try await ServerSite(Self.options)
    #expect(try site.request("POST", device, body: "{\"n\":1}").status == 200)
    try await site.wait("it is committed") { try site.names("done").count == 1 }
    let part = "out/skan_rejects/.part-00000001.jsonl.inprogress"
    try FileManager.default.moveItem(atPath: site.folder.path(part), toPath: site.folder.path("away"))
    try await site.wait("the consumer fails") { try phase(site) == "failing" }
    #expect(try site.metric("postback_committed_parts_missing") == 1)
    #expect(try site.log().contains { $0["event"] == .string("committed_rows_missing") && $0.integer("rows") == 1 })
    #expect(try await site.stop() == 0)
    for _ in 0..<2 {
      let run = ["run", Fixtures.path("postbacks/skadnetwork-2.0.jsonl"), "--out", site.folder.path("out")]
      let result = try await BuiltCommand.run(run)
      #expect(result.status == 65 && result.errorText.contains("1 committed rows"), "\(result.errorText)")
    }
    let next = try await ServerSite(Self.options, in: site.folder)
    try await next.wait("the consumer fails") { try phase(next) == "failing" }
    #expect(try next.metric("postback_committed_parts_missing") == 1)
    try FileManager.default.moveItem(atPath: site.folder.path("away"), toPath: site.folder.path(part))
    try await next.wait("the consumer runs") { try phase(next) == "running" }
    #expect(try next.metric("postback_committed_parts_missing") == 0)
  }
}

@Suite struct `A consumer whose state was removed` {
  @Test(arguments: ["out/_state", "out"]) func `ends, and no file that came since is put away`(_ name: String)
    async throws
  {
    let site = try WatchSite()
    let process = try site.start()
    try site.put("a.jsonl", Fixtures.bytes("postbacks/skadnetwork-4.0.jsonl"))
    try await site.waitFor("committed")
    // In one step: a removal entry by entry may fail where the consumer makes files meanwhile.
    try FileManager.default.moveItem(atPath: site.folder.path(name), toPath: site.folder.path("removed"))
    try FileManager.default.removeItem(atPath: site.folder.path("removed"))
    try site.put("b.jsonl", Fixtures.bytes("postbacks/skadnetwork-3.0.jsonl"))
    process.waitUntilExit()
    #expect(process.terminationStatus == 65)
    #expect(try site.log.contains("while it was in use"))
    let names = try FileManager.default.contentsOfDirectory(atPath: site.folder.path("spool/new"))
    #expect(names == ["b.jsonl"])
  }
}

@Suite(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
struct `A file of the spool that a failing disk does not read` {
  @Test func `stays in the spool while the receiver goes on`() async throws {
    let folder = try TemporaryFolder()
    for name in ["tmp", "new"] {
      try FileManager.default.createDirectory(atPath: folder.path("spool/\(name)"), withIntermediateDirectories: true)
    }
    let lines = Fixtures.bytes("postbacks/skadnetwork-4.0.jsonl")
    for name in ["a", "b", "c"] { try folder.makeFile("spool/new/\(name).jsonl", holding: lines) }
    let fault = Fault(
      call: "read",
      effect: "error=EIO",
      count: "1..3",
      path: folder.path("spool/new/b.jsonl")
    )
    let options = ["--watch", "--out", "FOLDER/out", "--commit-ms", "50"]
    let site = try await ServerSite(options, in: folder, fault: fault)
    try await site.wait("the consumer fails") {
      try site.log().contains { $0["event"] == .string("consumer_failing") }
    }
    // What was read before it is committed, and a file that is given then is acknowledged.
    #expect(try site.names("done") == ["a.jsonl"] && site.names("failed").isEmpty)
    #expect(try site.request("POST", device, body: "{\"n\":1}").status == 200)
    try await site.wait("it is read at last") { try site.names("new").isEmpty }
    #expect(try site.names("done").count == 4 && site.names("failed").isEmpty)
    #expect(try await site.stop() == 0)
  }

  @Test func `ends a consumer alone, and nothing is put into failed`() async throws {
    let site = try WatchSite()
    try site.put("a.jsonl", Fixtures.bytes("postbacks/skadnetwork-4.0.jsonl"))
    let fault = Fault(call: "read", effect: "error=EIO", path: site.folder.path("spool/new/a.jsonl"))
    let watch = ["watch", site.folder.path("spool"), "--out", site.folder.path("out"), "--once"]
    let result = try await BuiltCommand.run(
      executable: "/usr/bin/env",
      fault.arguments + [try BuiltCommand.path] + watch
    )
    #expect(result.status == 74, "\(result.errorText)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: site.folder.path("spool/new")) == ["a.jsonl"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: site.folder.path("spool/failed")).isEmpty)
  }
}
