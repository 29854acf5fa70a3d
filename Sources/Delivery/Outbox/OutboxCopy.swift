internal import Base
internal import DerivedTables
package import DurableFiles
internal import JSON
internal import Ledger
internal import Tables

/// The time at which a backup made the outbox; empty unless it is a copy.
enum BackupTime {
  static let schema = "CREATE TABLE IF NOT EXISTS backup (made_at INTEGER NOT NULL)"
}

// MARK: - Copies

extension Outbox {
  /// Copies the outbox in the folder of a state to another folder as it is at one moment, durably, while a process may
  /// send. The copy is marked as one. Does nothing if there is no outbox.
  ///
  /// A copy of the ledger that is made later has all rows that are planned.
  package static func copy(from state: String, to target: String) throws(FileFailure) {
    let folder = DurableFolder(target)
    func clear() throws(FileFailure) {
      for suffix in ["", "-wal", "-shm", "-journal"] { try folder.remove(name + suffix) }
    }
    try clear()
    guard try exists(in: state) else { return }
    let path = "\(target)/\(name)"
    let quoted = path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''")
    try SQLiteDatabase.reading(name, in: DurableFolder(state)) { outbox throws(FileFailure) in
      try clear()
      try outbox.execute("VACUUM INTO '\(quoted)'")
    }
    do {
      let marked = try SQLiteDatabase(path, .writing)
      let now = Timestamp.now.milliseconds
      try marked.execute("\(BackupTime.schema); DELETE FROM backup; INSERT INTO backup VALUES (\(now))")
    }
    try DurableFile(path, .appending).synchronize()
  }

  /// Returns the time at which a backup made this outbox; nil unless it is a copy that was not used yet.
  func backupTime() throws(FileFailure) -> Timestamp? {
    try statement("SELECT made_at FROM backup").first { row throws(FileFailure) in
      Timestamp(milliseconds: try row.integer(0))
    }
  }
}

// MARK: - Use after a restore

extension Outbox {
  /// Opens the outbox of an output; for a trial one that is never written, if there is none.
  ///
  /// Throws if what was delivered may not be known, because the state was restored from a backup, unless rows are to be
  /// planned again.
  static func open(_ settings: DeliverySettings, isTrial: Bool = false) throws(FileFailure) -> Outbox {
    let isThere = try exists(in: settings.state)
    if !isThere, !settings.replans, try hasDelivered(settings) {
      throw FileFailure(
        .incompatible,
        "\(settings.state)/\(name)",
        "The file is missing, and this output had deliveries. All of them would be sent again, with the same ids",
        advice: "Put back the file, or give deliver --once --replan; with --dry-run it prints what would be sent"
      )
    }
    let outbox = isThere || !isTrial ? try Outbox(in: settings.state) : try temporary()
    if !settings.replans, let time = try outbox.backupTime() {
      throw FileFailure(
        .incompatible,
        "\(settings.state)/\(name)",
        "The deliveries are those of a backup of \(time). What was sent later would be sent again, with the same ids",
        advice: "Give deliver --once --replan; with --dry-run it prints what would be sent"
      )
    }
    return outbox
  }

  /// Indicates that an output shows deliveries which its state may not have.
  private static func hasDelivered(_ settings: DeliverySettings) throws(FileFailure) -> Bool {
    let starts = [TableCursor(startOf: .postbacks), TableCursor(startOf: .events)]
    let followers = try Follower.all(of: settings.state).filter { $0.kind == .partner }
    if followers.contains(where: { !$0.positions.allSatisfy(starts.contains) }) { return true }
    let summary = "\(settings.target)/\(Table.partnerDeliveries.name)/\(DerivedTable.summaryName)"
    guard let bytes = try? WholeFile.read(summary, upTo: 1 << 16), let json = try? JSONValue(parsing: bytes) else {
      return false
    }
    return json["rows"]?.integer ?? 0 > 0
  }
}
