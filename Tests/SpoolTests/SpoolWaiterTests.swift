@testable import DurableFiles
@testable import Spool
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import PostbackPipeline

@Suite struct `Waiting for a spool` {
  @Test func `ends soon after a file is renamed into it`() throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    let waiter = SpoolWaiter(folder, signals: nil)
    #expect(waiter.limitation == nil)
    var delays: [Duration] = []
    for number in 0..<10 {
      // What is put away wakes nobody.
      try site.take(from: folder)
      #expect(try waiter.wait(upTo: .zero) == .timeout)
      try site.write("tmp/\(number)", "text")
      let (old, new) = ("\(site.path)/tmp/\(number)", "\(site.path)/new/\(number)")
      let renamed = Mutex(ContinuousClock.now)
      let thread = Thread {
        usleep(20_000)
        renamed.withLock { $0 = .now }
        unsafe rename(old, new)
      }
      thread.start()
      #expect(try waiter.wait(upTo: .seconds(20)) == .input)
      delays.append(ContinuousClock.now - renamed.withLock { $0 })
    }
    let median = delays.sorted()[5]
    print("a rename wakes after \(median)")
    #expect(median < .milliseconds(100))
  }

  @Test func `ends at once, and only once, for files that arrived before`() throws {
    let site = try SpoolSite()
    let waiter = SpoolWaiter(try site.folder(), signals: nil)
    let arrivals: [() throws -> Void] = [
      { try site.put("renamed") },
      { try site.write("new/written", "text") },
      { try #require(unsafe link("\(site.path)/new/renamed", "\(site.path)/new/linked") == 0) },
      { for number in 0..<1000 { try site.put("\(number)") } },
    ]
    for arrive in arrivals {
      #expect(try waiter.wait(upTo: .zero) == .timeout)
      try arrive()
      #expect(try waiter.wait(upTo: .zero) == .input)
    }
    try site.write("tmp/a", "text")
    #expect(try waiter.wait(upTo: .zero) == .timeout)
  }

  @Test func `takes the given time if no file arrives`() throws {
    let site = try SpoolSite()
    let waiter = SpoolWaiter(try site.folder(), signals: nil)
    let start = ContinuousClock.now
    #expect(try waiter.wait(upTo: .milliseconds(50)) == .timeout)
    #expect(ContinuousClock.now - start >= .milliseconds(50))
  }

  @Test func `ends when the system dropped events`() throws {
    let site = try SpoolSite()
    let waiter = SpoolWaiter(try site.folder(), signals: nil)
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = min(try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines))), 50_000)
    for number in 0..<count { try site.write("new/\(number % 2)", "") }
    #expect(try waiter.wait(upTo: .zero) == .input)
    #expect(try waiter.wait(upTo: .zero) == .timeout)
    try site.put("after")
    #expect(try waiter.wait(upTo: .zero) == .input)
  }

  @Test(arguments: ["moved", "removed"]) func `fails if the folder is moved or removed`(_ way: String) throws {
    let site = try SpoolSite()
    let folder = try site.folder()
    let waiter = SpoolWaiter(folder, signals: nil)
    if way == "moved" { try #require(unsafe rename("\(site.path)/new", "\(site.path)/old") == 0) }
    if way == "removed" { try #require(unsafe rmdir("\(site.path)/new") == 0) }
    #expect(spoolFailure { () throws(FileFailure) in try waiter.wait(upTo: .seconds(20)) }?.kind == .notFound)
    #expect(spoolFailure { () throws(FileFailure) in try folder.scan() }?.kind == .notFound)
  }

  @Test func `polls if the folder cannot be watched, and reports it`() async {
    // Of its own process, as the limit is one of a process.
    await #expect(processExitsWith: .success) {
      let site = try SpoolSite()
      let folder = try site.folder()
      var limit = rlimit()
      try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let usual = limit
      limit.rlim_cur = 3
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      let waiter = SpoolWaiter(folder, signals: nil)
      limit = usual
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      #expect(waiter.limitation?.contains("scanned from time to time") == true)
      try site.put("a")
      #expect(try waiter.wait(upTo: .milliseconds(10)) == .timeout)
      #expect(try folder.scan().map(\.name) == ["a"])
    }
  }

  @Test(
    arguments: [
      (0x80, 1, true, false), (0x100, 1, true, false), (0x8, 1, true, false), (0x4000, -1, true, false),
      (0x400, 1, false, true), (0x800, 1, false, true), (0x2000, 1, false, true), (0x8000, 1, false, true),
      (0x40, 1, false, false),
    ] as [(UInt32, Int32, Bool, Bool)]
  )
  func `classifies events by their mask at any place in the buffer`(
    _ mask: UInt32,
    _ watch: Int32,
    _ hasInput: Bool,
    _ isGone: Bool
  ) {
    // A file that was opened, which does not matter, then the event, with names of any length.
    for nameCount in [0, 16, 256] {
      var bytes: [UInt8] = []
      for (mask, watch) in [(0x20, 1), (mask, watch)] as [(UInt32, Int32)] {
        for word in [UInt32(bitPattern: watch), mask, 0, UInt32(nameCount)] {
          bytes += (0..<4).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
        }
        bytes += [UInt8](repeating: 0xFF, count: nameCount)
      }
      var events = WatchEvents()
      events.add(bytes.span)
      #expect(events.hasInput == hasInput)
      #expect(events.isGone == isGone)
    }
  }
}
