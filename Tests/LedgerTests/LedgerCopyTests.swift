import DurableFiles
import TestSupport
import Testing

@testable import Ledger

@Suite struct `A copy of the ledger` {
  @Test func `has the time of its backup, also when it goes on`() throws {
    let site = try StateSite()
    try site.ledger().commit(LedgerCommit(time: 1))
    #expect(try Ledger.backupTime(site.state) == nil)
    let folder = try DurableFolder(making: "\(site.directory.path)/copy")
    #expect(try Ledger.copy(site.state, to: folder).commits == 1)
    #expect(try site.names(in: "copy") == [CommitMarker.name, Ledger.name])
    let time = try #require(try Ledger.backupTime(folder.path))
    #expect(time > 0)
    do {
      let ledger = try Ledger(existing: StateFolder(existing: folder.path))
      try ledger.commit(LedgerCommit(time: 2))
      #expect(ledger.commits == 2)
    }
    #expect(try Ledger.reading(folder.path, isVerified: true).commits == 2)
    #expect(try Ledger.backupTime(folder.path) == time)
    // A backup of what goes on has a time of its own, and nothing is left in what was copied.
    let next = try DurableFolder(making: "\(site.directory.path)/next")
    #expect(try Ledger.copy(folder.path, to: next).commits == 2)
    #expect(try #require(try Ledger.backupTime(next.path)) >= time)
    #expect(try Ledger.backupTime(site.state) == nil)
  }
}
