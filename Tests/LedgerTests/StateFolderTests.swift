@testable import DurableFiles
@testable import Ledger
import Foundation
import TestSupport
import Testing

@Suite struct `The state folder` {
  @Test func `is created with its parents, and locked by one process, which is named to the next`() throws {
    let site = try StateSite()
    let path = "\(site.directory.path)/a/b/c/"
    do {
      let folder = try StateFolder(path)
      let failure = try #require(stateFailure { try StateFolder(path) })
      #expect(failure.kind == .locked)
      #expect(failure.reason.contains("process \(getpid()) "))
      _ = consume folder
    }
    #expect(try site.names(in: "a/b/c") == ["lock"])
    #expect(stateFailure { try StateFolder(path) } == nil)
  }

  @Test func `is not created by readers`() throws {
    let site = try StateSite()
    #expect(stateFailure { try StateFolder(existing: site.state) }?.kind == .notFound)
    #expect(stateFailure { try Ledger.reading(site.state) }?.kind == .notFound)
    #expect(!FileManager.default.fileExists(atPath: site.state))
  }

  @Test func `names the process that uses it, and lets readers in`() throws {
    let site = try StateSite()
    #expect(try StateFolder.user(of: site.state) == nil)
    do {
      let folder = try StateFolder(site.state)
      #expect(try StateFolder.user(of: site.state)?.hasPrefix("process \(getpid()) ") == true)
      _ = consume folder
    }
    #expect(try StateFolder.user(of: site.state) == nil)
    // Who looks has the lock too: for a moment, which is waited for.
    let lock = unsafe open("\(site.state)/lock", O_RDONLY)
    #expect(flock(lock, LOCK_SH | LOCK_NB) == 0)
    Thread.detachNewThread {
      usleep(30_000)
      close(lock)
    }
    #expect(stateFailure { try StateFolder(site.state) } == nil)
  }

  @Test func `cannot be created in place of a file`() throws {
    let site = try StateSite()
    try site.change("state") { $0 = [1] }
    #expect(stateFailure { try StateFolder(site.state) }?.kind == .cannotCreate)
  }

  @Test func `stays locked as long as the ledger is open`() throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    #expect(stateFailure { try site.ledger() }?.kind == .locked)
    #expect(ledger.commits == 0)
  }
}
