import Foundation
import Glibc
import JSON
import TestSupport
import Testing

private let device = "/.well-known/skadnetwork/report-attribution/"

@Suite struct `postback state backup` {
  private static let options = ["--watch", "--out", "FOLDER/out", "--commit-ms", "50", "--part-bytes", "1"]

  private func backup(_ folder: TemporaryFolder, _ name: String, _ options: [String] = []) async throws
    -> BuiltCommand.Result
  {
    try await BuiltCommand.run(["state", "backup", folder.path("out"), "--to", folder.path(name), "--json"] + options)
  }

  private func rejects(_ folder: TemporaryFolder, _ out: String) throws -> Int {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("\(out)/skan_rejects"))
    return try names.reduce(0) { count, name in
      try count + folder.contents(of: "\(out)/skan_rejects/\(name)").count { $0 == UInt8(ascii: "\n") }
    }
  }

  private func inode(_ path: String) throws -> UInt64? {
    try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64
  }

  @Test func `copies one moment while the consumer goes on, and the copy continues with the spool`() async throws {
    let site = try await ServerSite(Self.options)
    for n in 1...3 { #expect(try site.request("POST", device, body: "{\"n\":\(n)}").status == 200) }
    try await site.wait("they are committed") { try site.names("done").count == 3 }
    let first = try await backup(site.folder, "first")
    #expect(first.status == 0, "\(first.errorText)")
    #expect(try site.request("POST", device, body: "{\"n\":4}").status == 200)
    try await site.wait("it is committed") { try site.names("done").count == 4 }
    let second = try await backup(site.folder, "second", ["--link-to", site.folder.path("first")])
    #expect(try JSONValue(parsing: second.output)["linked"]?.integer ?? 0 > 0, "\(second.text)\(second.errorText)")
    #expect(try await site.stop() == 0)
    for (name, rows) in [("first", 3), ("second", 4)] {
      #expect(try rejects(site.folder, name) == rows)
      #expect(try await BuiltCommand.run(["state", "check", site.folder.path(name)]).text == "sound\n")
    }
    let part = "skan_rejects/part-00000001.jsonl"
    #expect(try inode(site.folder.path("first/\(part)")) == inode(site.folder.path("second/\(part)")))
    // Restored, it knows what it has, and takes the rest.
    let files = FileManager.default
    for file in try site.folder.files(below: "spool/done") {
      let name = file.split(separator: "/").last ?? ""
      try files.moveItem(atPath: "\(site.spool)/done/\(file)", toPath: "\(site.spool)/new/\(name)")
    }
    let watch = ["watch", site.spool, "--out", site.folder.path("first"), "--once", "--part-bytes", "1"]
    #expect(try await BuiltCommand.run(watch).status == 0)
    #expect(try rejects(site.folder, "first") == 4)
    #expect(try await BuiltCommand.run(["state", "check", site.folder.path("first")]).text == "sound\n")
  }

  @Test func `names what it does not copy, and refuses a folder that exists and damaged tables`() async throws {
    let folder = try TemporaryFolder()
    let run = ["run", Fixtures.path("postbacks"), "--out", folder.path("out")]
    #expect(try await BuiltCommand.run(run).status == 0)
    try folder.makeFile("out/notes")
    let first = try await backup(folder, "first")
    #expect(try JSONValue(parsing: first.output)["not_copied"] == .array([.string("notes")]))
    #expect(try await backup(folder, "first").status == 73)
    let moved = folder.path("out/skan_events/part-00000001.jsonl")
    try FileManager.default.moveItem(atPath: moved, toPath: folder.path("moved"))
    let without = try await backup(folder, "without")
    #expect(without.status == 0)
    #expect(try JSONValue(parsing: without.output)["missing"] == .array([.string(moved)]))
    var bytes = try folder.contents(of: "out/skan_rejects/part-00000001.jsonl")
    bytes[10] ^= 1
    try folder.makeFile("out/skan_rejects/part-00000001.jsonl", holding: bytes)
    let damaged = try await backup(folder, "damaged")
    #expect(
      damaged.status == 65 && damaged.errorText.contains("skan_rejects/part-00000001.jsonl"),
      "\(damaged.errorText)"
    )
    #expect(!FileManager.default.fileExists(atPath: folder.path("damaged")))
  }

  @Test func `has nothing of one that was interrupted`() async throws {
    let folder = try TemporaryFolder()
    for words in [["run", Fixtures.path("postbacks"), "--out", folder.path("out")], ["daily", folder.path("out")]] {
      let made = try await BuiltCommand.run(words)
      #expect(made.status == 0, "\(made.errorText)")
    }
    #expect(try await backup(folder, "first").status == 0)
    let files = try folder.files(below: "first/_derived")
    try FileManager.default.moveItem(atPath: folder.path("first"), toPath: folder.path("second.inprogress"))
    let surplus = try #require(files.first { $0.hasSuffix("skan_daily/part-00000001.jsonl") })
      .replacing("part-00000001", with: "part-00000002")
    try folder.makeFile("second.inprogress/_derived/\(surplus)", holding: [UInt8]("{}\n".utf8))
    let second = try await backup(folder, "second")
    #expect(second.status == 0, "\(second.errorText)")
    #expect(try folder.files(below: "second/_derived").sorted() == files.sorted())
  }

  @Test(arguments: [false, true]) func `is checked by a user who may not write`(_ isOfCrash: Bool) async throws {
    let site = try await ServerSite(Self.options)
    #expect(try site.request("POST", device, body: "{\"n\":1}").status == 200)
    try await site.wait("it is committed") { try site.names("done").count == 1 }
    // A plain copy after a crash has a write-ahead log; a backup has none.
    if isOfCrash { kill(site.serverID, SIGKILL) } else { _ = try await backup(site.folder, "copy") }
    if isOfCrash {
      try await site.wait("it ends") { !site.isRunning }
      try FileManager.default.moveItem(atPath: site.folder.path("out"), toPath: site.folder.path("copy"))
    }
    let copy = site.folder.path("copy")
    let mode = ["-c", "chmod -R a-w,a+rX \(copy) && chmod a+x \(site.folder.path(""))"]
    #expect(try await BuiltCommand.run(executable: "/bin/sh", mode).status == 0)
    let check = [try BuiltCommand.path, "state", "check", copy]
    let user = geteuid() == 0 ? ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []
    let before = try FileManager.default.contentsOfDirectory(atPath: "\(copy)/_state").sorted()
    let result = try await BuiltCommand.run(executable: "/usr/bin/env", user + check)
    #expect(result.status == 0 && result.text.hasSuffix("sound\n"), "\(result.text)\(result.errorText)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(copy)/_state").sorted() == before)
    _ = try await BuiltCommand.run(executable: "/bin/sh", ["-c", "chmod -R u+w \(copy)"])
  }
}
