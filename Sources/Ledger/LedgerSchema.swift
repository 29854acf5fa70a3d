internal import DurableFiles

/// The tables of `ledger.sqlite`, and the marks that identify the file as a ledger.
enum LedgerSchema {
  /// The mark of a ledger, “post” in ASCII (SQLite's `application_id`).
  static let application: Int64 = 0x706F_7374
  /// The version of the tables (SQLite's `user_version`).
  static let version = Int64(1 + migrations.count)

  /// The size of the pages of a new ledger. The rows of a commit are in places all over the indexes, and each of them
  /// writes a page to the write-ahead log.
  private static let pageBytes = 1024

  private static let newName = "\(Ledger.name).new"

  /// The tables of version 1.
  private static let tables = """
    CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE state (
      id INTEGER PRIMARY KEY CHECK (id = 1), seed INTEGER NOT NULL,
      commits INTEGER NOT NULL, committed_at INTEGER NOT NULL,
      seen_entries INTEGER NOT NULL, seen_checksum INTEGER NOT NULL,
      retired_count INTEGER NOT NULL, retired_sum BLOB NOT NULL, retired_difference BLOB NOT NULL,
      pending_entries INTEGER, pending_checksum INTEGER,
      pending_count INTEGER, pending_sum BLOB, pending_difference BLOB
    ) STRICT;
    CREATE TABLE inputs (
      id INTEGER PRIMARY KEY, path TEXT NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
      stored_bytes INTEGER NOT NULL, records INTEGER NOT NULL, digest BLOB NOT NULL, prefix_digest BLOB NOT NULL,
      phase TEXT NOT NULL
    ) STRICT;
    CREATE INDEX inputs_path ON inputs (path);
    CREATE INDEX inputs_inode ON inputs (inode);
    CREATE INDEX inputs_digest ON inputs (digest);
    CREATE INDEX inputs_size ON inputs (stored_bytes);
    CREATE TABLE parts (
      table_name TEXT NOT NULL, format TEXT NOT NULL, number INTEGER NOT NULL,
      length INTEGER NOT NULL, checksum INTEGER NOT NULL, rows INTEGER NOT NULL, phase TEXT NOT NULL,
      PRIMARY KEY (table_name, format, number)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    """

  /// The statements that upgrade each version to the next, beginning with version 2. They only add, and keep existing
  /// data.
  private static let migrations = [
    """
    ALTER TABLE state ADD COLUMN output_id TEXT NOT NULL DEFAULT '';
    ALTER TABLE state ADD COLUMN output_is_marked INTEGER NOT NULL DEFAULT 0;
    UPDATE state SET output_id = lower(hex(randomblob(16)));
    CREATE TABLE run_settings (
      kind TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, first_commit INTEGER NOT NULL, last_commit INTEGER,
      PRIMARY KEY (kind, name, first_commit)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE models (
      app_id INTEGER NOT NULL, model_id TEXT NOT NULL, version INTEGER NOT NULL,
      digest TEXT NOT NULL, meaning_digest TEXT NOT NULL, text TEXT NOT NULL,
      PRIMARY KEY (app_id, model_id, version, digest)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    ALTER TABLE inputs ADD COLUMN compressed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE inputs ADD COLUMN first_digest BLOB NOT NULL DEFAULT x'00000000000000000000000000000000';
    CREATE INDEX inputs_first ON inputs (first_digest);
    CREATE INDEX inputs_compressed ON inputs (compressed) WHERE compressed = 1;
    """,
    """
    CREATE TABLE feeds (
      id INTEGER PRIMARY KEY, output_id TEXT NOT NULL, last_part INTEGER NOT NULL, decision TEXT NOT NULL,
      first_commit INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE fed_back (
      part INTEGER NOT NULL, line INTEGER NOT NULL, feed INTEGER NOT NULL,
      source_file TEXT NOT NULL, source_line INTEGER NOT NULL, raw_sha256 BLOB NOT NULL,
      PRIMARY KEY (part, line, feed)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fed_back_record ON fed_back (raw_sha256);
    """,
    """
    ALTER TABLE state ADD COLUMN next_input INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE state ADD COLUMN put_away_inputs INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE state ADD COLUMN put_away_entries INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE state ADD COLUMN put_away_checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE state ADD COLUMN put_away_forgotten_entries INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE state ADD COLUMN put_away_forgotten_checksum INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE state ADD COLUMN seen_forgotten_entries INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE state ADD COLUMN seen_forgotten_checksum INTEGER NOT NULL DEFAULT 0;
    UPDATE state SET next_input = (SELECT coalesce(max(id), -1) + 1 FROM inputs);
    """,
    """
    ALTER TABLE parts ADD COLUMN partition TEXT NOT NULL DEFAULT '';
    ALTER TABLE parts ADD COLUMN oldest_received INTEGER;
    ALTER TABLE parts ADD COLUMN newest_received INTEGER;
    ALTER TABLE parts ADD COLUMN rewritten INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE removals (
      table_name TEXT NOT NULL, generation INTEGER NOT NULL, reason TEXT NOT NULL, removed_at INTEGER NOT NULL,
      PRIMARY KEY (table_name, generation)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE removed_parts (
      table_name TEXT NOT NULL, format TEXT NOT NULL, number INTEGER NOT NULL, generation INTEGER NOT NULL,
      partition TEXT NOT NULL, length INTEGER NOT NULL, rows INTEGER NOT NULL,
      oldest_received INTEGER, newest_received INTEGER,
      key_count INTEGER NOT NULL, key_sum BLOB NOT NULL, key_difference BLOB NOT NULL, pending INTEGER NOT NULL,
      PRIMARY KEY (table_name, generation, number, format)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX removed_parts_pending ON removed_parts (pending) WHERE pending = 1;
    CREATE TABLE removed_rows (
      table_name TEXT NOT NULL, format TEXT NOT NULL, number INTEGER NOT NULL, generation INTEGER NOT NULL,
      offset INTEGER NOT NULL, length INTEGER NOT NULL, postback_key BLOB,
      PRIMARY KEY (table_name, generation, number, format, offset)
    ) STRICT, WITHOUT ROWID;
    """,
    """
    ALTER TABLE state ADD COLUMN resend_low INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE state ADD COLUMN resend_high INTEGER NOT NULL DEFAULT 0;
    """,
    """
    ALTER TABLE parts ADD COLUMN latest_received INTEGER;
    """,
    [RemovalClock.schema, CommitMark.migration, TableRemoval.Source.migration].joined(separator: "\n"),
    "ALTER TABLE removed_rows ADD COLUMN transaction_digest BLOB;",
    """
    ALTER TABLE inputs ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE inputs ADD COLUMN reading INTEGER NOT NULL DEFAULT 0;
    """,
    "ALTER TABLE removed_parts ADD COLUMN kept_length INTEGER;",
  ]

