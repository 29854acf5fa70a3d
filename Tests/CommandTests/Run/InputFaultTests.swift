import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct `An input that changes` {
  private let lines: [[UInt8]]
  private let site: FaultSite

  init() async throws {
    site = try await FaultSite()
    lines = try site.folder.contents(of: "in.jsonl").split(separator: UInt8(ascii: "\n")).map {
      $0 + [UInt8(ascii: "\n")]
    }
    try site.put("a", Array(lines.joined()))
  }

  /// Runs a consumer that reads the file slowly, and changes the file meanwhile.
  private func whileRead(_ script: String) async throws -> BuiltCommand.Result {
    let fault = Fault(call: "read", effect: "delay_exit=700000", path: "\(site.spool)/new/a")
    // It is being read when some process has it open.
    return try await site.shell(
      """
      cd $F/spool/new; \(fault.arguments.joined(separator: " ")) $0 "$@" &
      until [ -n "$(find /proc/[0-9]*/fd -lname "$(realpath a)" 2>/dev/null)" ]; do sleep 0.05; done
      sleep 0.1; \(script); wait $!
      """,
      site.arguments(["watch", site.spool, "--once"])
    )
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
  func `grows while it is read, and every line has one row`() async throws {
    let more = try await GeneratedDump(count: 5, seed: 99, options: ["--valid-only"])
    try site.folder.makeFile("more", holding: more.bytes)
    let result = try await whileRead("cat $F/more >> a")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try site.rows() == ["a": Array(1...FaultSite.count + 5)])
    #expect(try site.names("spool/new") == [] && site.names("spool/done") == ["a"])
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
  func `shrinks while it is read, and every remaining line has a row and no postback has two`() async throws {
    let result = try await whileRead("truncate -s \(lines.prefix(100).joined().count) a")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(Set(try site.rows()["a"] ?? []).isSuperset(of: 1...100))
    #expect(try site.names("spool/new") == [] && site.names("spool/done") == ["a"])
    let check = try await BuiltCommand.run(["state", "check", "--state", "\(site.out)/_state", "--out", site.out])
    #expect(check.text == "sound\n")
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
  func `is removed while it is read, and every line has one row`() async throws {
    let result = try await whileRead("rm a")
    #expect(result.status == 0, "\(result.errorText)")
    #expect(try site.rows() == ["a": Array(1...FaultSite.count)])
    #expect(try site.names("spool/new") == [] && site.names("spool/done") == [])
  }

  @Test func `is renamed, and not read again`() async throws {
    #expect(try await site.watch().status == 0)
    try site.put("b", Array(lines.joined()))
    #expect(try await site.watch().status == 0)
    #expect(try site.rows() == ["a": Array(1...FaultSite.count)])
    #expect(try site.names("spool/done") == ["a", "b"])
  }

  @Test func `has other content with the same inode and size, and is read`() async throws {
    try site.put("a", Array(lines[..<250].joined()))
    #expect(try await site.watch().status == 0)
    // As of another file that has got the same inode.
    let other = Array(lines[250...].joined().prefix(lines[..<250].joined().count))
    let script = "cd $F/spool; mv done/*/*/a new/b; cat $F/other > new/b; truncate -s $(stat -c %s $F/other) new/b"
    try site.folder.makeFile("other", holding: other)
    #expect(try await site.shell(script).status == 0)
    #expect(try await site.watch().status == 0)
    let count = other.split(separator: UInt8(ascii: "\n")).count
    #expect(try site.rows() == ["a": Array(1...250), "b": Array(1...count)])
  }
}

@Suite struct `Something other than a file of postbacks` {
  @Test func `is moved from the spool to failed, and blocks nothing`() async throws {
    let site = try await FaultSite()
    try site.put("z", try site.folder.contents(of: "in.jsonl"))
    let script = "cd $F/spool/new; ln -s z link; mkfifo pipe; mkdir folder; mknod device c 1 5 2>/dev/null; true"
    #expect(try await site.shell(script).status == 0)
    #expect(try await site.watch().status == 0)
    #expect(try site.names("spool/new") == [])
    let names = ["folder", "link", "pipe"] + (geteuid() == 0 ? ["device"] : [])
    let failed = try FileManager.default.contentsOfDirectory(atPath: site.folder.path("spool/failed"))
    #expect(Set(failed).isSuperset(of: names + names.map { "\($0).reason" }))
    #expect(try site.rows() == ["z": Array(1...FaultSite.count)])
  }

  @Test(arguments: [
    "head -c 256M /dev/zero", "yes 0 | head -c 64M", "(echo app_id,version,redownload; yes 1,2,true | head -c 64M)",
  ])
  func `expands without end, and is cut off with a message`(_ bomb: String) async throws {
    let site = try await FaultSite()
    // The bomb is the second member of the file.
    let file = "(echo '{}' | gzip; \(bomb) | gzip -9) > $F/spool/new/bomb"
    #expect(try await site.shell("mkdir -p $F/spool/new; \(file)").status == 0)
    #expect(try await site.watch().status == 0)
    let rows = try #require(try site.rows()["bomb"])
    #expect(rows.count < 100_000)
    let size = try site.tables().values.reduce(0) { $0 + $1.count }
    #expect(size < 96 << 20)
    #expect(try site.tables().values.contains { String(decoding: $0, as: UTF8.self).contains("which no real dump") })
  }

  @Test(arguments: ["exec $0 \"$@\" >&-", "exec $0 \"$@\" >/dev/full"])
  func `as standard output ends a run with 74, with everything committed`(_ script: String) async throws {
    let site = try await FaultSite()
    #expect(try await site.shell(script).status == 74)
    try await site.expectUndisturbed()
  }

  @Test func `that closes the pipe of the output does no harm`() async throws {
    let site = try await FaultSite()
    #expect(try await site.shell("$0 \"$@\" | true; exit ${PIPESTATUS[0]}").status == 0)
    try await site.expectUndisturbed()
  }
}

@Suite struct `A damaged state` {
  @Test(arguments: [
    "printf xxxx | dd of=ledger.sqlite bs=1 seek=0 conv=notrunc", "truncate -s 0 ledger.sqlite", "rm ledger.sqlite",
    "printf xxxx | dd of=seen.log bs=1 seek=500 conv=notrunc", "truncate -s -1 seen.log", "rm seen.log", "rm commit",
    "printf xxxx | dd of=../skan_postbacks/part-00000001.jsonl bs=1 seek=9 conv=notrunc",
  ]) func `is refused with 65 or found by the check, and nothing is written`(_ damage: String) async throws {
    let site = try await FaultSite()
    #expect(try await site.run().status == 0)
    #expect(try await site.shell("cd $F/out/_state; \(damage) 2>/dev/null").status == 0)
    let before = try site.tables()
    let check = try await BuiltCommand.run(["state", "check", "--state", "\(site.out)/_state", "--out", site.out])
    let run = try await site.run()
    #expect(check.status == 65 || check.status == 66)
    // A part that was published is its readers', and not looked at again.
    #expect(run.status == (damage.contains("skan_postbacks") ? 0 : 65), "\(run.errorText)")
    #expect(try site.tables() == before)
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
  func `is refused with 65 if it lost its write-ahead log after a crash`() async throws {
    let site = try await FaultSite()
    // Behind the commit, which is in the write-ahead log, and before a part has its name.
    _ = try await site.run(nil, Fault(call: "rename", effect: "signal=KILL", count: "5"))
    #expect(try await site.shell("rm $F/out/_state/ledger.sqlite-wal").status == 0)
    let run = try await site.run()
    #expect(run.status == 65)
    #expect(run.errorText.contains("has lost commits"))
  }

  @Test func `is not opened while in use: the run ends with 75 and names the process`() async throws {
    let site = try await FaultSite()
    let script = """
      mkfifo $F/pipe; $0 run $F/pipe "$@" & exec 3> $F/pipe; sleep 1
      $0 run $F/in.jsonl "$@"; echo $?; exec 3>&-; wait $!; echo $? $!
      """
    let result = try await site.shell(script, site.arguments([]))
    let words = result.text.split { $0.isWhitespace }
    #expect(words.contains("75"))
    let holder = try #require(words.last)
    #expect(result.errorText.contains("is in use by process \(holder) ("))
    #expect(result.errorText.contains("leave inputs out of the configuration") && !result.errorText.contains("--state"))
    #expect(try await site.run().status == 0)
    #expect(try site.rows() == ["in.jsonl": Array(1...FaultSite.count)])
  }
}
