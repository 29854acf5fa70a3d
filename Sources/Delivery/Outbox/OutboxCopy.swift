internal import Base
internal import DerivedTables
package import DurableFiles
internal import JSON
internal import Ledger
internal import Tables

/// The time at which a backup made the outbox, if it is a copy that was not used yet; and the time of the backup of the state
/// after whose restore rows were planned again.
enum BackupTime {
  static let schema = """
    CREATE TABLE IF NOT EXISTS backup (made_at INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS restored_backup (made_at INTEGER NOT NULL)
    """
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

  /// Returns the time of the backup that made this outbox or the state in a folder; nil unless rows are still to be planned
  /// again because of it.
  fileprivate func backupTime(with state: String) throws(FileFailure) -> Timestamp? {
    func time(in table: String) throws(FileFailure) -> Int64? {
      try statement("SELECT made_at FROM \(table)").first { row throws(FileFailure) in try row.integer(0) }
    }
    if let own = try time(in: "backup") { return Timestamp(milliseconds: own) }
    guard let restored = try Ledger.backupTime(state), try time(in: "restored_backup") != restored else { return nil }
    return Timestamp(milliseconds: restored)
  }

  /// Notes that rows are planned again after a restore of the state in a folder.
  func noteRestore(of state: String) throws(FileFailure) {
    try transaction { () throws(FileFailure) in
      for table in ["backup", "restored_backup"] { try statement("DELETE FROM \(table)").run() }
      guard let time = try Ledger.backupTime(state) else { return }
      try statement("INSERT INTO restored_backup VALUES (?)").run(.integer(time))
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
    if !isThere, !settings.replans, let time = try Ledger.backupTime(settings.state) {
      throw FileFailure(
        .incompatible,
        "\(settings.state)/\(name)",
        """
        The file is missing, and the state is that of a backup of \(Timestamp(milliseconds: time)). If this output had \
        deliveries before it was restored, all of them would be sent again, with the same ids
        """,
        advice: """
          Put the newest \(name) of this output there, if there is one. Then give deliver --once --replan, also if there \
          were no deliveries; with --dry-run it prints what would be sent
          """
      )
    }
    let outbox = isThere || !isTrial ? try Outbox(in: settings.state) : try temporary()
    if !settings.replans, let time = try outbox.backupTime(with: settings.state) {
      throw FileFailure(
        .incompatible,
        "\(settings.state)/\(name)",
        """
        The state or the deliveries are those of a backup of \(time). What was sent later would be sent again, with the \
        same ids
        """,
        advice: """
          Put the newest \(name) of this output there, if it is another one. Then give deliver --once --replan; with \
          --dry-run it prints what would be sent
          """
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
