@testable import DurableFiles
@testable import Spool
import Foundation
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `A spool` {
  @Test func `is read in the byte order of names, without hidden and unfinished files`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    for name in ["b", "a", "10", "9", "B", "ä", "a.b", "a b", "\u{10000}", "\u{FFFD}", ".hidden"] { try site.put(name) }
    try site.write("tmp/0", "half")
    #expect(
      try site.take(from: folder) == ["10", "9", "B", "a", "a b", "a.b", "b", "ä", "\u{FFFD}", "\u{10000}"]
    )
    #expect(try site.names("tmp") == ["0"])
    #expect(try site.text("tmp/0") == "half")
    #expect(try site.names("new") == [".hidden"])
    #expect(try site.names("failed") == [])
    #expect(try site.done().count == 10)
    #expect(try folder.scan().isEmpty)
  }

  @Test func `refuses anything but regular files with a reason, without waiting`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    try site.put("a")
    try site.put("z")
    try #require(unsafe symlink("\(site.path)/new/a", "\(site.path)/new/link") == 0)
    try #require(unsafe symlink("/nowhere", "\(site.path)/new/loose") == 0)
    try #require(unsafe mkfifo("\(site.path)/new/pipe", 0o600) == 0)
    try #require(unsafe mkdir("\(site.path)/new/folder", 0o700) == 0)
    try #require(unsafe mknod("\(site.path)/new/socket", S_IFSOCK | 0o600, 0) == 0)
    var kinds = [
      "folder": "a directory", "link": "a symbolic link", "loose": "a symbolic link", "pipe": "a named pipe",
      "socket": "a socket",
    ]
    // The device of /dev/null, which root alone may make.
    if unsafe mknod("\(site.path)/new/device", S_IFCHR | 0o600, 0x103) == 0 { kinds["device"] = "a device" }
    #expect(try site.take(from: folder) == ["a", "z"])
    #expect(try site.names("new") == [])
    #expect(try site.done() == ["a", "z"])
    #expect(try site.names("failed") == kinds.keys.flatMap { [$0, "\($0).reason"] }.sorted())
    for (name, kind) in kinds {
      let reason = try site.text("failed/\(name).reason")
      #expect(reason == "This is \(kind), and only regular files are read. Put the file itself there.\n")
    }
  }

  @Test func `continues if a file is removed by somebody else`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    for name in ["a", "b", "c"] { try site.put(name) }
    let entries = try folder.scan()
    let identity = try folder.open(entries[1]).identity
    for name in ["a", "b", "c"] { try #require(unsafe unlink("\(site.path)/new/\(name)") == 0) }
    #expect(spoolRefusal(folder, entries[0])?.kind == .vanished)
    #expect(folder.archive(entries[1], identity) == .done)
    #expect(folder.fail(entries[2], reason: "is broken") == .done)
    #expect(try site.done() == [])
    #expect(try site.names("failed") == [])
  }

  @Test func `opens the file that was listed, even if its name was replaced`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    try site.put("a", "{\"old\":1}\n")
    let entry = try #require(try folder.scan().first)
    let file = try folder.open(entry)
    try site.put("a", "{\"new\":1}\n{}\n")
    #expect(file.input.path == "\(site.path)/new/a")
    #expect(file.identity.byteCount == 10)
    #expect(file.input.byteCount == 10)
    #expect(file.input.modified == file.identity.modified)
    let (input, identity) = (file.input, file.identity)
    let opened = OpenInput(input, file.opened(), FileIdentity(identity))
    let reader = try InputReader(opened, InputCatalog(), limits: ReadLimits())
    let batch = try #require(try reader.nextBatch())
    #expect(String(decoding: batch.bytes, as: UTF8.self).contains("old"))
    #expect(batch.records.count == 1)
    #expect(try reader.nextBatch() == nil)
  }

  @Test func `does not refuse a file because the process has too many open files`() async {
    // Of its own process, as the limit is one of a process.
    await #expect(processExitsWith: .success) {
      let site = try SpoolSite()
      let folder = try site.folder()
      try site.put("a")
      let entry = try #require(try folder.scan().first)
      var limit = rlimit()
      try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let usual = limit
      limit.rlim_cur = 0
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let refusal = spoolRefusal(folder, entry)
      let failure = spoolFailure { () throws(FileFailure) in try folder.scan() }
      limit = usual
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      var cause: FileFailure?
      if case .failure(let failure) = refusal?.kind { cause = failure }
      #expect(cause?.kind == .exhausted && cause?.path == failure?.path && cause?.code == failure?.code)
      #expect(failure?.kind == .exhausted)
      #expect(try site.names("new") == ["a"])
      #expect(try folder.scan().count == 1)
    }
  }

  @Test func `refuses a file without read permission, and says what to do`() async {
    // Of its own process, as for root everything may be read.
    await #expect(processExitsWith: .success) {
      let site = try SpoolSite()
      let folder = try site.folder()
      try site.put("a")
      try site.put("b")
      for path in [site.directory.path, site.path, "\(site.path)/new", "\(site.path)/failed", "\(site.path)/done"] {
        try #require(unsafe chmod(path, 0o777) == 0)
      }
      try #require(unsafe chmod("\(site.path)/new/a", 0) == 0)
      try #require(unsafe chmod("\(site.path)/new/b", 0o644) == 0)
      if geteuid() == 0 { try #require(seteuid(65534) == 0) }
      #expect(try site.take(from: folder) == ["b"])
      if getuid() == 0 { try #require(seteuid(0) == 0) }
      #expect(try site.names("failed") == ["a", "a.reason"])
      #expect(try site.text("failed/a.reason").contains("Give this user permission to read it"))
    }
  }

  @Test func `knows the number and the age of waiting files`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    for name in ["a", "b", "c"] { try site.put(name) }
    var times = [timespec(tv_sec: 1000, tv_nsec: 5_000_000), timespec(tv_sec: 1000, tv_nsec: 5_000_000)]
    try #require(unsafe utimensat(AT_FDCWD, "\(site.path)/new/b", &times, 0) == 0)
    #expect(try SpoolBacklog(of: site.path) == SpoolBacklog(count: 3, oldest: 1_000_005))
    // A file that was opened waits until it is put away.
    let entries = try folder.scan()
    let identity = try folder.open(entries[1]).identity
    #expect(try SpoolBacklog(of: site.path).count == 3)
    #expect(folder.archive(entries[1], identity).problem == nil)
    let left = try SpoolBacklog(of: site.path)
    #expect(left.count == 2 && left.oldest ?? 0 > 1_000_005)
  }

  @Test func `counts the files of a spool without Maildir's folders, and no folder or hidden file`() throws {
    let site = try SpoolSite()
    let folder = try SpoolFolder(site.path, settle: .seconds(60))
    #expect(try SpoolBacklog(of: site.path) == SpoolBacklog())
    for name in ["a", "b", ".hidden"] { try site.write(name, "text") }
    #expect(try folder.scan().isEmpty)
    #expect(try SpoolBacklog(of: site.path).count == 2)
    #expect(throws: FileFailure.self) { try SpoolBacklog(of: "\(site.path)/absent") }
  }

  @Test func `lists 100 000 files in their order`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    for number in 0..<100_000 {
      let descriptor = unsafe open("\(site.path)/new/20261101T100000-\(number).jsonl", O_WRONLY | O_CREAT, 0o600)
      try #require(descriptor >= 0)
      close(descriptor)
    }
    let entries = try folder.scan()
    #expect(entries.count == 100_000)
    #expect(zip(entries, entries.dropFirst()).allSatisfy { unsafe strcmp($0.name, $1.name) < 0 })
    // The oldest of many is found if it is the first by name.
    var times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 1000, tv_nsec: 0)]
    try #require(unsafe utimensat(AT_FDCWD, entries[0].path, &times, 0) == 0)
    #expect(try SpoolBacklog(of: site.path) == SpoolBacklog(count: 100_000, oldest: 1_000_000))
  }
}

