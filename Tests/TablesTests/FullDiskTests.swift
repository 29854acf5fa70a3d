@testable import DurableFiles
@testable import Ledger
@testable import Tables
import Foundation
import TestSupport
import Testing

@Suite struct `A full disk` {
  @Test func `stops writing to the log, a part and the ledger without damaging them`() async {
    // Of its own process, as the limit is one of a process.
    await #expect(processExitsWith: .success) {
      let site = try StateSite()
      let ledger = try site.ledger()
      var index = SeenIndex()
      let log = try SeenLog.recover(ledger, into: &index)
      let part = try PartFile.create(LedgerPart(table: "t", format: .jsonLines, number: 1), in: site.output)
      signal(SIGXFSZ, SIG_IGN)
      try limitFiles(to: 100_000)
      let bytes = [UInt8](repeating: 7, count: 200_000)
      var commit = LedgerCommit(time: 1)
      commit.inputs = (0..<5000).map { LedgerInput(id: $0, path: "/in/\($0)") }
      for _ in 1...2 {
        #expect(stateFailure { try log.append(seenEntries(0..<5000)) }?.kind == .diskFull)
        #expect(stateFailure { try log.synchronize() }?.kind == .diskFull)
        #expect(
          stateFailure { try part.append(bytes, checksum: CRC32(of: bytes).value, rows: 1) }?.kind == .diskFull
        )
        #expect(stateFailure { try part.synchronize() }?.kind == .diskFull)
        // SQLite knows a full disk, not this limit: another failure of writing to it.
        #expect(stateFailure { try ledger.commit(commit) }?.kind == .io)
        // Room that comes later changes nothing.
        try limitFiles(to: 100_000_000)
      }
      let again = try site.crashed()
      _ = try SeenLog.recover(try again.ledger(), into: &index)
      #expect(index.count == 0)
    }
  }
}

/// Limits the length of files of this process.
private func limitFiles(to byteCount: UInt) throws {
  var limit = rlimit()
  try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
  limit.rlim_cur = byteCount
  try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
}
