internal import CSQLite
internal import Signatures

/// A value that a statement is run with.
enum SQLiteValue {
  case integer(Int64)
  case text(String)
  /// 16 bytes, the highest first.
  case wide(UInt128)
  /// 32 bytes.
  case bytes(SHA256Digest)
  case null
}

/// A prepared statement of SQLite.
@safe
final class SQLiteStatement {
  private let database: SQLiteDatabase
  private let handle: OpaquePointer

  /// More bytes than a disk has, and more milliseconds than anybody lives.
  private static let greatestCount: Int64 = 1 << 54

  /// Prepares one statement, to be run any number of times.
  init(_ database: SQLiteDatabase, _ text: String) throws(StateFailure) {
    self.database = database
    var handle: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      database.handle,
      text,
      -1,
      UInt32(SQLITE_PREPARE_PERSISTENT),
      &handle,
      nil
    )
    guard code == SQLITE_OK, let handle = unsafe handle else { throw database.failure(code) }
    unsafe self.handle = handle
  }

  // Tells again what the last step told.
  deinit { _ = unsafe sqlite3_finalize(handle) }

  /// Runs it to its end.
  func run(_ values: SQLiteValue...) throws(StateFailure) {
    try bind(values)
    while try step() {}
  }

  /// Runs it and makes something of the first row; nil where there is none.
  func first<Row>(
    _ values: SQLiteValue...,
    as row: (SQLiteStatement) throws(StateFailure) -> Row
  ) throws(StateFailure) -> Row? {
    try first(values, as: row)
  }

  /// Runs it and makes something of the first row; nil where there is none.
  func first<Row>(
    _ values: [SQLiteValue],
    as row: (SQLiteStatement) throws(StateFailure) -> Row
  ) throws(StateFailure) -> Row? {
    try bind(values)
    guard try step() else { return nil }
    let first = try row(self)
    try database.check(unsafe sqlite3_reset(handle))
    return first
  }

  /// Runs it and makes something of every row.
  func all<Row>(
    _ values: SQLiteValue...,
    as row: (SQLiteStatement) throws(StateFailure) -> Row
  ) throws(StateFailure) -> [Row] {
    try bind(values)
    var rows: [Row] = []
    while try step() { rows.append(try row(self)) }
    return rows
  }

  /// An integer of the row.
  func integer<Integer: FixedWidthInteger>(
    _ column: Int32,
    as type: Integer.Type = Int64.self
  ) throws(StateFailure) -> Integer {
    let value = unsafe sqlite3_column_int64(handle, column)
    guard let integer = Integer(exactly: value) else {
      throw .damaged(database.path, "holds the number \(value), which cannot be")
    }
    return integer
  }

  /// A number of the row that tells how many there are of something, or when something was: what is counted on with it
  /// does not overflow.
  func count<Integer: FixedWidthInteger>(
    _ column: Int32,
    as type: Integer.Type = Int64.self
  ) throws(StateFailure) -> Integer {
    let count = try integer(column, as: type)
    guard (0...Self.greatestCount).contains(Int64(count)) else {
      throw .damaged(database.path, "holds the number \(count), which cannot be")
    }
    return count
  }

  /// A text of the row.
  func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// A word of a closed set.
  func word<Word: RawRepresentable<String>>(_ column: Int32, as type: Word.Type) throws(StateFailure) -> Word {
    let text = text(column)
    guard let word = Word(rawValue: text) else { throw .damaged(database.path, "holds “\(text)”, which cannot be") }
    return word
  }

  /// 16 bytes of the row.
  func wide(_ column: Int32) throws(StateFailure) -> UInt128 {
    guard let start = unsafe sqlite3_column_blob(handle, column), unsafe sqlite3_column_bytes(handle, column) == 16
    else { throw .damaged(database.path, "holds a value of a wrong length") }
    return unsafe UInt128(bigEndian: start.loadUnaligned(as: UInt128.self))
  }

  /// Whether there is nothing in a column of the row.
  func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  private func bind(_ values: [SQLiteValue]) throws(StateFailure) {
    try database.check(unsafe sqlite3_reset(handle))
    // SQLite keeps copies (SQLITE_TRANSIENT).
    let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    for (position, value) in values.enumerated() {
      let number = Int32(position + 1)
      let code =
        switch value {
        case .integer(let value): unsafe sqlite3_bind_int64(handle, number, value)
        case .text(let value): unsafe sqlite3_bind_text(handle, number, value, -1, copied)
        case .wide(let value):
          unsafe withUnsafeBytes(of: value.bigEndian) {
            unsafe sqlite3_bind_blob(handle, number, $0.baseAddress, Int32($0.count), copied)
          }
        case .bytes(let digest):
          unsafe digest.bytes.span.withUnsafeBytes {
            unsafe sqlite3_bind_blob(handle, number, $0.baseAddress, Int32($0.count), copied)
          }
        case .null: unsafe sqlite3_bind_null(handle, number)
        }
      try database.check(code)
    }
  }

  /// Goes on to the next row; false at the end, where the statement is reset.
  private func step() throws(StateFailure) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else {
      let failure = database.failure(code)
      // Tells again what went wrong.
      _ = unsafe sqlite3_reset(handle)
      throw failure
    }
    try database.check(unsafe sqlite3_reset(handle))
    return false
  }
}
