import Foundation
import Testing

@testable import PostbackPipeline

/// A folder of state and one of tables, to be damaged and copied.
struct StateSite {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  var state: String { "\(directory.path)/state" }
  var output: String { "\(directory.path)/out" }

  func ledger(settings: [String: String] = ["format": "jsonl"]) throws -> Ledger {
    try Ledger(try StateFolder(state), settings: settings)
  }

  /// What a crash at this moment would leave.
  func crashed() throws -> StateSite {
    let copy = try StateSite()
    for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
      try FileManager.default.copyItem(atPath: "\(directory.path)/\(name)", toPath: "\(copy.directory.path)/\(name)")
    }
    return copy
  }

  func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: "\(directory.path)/\(name)")))
  }

  /// Makes something else of a file.
  func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = (try? bytes(name)) ?? []
    change(&bytes)
    try Data(bytes).write(to: URL(filePath: "\(directory.path)/\(name)"))
  }

  func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(directory.path)/\(name)") }

  func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(directory.path)/\(folder)").sorted()
  }
}

/// How something fails; nil where it does not.
func stateFailure<Value>(_ body: () throws -> Value) -> StateFailure? {
  do {
    _ = try body()
    return nil
  } catch let failure as StateFailure {
    return failure
  } catch {
    Issue.record(error)
    return nil
  }
}

/// Different entries, the same for the same numbers.
func seenEntries(_ numbers: Range<Int>) -> [SeenEntry] {
  numbers.map { number in
    let key = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    let seen = TransactionIndex.Seen(
      key: PostbackKey(high: key, low: ~key),
      content: SortedSegment.Content(digest: UInt32(truncatingIfNeeded: key >> 7), unsigned: UInt32(number % 1000)),
      number: number % 10 == 0 ? Int64(number) : nil
    )
    return SeenEntry(seen, inputID: UInt32(number % 7), seenAt: UInt32(1_000_000 + number), line: UInt64(number))
  }
}

extension LedgerCommit {
  /// A commit of `seen.log` as it is.
  init(of log: SeenLog) {
    self.init(time: 1)
    seen = log.mark
  }
}
