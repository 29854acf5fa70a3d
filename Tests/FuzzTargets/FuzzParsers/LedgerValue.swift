import DurableFiles

@testable import Ledger

/// A value in a ledger, which is changed in a transaction that is not committed.
struct LedgerValue {
  nonisolated(unsafe) static let shared = LedgerValue()

  private let ledger: Ledger
  private let changes: [SQLiteStatement]
  private let putState: SQLiteStatement

  private static let columns = [
    "state": [
      "seed", "commits", "committed_at", "seen_entries", "seen_checksum", "retired_count", "retired_sum",
      "retired_difference", "pending_entries", "pending_checksum", "pending_count", "pending_sum", "pending_difference",
      "output_id", "output_is_marked", "next_input", "put_away_inputs", "put_away_entries", "put_away_checksum",
      "put_away_forgotten_entries", "put_away_forgotten_checksum", "seen_forgotten_entries", "seen_forgotten_checksum",
    ],
    "inputs": [
      "id", "path", "device", "inode", "stored_bytes", "records", "digest", "prefix_digest", "phase", "compressed",
      "first_digest", "changed_at", "reading",
    ],
    "parts": [
      "table_name", "format", "number", "length", "checksum", "rows", "phase", "partition", "oldest_received",
      "newest_received", "rewritten", "latest_received",
    ],
    "counts": ["name", "value"],
  ]

  private init() {
    do {
      ledger = try Ledger(try StateFolder("\(SmallFile.folder)/state"), settings: ["a": "b"])
      var commit = LedgerCommit(time: 1)
      commit.inputs = [LedgerInput(id: 0, path: "a", records: 1, phase: .complete)]
      commit.parts = [LedgerPart(table: "a", format: .csv, number: 1)]
      commit.increments = [.read: 1]
      try ledger.commit(commit)
      let database = ledger.database
      changes = try Self.columns.sorted { $0.key < $1.key }.flatMap { table, columns in
        try columns.map { try SQLiteStatement(database, "UPDATE \(table) SET \($0) = ?") }
      }
      let places = Array(repeating: "?", count: 20).joined(separator: ", ")
      putState = try SQLiteStatement(database, "UPDATE state SET (\(LedgerState.columns)) = (\(places))")
    } catch {
      fatalError("\(error)")
    }
  }

  /// A byte that chooses the column, one that chooses the type of the value, and its bytes.
  func read(_ input: [UInt8]) {
    guard input.count > 2 else { return }
    let bytes = input.dropFirst(2)
    let value: SQLiteValue =
      switch input[1] % 4 {
      case 0: .integer(bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) })
      case 1: .wide(bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) })
      case 2: .text(String(decoding: bytes, as: UTF8.self))
      default: .null
      }
    do throws(FileFailure) {
      try ledger.database.execute("BEGIN")
      do throws(FileFailure) { try check(value, in: changes[Int(input[0]) % changes.count]) } catch {
        require(!error.reason.isEmpty, "a failure has a reason")
      }
      try ledger.database.execute("ROLLBACK")
    } catch {
      fatalError("\(error)")
    }
  }

  private func check(_ value: SQLiteValue, in change: SQLiteStatement) throws(FileFailure) {
    try change.run(value)
    let database = ledger.database
    let state = try Ledger.state(in: database)
    try putState.run(state.values)
    require(try Ledger.state(in: database) == state, "a state is read as it is written")
    var commit = LedgerCommit(time: 1)
    commit.inputs = try SQLiteStatement(database, "SELECT \(LedgerInput.columns) FROM inputs").all {
      row throws(FileFailure) in
      try LedgerInput(row)
    }
    commit.parts = try Ledger.parts(in: database)
    require(state.after(commit).commits == state.commits + 1, "a commit is counted")
    for part in commit.parts { require(!part.fileNames.isEmpty, "a part has a name") }
    _ = try Ledger.counts(in: database)
    _ = try Ledger.output(in: database)
  }
}