  /// Creates an empty ledger. The file has another name until it is complete and durable, so that no crash leaves an
  /// incomplete ledger.
  static func create(in folder: DurableFolder, _ settings: [String: String]) throws(FileFailure) {
    for name in ["", "-journal", "-wal", "-shm"] { try folder.remove(newName + name) }
    try write("\(folder.path)/\(newName)", settings)
    try folder.rename(newName, to: Ledger.name)
  }

  private static func write(_ path: String, _ settings: [String: String]) throws(FileFailure) {
    let database = try SQLiteDatabase(path, .creating)
    // No journal on disk: a file that is not complete is removed, never rolled back.
    try database.execute(
      "PRAGMA page_size = \(pageBytes); PRAGMA journal_mode = MEMORY; PRAGMA synchronous = FULL"
    )
    try database.execute("BEGIN; PRAGMA application_id = \(application); PRAGMA user_version = 1; \(tables)")
    try database.execute(
      """
      INSERT INTO state VALUES (
        1, \(Int64.random(in: .min ... .max)), 0, 0, 0, 0, 0, zeroblob(16), zeroblob(16), NULL, NULL, NULL, NULL, NULL
      )
      """
    )
    let setting = try SQLiteStatement(database, "INSERT INTO settings VALUES (?, ?)")
    for (name, value) in settings { try setting.run(.text(name), .text(value)) }
    try database.execute("\(steps(from: 1)); COMMIT")
    // The mode is set under the temporary name. Later, a crash could leave a journal that a read-only process cannot
    // roll back.
    let mode = try database.text("PRAGMA journal_mode = WAL")
    guard mode == "wal" else {
      throw FileFailure(
        .cannotCreate,
        path,
        "The ledger cannot have a write-ahead log",
        advice: "Give --state a directory on a local disk"
      )
    }
  }

  /// Upgrades a ledger of an earlier version to this one, in one transaction.
  static func migrate(_ database: SQLiteDatabase) throws(FileFailure) {
    let found = try identify(database)
    guard found < version else { return }
    try database.execute("BEGIN IMMEDIATE; \(steps(from: found)); COMMIT")
  }

  /// Returns the statements that upgrade version `found` to this one. A ledger without a secret gets one, drawn by the
  /// system.
  private static func steps(from found: Int64) -> String {
    func random() -> Int64 { .random(in: .min ... .max) }
    var steps = Array(migrations.dropFirst(Int(found) - 1))
    if found < 7 { steps.append("UPDATE state SET resend_low = \(random()), resend_high = \(random());") }
    return (steps + ["PRAGMA user_version = \(version)"]).joined(separator: "\n")
  }

  /// Returns the version of a ledger. Throws `.incompatible` unless the database is a ledger of this version or an
  /// earlier one.
  @discardableResult
  static func identify(_ database: SQLiteDatabase) throws(FileFailure) -> Int64 {
    let found = try database.integer("PRAGMA application_id")
    guard found == application else {
      throw FileFailure(
        .incompatible,
        database.path,
        "This is a database of another program (its application id is \(found), not \(application))",
        advice: "Give --state another directory"
      )
    }
    let version = try database.integer("PRAGMA user_version")
    guard (1...Self.version).contains(version) else {
      throw FileFailure(
        .incompatible,
        database.path,
        "The ledger has version \(version), and this program knows versions up to \(Self.version)",
        advice: "Use the program that made it"
      )
    }
    return version
  }

  /// Throws `.damaged` unless SQLite finds the database in order. Reads all of it.
  static func verify(_ database: SQLiteDatabase) throws(FileFailure) {
    let finding = try database.text("PRAGMA quick_check(1)")
    guard finding == "ok" else { throw .damaged(database.path, "The database is damaged (\(finding))") }
  }
}
