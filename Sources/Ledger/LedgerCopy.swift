internal import Base
package import DurableFiles

extension Ledger {
  /// Copies the ledger of a folder as it is at one moment, durably, while its consumer may go on, and marks the copy as one of
  /// a backup. Returns the copy as it reads.
  ///
  /// Tables and logs only grow behind the lengths that it has, so that they can be copied after it.
  package static func copy(_ folderPath: String, to target: DurableFolder) throws(FileFailure) -> LedgerReading {
    let witnessed = try lastCommit(folderPath)
    for suffix in ["", "-wal", "-shm", "-journal"] { try target.remove(name + suffix) }
    try target.remove(CommitMarker.name)
    let path = "\(target.path)/\(name)"
    try reading(folderPath) { database throws(FileFailure) in try database.copy(to: path) }
    do {
      let marked = try SQLiteDatabase(path, .writing)
      let now = Timestamp.now.milliseconds
      try marked.execute("BEGIN; \(backupSchema); DELETE FROM backup; INSERT INTO backup VALUES (\(now)); COMMIT")
    }
    try DurableFile(path, .appending).synchronize()
    let copy = try reading(target.path)
    try CommitMarker.check(witnessed, DurableFolder(folderPath), ledger: copy.commits)
    guard copy.state.compaction == nil else {
      throw FileFailure(
        .locked,
        folderPath,
        "The ids of the state are being compacted",
        advice: "Wait for the end of postback state compact; if it was interrupted, run it again"
      )
    }
    if copy.commits > 0 { _ = try CommitMarker(creating: copy.commits, in: target) }
    return copy
  }

  /// The table with the time of the backup. Only a ledger that was copied has it, also when it goes on after a restore.
  private static let backupSchema = "CREATE TABLE IF NOT EXISTS backup (made_at INTEGER NOT NULL) STRICT"

  /// Returns the time of the backup that a state is in or was restored from, in milliseconds since 1970; nil if there is
  /// none, and for backups of earlier versions. Read without the lock.
  package static func backupTime(_ folderPath: String) throws(FileFailure) -> Int64? {
    try reading(folderPath) { database throws(FileFailure) in
      guard try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'backup'") > 0 else { return nil }
      let time = try SQLiteStatement(database, "SELECT made_at FROM backup")
      return try time.first { row throws(FileFailure) in try row.count(0) }
    }
  }
}

extension LedgerReading {
  /// Copies the logs of the state up to the lengths of this ledger, durably. Returns false if they have changed so far that a
  /// newer ledger is needed.
  package func copyLogs(from folderPath: String, to target: DurableFolder) throws(FileFailure) -> Bool {
    let folder = DurableFolder(folderPath)
    let logs = [
      (SeenLog.name, state.forgotten, state.seen), (ArchivedInputs.name, state.putAway.forgotten, state.putAway.end),
    ]
    for (name, start, end) in logs {
      try target.remove(name)
      if end.entries == 0 { continue }
      guard try SeenFile.copy(name, from: folder, to: target, from: start, to: end) else { return false }
    }
    return true
  }
}

extension SeenFile {
  /// Copies a log up to `end`, durably, with a hole in the place of the entries before `start`. Returns false unless the
  /// entries between them are those of these positions: they are forgotten by now, or damaged.
  static func copy(
    _ name: String,
    from folder: DurableFolder,
    to target: DurableFolder,
    from start: SeenMark,
    to end: SeenMark
  ) throws(FileFailure) -> Bool {
    let source = try SeenFile(name, in: folder, .reading)
    let copy = try DurableFile("\(target.path)/\(name)", .updating)
    var bytes = [UInt8](repeating: 0, count: Int(headerCount))
    _ = try source.file.read(into: &bytes, at: 0)
    try copy.write(bytes.span, at: 0)
    var checksum = CRC32(start.checksum)
    var (offset, last) = (
      headerCount + start.entries * SeenEntry.byteCount, headerCount + end.entries * SeenEntry.byteCount
    )
    while offset < last {
      bytes = [UInt8](repeating: 0, count: Int(min(last - offset, Int64(DurableFile.chunk))))
      guard try source.file.read(into: &bytes, at: offset) == bytes.count else { return false }
      checksum.update(bytes.span)
      try copy.write(bytes.span, at: offset)
      offset += Int64(bytes.count)
    }
    last = max(last, headerCount)
    try copy.truncate(to: last)
    return checksum.value == end.checksum
  }
}
