@testable import Spool
import Foundation
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `Putting a file of the spool away` {
  @Test(arguments: [SpoolRename.atOnce, .byLink]) func `never replaces a file or a reason`(
    _ rename: SpoolRename
  ) throws {
    let site = try SpoolSite()
    do {
      let folder = try site.folder(rename: rename)
      for round in 1...3 {
        try site.put("a", "good \(round)")
        #expect(try site.take(from: folder) == ["a"])
        try site.put("a", "bad \(round)")
        #expect(folder.fail(try #require(try folder.scan().first), reason: "reason \(round)") == .done)
      }
    }
    #expect(try site.done() == ["a", "a.2", "a.3"])
    #expect(try site.names("failed") == ["a", "a.2", "a.2.reason", "a.3", "a.3.reason", "a.reason"])
    for (round, suffix) in [(1, ""), (2, ".2"), (3, ".3")] {
      #expect(try site.done("a\(suffix)") == "good \(round)")
      #expect(try site.text("failed/a\(suffix)") == "bad \(round)")
      #expect(try site.text("failed/a\(suffix).reason") == "reason \(round)\n")
    }
    // The next consumer does not know which numbers are taken.
    try site.put("a", "good 4")
    try site.take(from: try site.folder(rename: rename))
    #expect(try site.done("a.4") == "good 4")
  }

  @Test(arguments: [SpoolRename.atOnce, .byLink]) func `does not replace a file with the name of a reason`(
    _ rename: SpoolRename
  ) throws {
    let site = try SpoolSite()
    let folder = try site.folder(rename: rename)
    try site.put("a.reason", "a file")
    #expect(folder.fail(try #require(try folder.scan().first), reason: "is odd") == .done)
    try site.put("a", "another")
    #expect(folder.fail(try #require(try folder.scan().first), reason: "is odd too") == .done)
    #expect(try site.names("failed") == ["a.2", "a.2.reason", "a.reason", "a.reason.reason"])
    #expect(try site.text("failed/a.reason") == "a file")
    #expect(try site.text("failed/a.2.reason") == "is odd too\n")
  }

  @Test(arguments: [SpoolRename.atOnce, .byLink])
  func `completes the reason that a crash left behind`(
    _ rename: SpoolRename
  ) throws {
    let site = try SpoolSite()
    _ = try site.folder(rename: rename)
    try site.put("a")
    // What is there when it is killed before the file is moved, and before the reason is.
    try site.write("failed/a.reason", "is odd\n")
    let gone = Process()
    gone.executableURL = URL(filePath: "/bin/true")
    try gone.run()
    gone.waitUntilExit()
    try site.write("failed/.reason-\(gone.processIdentifier).inprogress", "is o")
    try site.write("failed/.reason-1.inprogress", "of a process that runs")
    let folder = try site.folder(rename: rename)
    #expect(folder.fail(try #require(try folder.scan().first), reason: "is odd") == .done)
    #expect(try site.names("failed") == [".reason-1.inprogress", "a", "a.reason"])
    #expect(try site.text("failed/a.reason") == "is odd\n")
  }

  @Test(arguments: [SpoolRename.atOnce, .byLink]) func `moves directories and symbolic links themselves`(
    _ rename: SpoolRename
  ) throws {
    let site = try SpoolSite()
    let folder = try site.folder(rename: rename)
    for _ in 1...2 {
      try #require(unsafe mkdir("\(site.path)/new/d", 0o700) == 0)
      try #require(unsafe symlink("/etc/passwd", "\(site.path)/new/l") == 0)
      #expect(try site.take(from: folder) == [])
    }
    let names = ["d", "d.2", "l", "l.2"]
    #expect(try site.names("failed") == names.flatMap { [$0, "\($0).reason"] }.sorted())
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(site.path)/failed/l.2") == "/etc/passwd")
  }

  @Test(arguments: [SpoolRename.atOnce, .byLink])
  func `removes the old name where a crash left both on one file`(
    _ rename: SpoolRename
  ) throws {
    let site = try SpoolSite()
    let folder = try site.folder(rename: rename)
    for name in ["a", "b", "c"] { try site.put(name) }
    folder.stamp = 1_700_000_000_000
    let hour = "\(site.path)/done/2023-11-14/22"
    try FileManager.default.createDirectory(atPath: hour, withIntermediateDirectories: true)
    try #require(unsafe link("\(site.path)/new/a", "\(hour)/a") == 0)
    for name in ["b", "c"] {
      try #require(unsafe link("\(site.path)/new/\(name)", "\(site.path)/failed/\(name)") == 0)
    }
    try site.write("failed/b.reason", "is bad\n")
    let entries = try folder.scan()
    let file = try folder.open(entries[0])
    #expect(folder.archive(entries[0], file.identity) == .done)
    for entry in entries.dropFirst() { #expect(folder.fail(entry, reason: "is bad") == .done) }
    #expect(try site.done() == ["a"])
    #expect(try site.names("failed") == ["b", "b.reason", "c", "c.reason"])
    #expect(try site.text("failed/c.reason") == "is bad\n")
    #expect(try site.names("new") == [])
  }

  @Test(arguments: [false, true]) func `does not move a file that differs from the one read`(_ isReplaced: Bool) throws
  {
    let site = try SpoolSite()
    let folder = try site.folder(deletes: isReplaced)
    try site.put("a", "text")
    let entry = try #require(try folder.scan().first)
    let identity = try folder.open(entry).identity
    if isReplaced { try site.put("a", "more") } else { try site.write("new/a", "text that grew") }
    let filing = folder.archive(entry, identity)
    #expect(filing == .changed(filing.problem ?? ""))
    // And it is to be had at once.
    let again = try #require(try folder.scan().first)
    #expect(try folder.open(again).identity != identity)
    #expect(try site.done() == [])
  }

  @Test func `deletes files with the option, but keeps failed ones`() throws {
    let site = try SpoolSite()
    let folder = try site.folder(deletes: true)
    try site.put("a")
    try #require(unsafe mkfifo("\(site.path)/new/b", 0o600) == 0)
    #expect(try site.take(from: folder) == ["a"])
    #expect(try site.names("new") == [])
    #expect(try site.done() == [])
    #expect(try site.names("failed") == ["b", "b.reason"])
  }

  @Test func `creates a removed folder again`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    try site.put("a")
    try #require(unsafe rmdir("\(site.path)/done") == 0)
    try #require(unsafe rmdir("\(site.path)/failed") == 0)
    #expect(try site.take(from: folder) == ["a"])
    #expect(try site.done() == ["a"])
    try site.put("b")
    #expect(folder.fail(try #require(try folder.scan().first), reason: "is broken") == .done)
    #expect(try site.names("failed").contains("b"))
    try folder.synchronize()
  }

  @Test func `retries a file that cannot be moved later, and reads the others`() async {
    // Of its own process, as root may write everywhere.
    await #expect(processExitsWith: .success) {
      let site = try SpoolSite()
      let folder = try site.folder()
      try site.put("a")
      try #require(unsafe mkfifo("\(site.path)/new/b", 0o600) == 0)
      for path in [site.directory.path, site.path, "\(site.path)/new"] { try #require(unsafe chmod(path, 0o777) == 0) }
      for name in ["done", "failed"] { try #require(unsafe chmod("\(site.path)/\(name)", 0o555) == 0) }
      try #require(unsafe chmod("\(site.path)/new/a", 0o644) == 0)
      if geteuid() == 0 { try #require(seteuid(65534) == 0) }
      let now = ContinuousClock.now
      let entries = try folder.scan(at: now)
      let filing = folder.archive(entries[0], try folder.open(entries[0]).identity, at: now)
      #expect(filing.problem?.contains("/new/a: The file cannot be moved to") == true)
      #expect(filing.problem?.contains("Give this user permission") == true)
      let refusal = try #require(spoolRefusal(folder, entries[1]))
      let failing = folder.fail(entries[1], reason: refusal.reason, at: now)
      #expect(failing == .stuck(failing.problem ?? ""))
      #expect(folder.setAside.count == 2)
      #expect(folder.nextScan == now + SpoolSetAside.pause)
      try site.write("new/c", "text")
      #expect(try folder.scan(at: now + .seconds(1)).map(\.name) == ["c"])
      if getuid() == 0 { try #require(seteuid(0) == 0) }
      for name in ["done", "failed"] { try #require(unsafe chmod("\(site.path)/\(name)", 0o755) == 0) }
      #expect(try site.names("failed") == [])
      #expect(try site.take(from: folder, at: now + SpoolSetAside.pause) == ["a", "c"])
      #expect(try site.names("failed") == ["b", "b.reason"])
      #expect(folder.setAside.count == 0)
      #expect(folder.nextScan == nil)
    }
  }

  @Test func `reports that done/ must be on the file system of the spool`() throws {
    var template = Array("/dev/shm/postback-XXXXXX".utf8CString)
    let other = unsafe mkdtemp(&template).map { unsafe String(cString: $0) }
    let elsewhere = try #require(other)
    defer { try? FileManager.default.removeItem(atPath: elsewhere) }
    let site = try SpoolSite()
    try #require(unsafe symlink(elsewhere, "\(site.path)/done") == 0)
    let folder = try site.folder()
    try site.put("a")
    let entry = try #require(try folder.scan().first)
    let filing = folder.archive(entry, try folder.open(entry).identity)
    #expect(filing == .stuck(filing.problem ?? ""))
    #expect(filing.problem?.contains("Keep the directories of the spool on one file system") == true)
    #expect(try site.names("new") == ["a"])
    #expect(try folder.scan().isEmpty)
  }

  @Test func `handles names with line feeds, and reports them on one line`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    let name = "a\nb\u{2028}c"
    try site.put(name)
    #expect(try folder.scan().first?.shown == "\(site.path)/new/a%0Ab%E2%80%A8c")
    #expect(try site.take(from: folder) == [name])
    #expect(try site.done() == [name])
    try site.put(name)
    #expect(folder.fail(try #require(try folder.scan().first), reason: "line\nline") == .done)
    #expect(try site.names("failed") == [name, "\(name).reason"].sorted())
    #expect(try site.text("failed/\(name).reason") == "line%0Aline\n")
  }

  @Test func `shortens very long names between characters`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    let long = String(repeating: "ä", count: 127) + "b"
    for _ in 1...2 {
      try site.put(long)
      #expect(try site.take(from: folder) == [long])
      try site.put(long)
      #expect(folder.fail(try #require(try folder.scan().first), reason: "is long") == .done)
    }
    let short = { String(repeating: "ä", count: $0) }
    #expect(try site.done() == [short(126) + ".2", long].sorted())
    let failed = [long, short(124) + ".reason", short(126) + ".2", short(123) + ".2.reason"]
    #expect(Set(try site.names("failed")) == Set(failed))
  }

  @Test func `refuses a name that is not UTF-8, and moves the file to failed/ under a valid name`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    try site.put("b")
    let path = Array("\(site.path)/new/a".utf8CString.dropLast()) + [CChar(bitPattern: 0xFF), 0x62, 0]
    for _ in 1...2 {
      let descriptor = unsafe open(path, O_WRONLY | O_CREAT, 0o600)
      try #require(descriptor >= 0)
      close(descriptor)
      let entry = try #require(try folder.scan().first)
      #expect(spoolRefusal(folder, entry)?.kind == .unusableName)
      try site.take(from: folder)
      #expect(unsafe access(path, F_OK) != 0)
    }
    #expect(try site.names("failed") == ["a%FFb", "a%FFb.2", "a%FFb.2.reason", "a%FFb.reason"])
    #expect(try site.done() == ["b"])
  }

  @Test func `can be made durable repeatedly`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    try folder.synchronize()
    try site.put("a")
    folder.stamp = 1_700_000_000_000
    try site.take(from: folder)
    let done = ["", "/2023-11-14", "/2023-11-14/22"].map { "\(site.path)/done\($0)" }
    #expect(folder.unsynchronized == Set(["\(site.path)/new"] + done))
    try folder.synchronize()
    #expect(folder.unsynchronized == [])
  }
}
