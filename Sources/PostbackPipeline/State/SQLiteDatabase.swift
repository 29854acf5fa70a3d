internal import CSQLite
internal import Glibc

/// A connection to an SQLite database, closed when it and its statements go away.
@safe
final class SQLiteDatabase {
  /// How a database is opened.
  enum Access {
    /// It is made.
    case creating
    /// It must be there.
    case writing
    /// Only read, beside a process that writes.
    case reading
    /// Only read, when nothing writes: makes no file beside it.
    case readingAlone
  }

  /// Where it is.
  let path: String
  let handle: OpaquePointer

  /// How long one waits for another connection to let go, in milliseconds.
  private static let patience: Int32 = 10_000

  /// Opens a database. SQLite looks into the file only with the first statement.
  init(_ path: String, _ access: Access) throws(StateFailure) {
    self.path = path
    let (name, flags): (String, Int32) =
      switch access {
      case .creating: (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
      case .writing: (path, SQLITE_OPEN_READWRITE)
      case .reading: (path, SQLITE_OPEN_READONLY)
      case .readingAlone: (Self.uri(of: path) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)
      }
    var handle: OpaquePointer?
    let code = unsafe sqlite3_open_v2(name, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    guard let handle = unsafe handle else { throw StateFailure(.io, path, "cannot be opened: no memory left") }
    unsafe self.handle = handle
    guard code == SQLITE_OK else { throw failure(code) }
    try check(unsafe sqlite3_busy_timeout(handle, Self.patience))
  }

  // A close that cannot write back the log leaves it there, and the next connection does it.
  deinit { _ = unsafe sqlite3_close_v2(handle) }

  /// Runs statements that give no rows.
  func execute(_ statements: String) throws(StateFailure) {
    try check(unsafe sqlite3_exec(handle, statements, nil, nil, nil))
  }

  /// What a statement gives that gives one integer.
  func integer(_ query: String) throws(StateFailure) -> Int64 {
    try SQLiteStatement(self, query).first { row throws(StateFailure) in try row.integer(0) } ?? 0
  }

  /// What a statement gives that gives one text.
  func text(_ query: String) throws(StateFailure) -> String {
    try SQLiteStatement(self, query).first { $0.text(0) } ?? ""
  }

  /// Leaves the write-ahead log there when the last connection is closed, so that readers need not make one.
  func keepLog() throws(StateFailure) {
    var flag: Int32 = 1
    try check(unsafe sqlite3_file_control(handle, "main", SQLITE_FCNTL_PERSIST_WAL, &flag))
  }

  /// Brings what is in the write-ahead log into the database, as far as readers let it.
  func checkpoint() throws(StateFailure) {
    let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    // Another connection is at it: its work is as good.
    if code & 0xFF != SQLITE_BUSY { try check(code) }
  }

  /// Throws unless a call of SQLite succeeded.
  func check(_ code: Int32) throws(StateFailure) {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  /// The failure that a result code of SQLite stands for.
  func failure(_ code: Int32) -> StateFailure {
    let meaning = unsafe String(cString: sqlite3_errmsg(handle))
    let cause = unsafe sqlite3_system_errno(handle)
    switch code & 0xFF {
    case SQLITE_FULL: return .system(.diskFull, path, "cannot grow", ENOSPC)
    case SQLITE_IOERR where cause != 0: return .system(.io, path, meaning, cause)
    case SQLITE_IOERR: return StateFailure(.io, path, "\(meaning); check the disk, then run again")
    case SQLITE_BUSY, SQLITE_LOCKED:
      return StateFailure(.locked, path, "another program is using this database; close it, then run again")
    case SQLITE_CANTOPEN where cause != 0: return .system(.cannotCreate, path, meaning, cause)
    case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
      return StateFailure(.cannotCreate, path, "\(meaning); give this user permission to write there")
    case SQLITE_NOMEM: return StateFailure(.io, path, "\(meaning); give this process more memory")
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path, "is damaged (\(meaning))")
    // A table that is not there, a constraint that a value does not meet: it is not the database that was made.
    default: return .damaged(path, "is not as it was made (\(meaning))")
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