@Suite struct `The layout of a spool` {
  @Test func `is created if it is missing, and otherwise unchanged`() throws {
    let site = try SpoolSite()
    #expect(try site.folder().layout == .maildir)
    #expect(try site.names("") == [".lock", "done", "failed", "new", "tmp"])
    try site.put("a")
    let again = try SpoolFolder("\(site.path)//")
    #expect(again.path == site.path)
    #expect(try again.scan().map(\.path) == ["\(site.path)/new/a"])
  }

  @Test func `is refused if files would wait for ever`() throws {
    let site = try SpoolSite()
    let missing = spoolFailure { () throws(FileFailure) in try SpoolFolder("\(site.path)/none") }
    #expect(missing?.kind == .notFound)
    try site.write("a", "text")
    let loose = spoolFailure { () throws(FileFailure) in try SpoolFolder(site.path) }
    #expect(loose?.kind == .incompatible)
    #expect(try site.names("") == ["a"])
    #expect(try SpoolFolder(site.path, settle: .seconds(1)).layout == .plain(settle: .seconds(1)))
    try #require(unsafe mkdir("\(site.path)/new", 0o700) == 0)
    #expect(try SpoolFolder(site.path).layout == .maildir)
    let both = spoolFailure { () throws(FileFailure) in try SpoolFolder(site.path, settle: .seconds(1)) }
    #expect(both?.kind == .incompatible)
  }

  @Test(arguments: ["tmp", "done", "failed"]) func `cannot be created in place of a file`(
    _ name: String
  ) throws {
    let site = try SpoolSite()
    try #require(unsafe mkdir("\(site.path)/new", 0o700) == 0)
    try site.write(name, "text")
    let failure = spoolFailure { () throws(FileFailure) in try SpoolFolder(site.path) }
    #expect(failure?.kind == .cannotCreate)
    #expect(failure?.path == "\(site.path)/\(name)")
  }
}
