import Foundation
import Testing

@testable import PostbackPipeline

@Suite struct `The folder of the state` {
  @Test func `is made with those above it, and has one holder, who is named to the next`() throws {
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

  @Test func `is not made by who only wants to look`() throws {
    let site = try StateSite()
    #expect(stateFailure { try StateFolder(existing: site.state) }?.kind == .io)
    #expect(stateFailure { try Ledger.reading(site.state) }?.kind == .io)
    #expect(!FileManager.default.fileExists(atPath: site.state))
  }

  @Test func `cannot be where there is a file`() throws {
    let site = try StateSite()
    try site.change("state") { $0 = [1] }
    #expect(stateFailure { try StateFolder(site.state) }?.kind == .cannotCreate)
  }

  @Test func `stays locked as long as the ledger lives`() throws {
    let site = try StateSite()
    let ledger = try site.ledger()
    #expect(stateFailure { try site.ledger() }?.kind == .locked)
    #expect(ledger.commits == 0)
  }
}
