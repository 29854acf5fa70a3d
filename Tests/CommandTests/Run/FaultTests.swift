import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct `A failing disk` {
  /// A run that a fault struck at the call of that number, or at an earlier one: strace counts by thread, and which thread
  /// does what is open.
  private func struck(
    _ call: String,
    _ effect: String,
    at count: Int
  ) async throws -> (site: FaultSite, result: BuiltCommand.Result) {
    var count = count
    while true {
      let site = try await FaultSite()
      let result = try await site.run(nil, Fault(call: call, effect: effect, count: String(count)))
      if result.status != 0 || count == 1 { return (site, result) }
      count /= 2
    }
  }

  @Test(
    .enabled(if: Tracer.works, "strace is not there, or may not trace"),
    arguments: [("fsync", [2, 6, 14]), ("fdatasync", [5, 14, 22])]
  ) func `at making durable ends a run with 74, and the next makes the undisturbed tables`(
    _ call: String,
    _ counts: [Int]
  ) async throws {
    for count in counts {
      let (site, result) = try await struck(call, "error=EIO", at: count)
      #expect(result.status == 74)
      #expect(result.errorText.contains("Check the disk, then run again"))
      #expect(try await site.run().status == 0)
      try await site.expectUndisturbed()
    }
  }

  @Test(
    .enabled(if: Tracer.works, "strace is not there, or may not trace"),
    arguments: [("write", [5, 8]), ("pwrite64", [5, 44]), ("ftruncate", [1])]
  ) func `for want of room ends a run with 74, and the next makes the undisturbed tables`(
    _ call: String,
    _ counts: [Int]
  ) async throws {
    for count in counts {
      let (site, result) = try await struck(call, "error=ENOSPC", at: count)
      #expect(result.status == 74)
      #expect(result.errorText.contains("No space left on device. Make room, then run again"))
      #expect(try await site.run().status == 0)
      try await site.expectUndisturbed()
    }
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"), arguments: ["EIO", "EXDEV"])
  func `ends a run with 74 if a file cannot be renamed, and the next run renames it`(_ code: String) async throws {
    for count in [1, 2, 3, 6] {
      let (site, result) = try await struck("rename", "error=\(code)", at: count)
      #expect(result.status == 74)
      #expect(try await site.run().status == 0)
      try await site.expectUndisturbed()
    }
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"), arguments: ["EIO", "EXDEV"])
  func `leaves a file in the spool if it cannot be moved, and its rows are not repeated`(_ code: String) async throws {
    let site = try await FaultSite()
    try site.put("a", try site.folder.contents(of: "in.jsonl"))
    let fault = Fault(call: "renameat2", effect: "error=\(code)")
    // It waits a minute before it tries again, so it is asked to leave when it has said so.
    let stopped = try await site.shell(
      """
      log=$(mktemp); \(fault.arguments.joined(separator: " ")) $0 "$@" 2>$log &
      for turn in $(seq 1000); do grep -q input_not_put_away $log && break; sleep 0.1; done
      kill -TERM $!; wait $!; cat $log >&2; rm $log
      """,
      site.arguments(["watch", site.spool])
    )
    #expect(stopped.errorText.contains("input_not_put_away"))
    #expect(try site.rows() == ["a": Array(1...FaultSite.count)])
    #expect(try site.names("spool/new") == ["a"])
    #expect(try await site.watch().status == 0)
    #expect(try site.rows() == ["a": Array(1...FaultSite.count)])
    #expect(try site.names("spool/done") == ["a"])
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
  func `goes on in another folder where that of the hour can take no more names`() async throws {
    let site = try await FaultSite()
    for name in ["a", "b", "c"] { try site.put(name, Array("{\"\(name)\":1}\n".utf8)) }
    let full = Fault(call: "renameat2", effect: "error=ENOSPC", count: "1", path: "\(site.spool)/new/b")
    #expect(try await site.watch(full).status == 0)
    #expect(try site.names("spool/new") == [])
    #expect(try site.names("spool/done") == ["a", "b", "c"])
    let folders = try site.folder.files(below: "spool/done").map { $0.split(separator: "/").dropLast().last ?? "" }
    #expect(Set(folders).count == 2 && folders.contains { $0.hasSuffix(".2") }, "\(folders)")
  }

  @Test(.enabled(if: Tracer.works, "strace is not there, or may not trace"))
  func `ends with 74 if an input cannot be read, and leaves a file of the spool where it is`() async throws {
    let site = try await FaultSite()
    let failed = try await site.run(nil, Fault(call: "read", effect: "error=EIO", path: site.input))
    #expect(failed.status == 74)
    #expect(try await site.run().status == 0)
    try await site.expectUndisturbed()
    try site.put("a", Array("{}\n".utf8))
    try site.put("b", Array("{}\n".utf8))
    #expect(try await site.watch(Fault(call: "read", effect: "error=EIO", path: "\(site.spool)/new/a")).status == 74)
    #expect(try site.names("spool/new") == ["a", "b"])
    #expect(try await site.watch().status == 0)
    #expect(try site.names("spool/done") == ["a", "b"])
  }
}

@Suite struct `A resource limit` {
  @Test(arguments: [20, 100, 300]) func `of file size ends a run with 74, and the next run completes the tables`(
    _ blocks: Int
  ) async throws {
    let site = try await FaultSite()
    // Without a TMPDIR, as there ThreadSanitizer would map a file of its own, and read where that was cut short.
    #expect(try await site.shell("ulimit -f \(blocks); TMPDIR=/none exec $0 \"$@\"").status == 74)
    #expect(try await site.run().status == 0)
    try await site.expectUndisturbed()
  }

  @Test(arguments: [8, 16])
  func `of open files is reported as such, and the next run completes the tables`(
    _ count: Int
  ) async throws {
    let site = try await FaultSite()
    let result = try await site.shell("ulimit -n \(count); exec $0 \"$@\"")
    #expect(result.status != 0)
    #expect(result.errorText.contains("Raise the limit of open files (ulimit -n)"))
    #expect(try await site.run().status == 0)
    try await site.expectUndisturbed()
  }

  @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
  func `of disk space ends a run with 74 in the middle of its parts, and the next run completes the tables`()
    async throws
  {
    let site = try await FaultSite()
    let script = """
      mkdir $F/out && mount -t tmpfs -o size=1m postback $F/out || exit 77
      $0 "$@"; first=$?; mount -o remount,size=64m $F/out; $0 "$@"; echo $first $?
      cp -a $F/out $F/copy; umount $F/out; cp -a $F/copy/. $F/out
      """
    let result = try await site.shell(script)
    guard result.status != 77 else { return }
    #expect(result.text.hasSuffix("74 0\n"), "\(result.text)\(result.errorText)")
    #expect(result.errorText.contains("Make room, then run again"))
    try await site.expectUndisturbed()
  }

  @Test(.enabled(if: geteuid() == 0, "mounting takes root"))
  func `of disk space stops a consumer from taking files until there is room`() async throws {
    let site = try await FaultSite()
    try site.put("a", try site.folder.contents(of: "in.jsonl"))
    let script = """
      mkdir $F/out && mount -t tmpfs -o size=1m postback $F/out || exit 77
      $0 "$@" & for i in $(seq 100); do sleep 0.1; grep -q disk_full $F/log && break; done
      ls $F/spool/new; mount -o remount,size=64m $F/out
      for i in $(seq 150); do sleep 0.1; ls $F/spool/done/*/*/a > /dev/null 2>&1 && break; done
      kill $!; wait $!; echo $?; cp -a $F/out $F/copy; umount $F/out; cp -a $F/copy/. $F/out
      """
    let result = try await site.shell("exec 2> $F/log; \(script)", site.arguments(["watch", site.spool]))
    guard result.status != 77 else { return }
    #expect(result.text == "a\n0\n")
    #expect(try site.rows() == ["a": Array(1...FaultSite.count)])
  }
}
