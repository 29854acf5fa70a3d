import Base
@testable import DurableFiles
@testable import Ledger
@testable import PostbackVerification
@testable import Tables
import ConversionModel
import Foundation
import SKAdNetwork
import TestSupport
import Testing

@testable import PostbackPipeline
@testable import PostbackService
@testable import postback

/// A state and tables as a consumer leaves them, in a temporary folder.
struct StateSite {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var state: String { folder.path("state") }
  var output: String { folder.path("out") }

  func ledger() throws -> Ledger { try Ledger(try StateFolder(state), settings: ["format": "jsonl"]) }

  /// Commits a complete part and an open one of `skan_postbacks`, their ids and counts, and returns the ledger.
  @discardableResult
  func fill(rows: Range<Int> = 0..<40) throws -> Ledger {
    let ledger = try ledger()
    _ = try DurableFolder(making: output)
    var index = SeenIndex()
    let log = try SeenLog.recover(ledger, into: &index)
    try log.append(rows.map(Self.entry))
    try log.synchronize()
    var commit = LedgerCommit(time: 1_750_000_000_500)
    commit.seen = log.mark
    for (number, rows) in [rows.prefix(25), rows.dropFirst(25)].enumerated() {
      let part = LedgerPart(table: Table.postbacks.name, format: .jsonLines, number: number + 1)
      let file = try PartFile.create(part, in: output)
      let bytes = rows.flatMap { Array("{\"postback_key\":\"\(Self.key($0))\",\"more\":\($0)}\n".utf8) }
      try file.append(bytes, checksum: CRC32(of: bytes).value, rows: rows.count)
      try file.synchronize()
      if number == 0 { file.complete() }
      commit.parts.append(file.part)
    }
    commit.inputs = [
      LedgerInput(id: 0, path: "/spool/a", phase: .complete), LedgerInput(id: 1, path: "/spool/b", phase: .partial),
    ]
    commit.increments = [
      .rejected(.signatureInvalid): 3, .rejected(.duplicateConflict): 2, .rows(ofTable: Table.postbacks.name): 40,
      .read: 45, .accepted: 40,
    ]
    try ledger.commit(commit)
    if let part = commit.parts.first { try PartFile.publish(part, in: output) }
    return ledger
  }

  /// Writes the status of a consumer with the process id of this test.
  func writeStatus(
    pid: Int32 = getpid(),
    updatedAt: Timestamp = .now,
    spool: String = "/spool",
    phase: ConsumerPhase = .running,
    failure: String? = nil,
    fullDisks: [DiskPlace] = []
  ) throws {
    var file = StatusFile(folder: state)
    file.replace(
      with: ConsumerStatus(
        pid: pid,
        startedAt: Timestamp(milliseconds: updatedAt.milliseconds - 60_000),
        updatedAt: updatedAt,
        phase: phase,
        failure: failure,
        refusedRemoval: nil,
        fullDisks: fullDisks,
        spool: spool,
        waitingFiles: 3,
        oldestWaitingAt: Timestamp(milliseconds: Timestamp.now.milliseconds - 30_000),
        recordsPerSecond1m: 1234.5678,
        recordsPerSecond15m: nil,
        residentBytes: 88_000_000,
        openDescriptors: 34
      ),
      Log(.text)
    )
  }

  /// Replaces the content of a file.
  func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try folder.contents(of: name)
    change(&bytes)
    try folder.makeFile(name, holding: bytes)
  }

  func names(in name: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path(name)).sorted()
  }

  private static func key(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// The entry with this number. The first was received at 1970-01-12T13:46:40Z, each other one a second after the last.
  private static func entry(_ number: Int) -> SeenEntry {
    let seen = RecentIndex.Seen(
      key: PostbackKey(high: 0, low: UInt64(number)),
      content: SortedSegment.Content(digest: 1, unsigned: 1),
      number: nil
    )
    return SeenEntry(seen, inputID: 0, seenAt: UInt32(1_000_000 + number), line: UInt64(number + 1))
  }
}
