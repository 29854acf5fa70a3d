package import DurableFiles
internal import CSQLite
internal import Glibc

/// A connection to an SQLite database, closed when it and its statements are released.
@safe
package final class SQLiteDatabase {
  /// The way to open a database.
  package enum Access {
    /// For writing; the file is created if it does not exist.
    case creating
    /// For writing; the file must exist.
    case writing
    /// For reading only, beside a process that may write.
    case reading
    /// For reading only, while nobody writes. Creates no file beside the database.
    case readingAlone
  }

  /// The path of the database file.
  package let path: String
  let handle: OpaquePointer

  /// The time to wait for a lock of another connection, in milliseconds.
  private static let patience: Int32 = 10_000

  /// Opens a database. SQLite reads the file only when the first statement runs. Failures name it as `shownPath`, if that is
  /// given.
  package init(_ path: String, _ access: Access, shownAs shownPath: String? = nil) throws(FileFailure) {
    self.path = shownPath ?? path
    let (name, flags): (String, Int32) =
      switch access {
      case .creating: (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      case .writing: (path, SQLITE_OPEN_READWRITE)
      case .reading: (path, SQLITE_OPEN_READONLY)
      case .readingAlone: (Self.uri(of: path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      }
    var handle: OpaquePointer?
    let code = unsafe sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let handle = unsafe handle else {
      throw FileFailure(.io, path, "The database cannot be opened: no memory is left")
    }
    unsafe self.handle = handle
    guard code == SQLITE_OK else { throw failure(code) }
    try check(unsafe sqlite3_busy_timeout(handle, Self.patience))
  }

  // If closing cannot write back the log, the log stays, and the next connection writes it back.
  deinit { _ = unsafe sqlite3_close_v2(handle) }

  /// Runs statements that return no rows.
  package func execute(_ statements: String) throws(FileFailure) {
    try check(unsafe sqlite3_exec(handle, statements, nil, nil, nil))
  }

  /// Returns the integer in the first row of a query; 0 if there is no row.
  package func integer(_ query: String) throws(FileFailure) -> Int64 {
    try SQLiteStatement(self, query).first { row throws(FileFailure) in try row.integer(0) } ?? 0
  }

  /// Returns the text in the first row of a query; empty if there is no row.
  package func text(_ query: String) throws(FileFailure) -> String {
    try SQLiteStatement(self, query).first { $0.text(0) } ?? ""
  }

  /// Keeps the file of the write-ahead log when the last connection closes, so that readers need not create one.
  func keepLog() throws(FileFailure) {
    var flag: Int32 = 1
    try check(unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &flag))
  }

  /// Copies the write-ahead log into the database, as far as readers allow it. Returns true if all of it was copied: the
  /// next write then begins the log anew.
  func checkpoint() throws(FileFailure) -> Bool {
    var (all, copied): (Int32, Int32) = (0, 0)
    let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &all, &copied)
    // Another connection makes a checkpoint already, which does the same work.
    if code & 0xFF == SQLITE_BUSY { return false }
    try check(code)
    return all == copied
  }

  /// Returns the number of pages that this connection has written, to the write-ahead log or else to the database.
  func writtenPages() throws(FileFailure) -> Int {
    var (count, highest): (Int32, Int32) = (0, 0)
    try check(unsafe sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &count, &highest, 0))
    return Int(count)
  }

  /// Copies the database as it is at one moment into a new one.
  func copy(to path: String) throws(FileFailure) {
    let target = try SQLiteDatabase(path, .creating)
    guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.failure(unsafe sqlite3_errcode(target.handle))
    }
    let code = unsafe sqlite3_backup_step(backup, -1)
    let end = unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE || end != SQLITE_OK else { throw target.failure(code) }
    try target.check(end)
  }

  /// Throws unless a result code of SQLite is `SQLITE_OK`.
  func check(_ code: Int32) throws(FileFailure) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// Returns the failure for a result code of SQLite, with the connection's last error message.
  func failure(_ code: Int32) -> FileFailure {
    let meaning = unsafe String(cString: sqlite3_errmsg(handle))
    let event = "The database cannot be used: \(meaning)"
    let cause = unsafe sqlite3_system_errno(handle)
    switch code & 0xFF {
    case SQLITE_FULL: return .system(.diskFull, path, "The database cannot grow", ENOSPC)
    case SQLITE_IOERR where cause != 0: return .system(.io, path, event, cause)
    case SQLITE_IOERR: return FileFailure(.io, path, event, advice: "Check the disk, then run again")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return FileFailure(.locked, path, "Another program is using this database", advice: "Close it, then run again")
    case SQLITE_CANTOPEN where cause != 0: return .system(.cannotCreate, path, event, cause)
    case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      return FileFailure(.cannotCreate, path, event, advice: "Give this user permission to write there")
    case SQLITE_NOMEM: return FileFailure(.io, path, event, advice: "Give this process more memory")
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path, "The database is damaged (\(meaning))")
    // For example a missing table or a violated constraint: the database is not as this program made it.
    default: return .damaged(path, "The database is not as it was made (\(meaning))")
    }
  }

  private static func uri(of path: String) -> String {
    var uri = path.hasPrefix("/") ? "file://" : "file:"
    for scalar in path.unicodeScalars {
      switch scalar {
      case "%": uri += "%25"
      case "?": uri += "%3f"
      case "#": uri += "%23"
      default: uri.unicodeScalars.append(scalar)
      }
    }
    return uri
  }
}
