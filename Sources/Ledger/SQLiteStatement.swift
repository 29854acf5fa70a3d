package import DurableFiles
internal import CSQLite
package import Signatures

/// A value that is bound to a parameter of a statement.
package enum SQLiteValue {
  case integer(Int64)
  case text(String)
  /// A blob of 16 bytes, most significant byte first.
  case wide(UInt128)
  /// 32 bytes.
  case bytes(SHA256Digest)
  case null
}

/// A prepared statement of SQLite.
@safe
package final class SQLiteStatement {
  private let database: SQLiteDatabase
  private let handle: OpaquePointer

  /// The greatest plausible count of bytes or of milliseconds, 2⁵⁴: no disk is larger, and no time is later.
  private static let greatestCount: Int64 = 1 << 54

  /// Prepares one statement, which can be run any number of times.
  package init(_ database: SQLiteDatabase, _ text: String) throws(FileFailure) {
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

  // The result repeats that of the last step, so it is ignored.
  deinit { _ = unsafe sqlite3_finalize(handle) }

  /// Runs the statement to its end, ignoring rows.
  package func run(_ values: SQLiteValue...) throws(FileFailure) { try run(values) }

  /// Runs the statement to its end, ignoring rows.
  package func run(_ values: [SQLiteValue]) throws(FileFailure) {
    try bind(values)
    while try step() {}
  }

  /// Runs the statement and converts its first row; nil if there is none.
  package func first<Row>(
    _ values: SQLiteValue...,
    as row: (SQLiteStatement) throws(FileFailure) -> Row
  ) throws(FileFailure) -> Row? {
    try first(values, as: row)
  }

  /// Runs it and makes something of the first row; nil where there is none.
  package func first<Row>(
    _ values: [SQLiteValue],
    as row: (SQLiteStatement) throws(FileFailure) -> Row
  ) throws(FileFailure) -> Row? {
    try bind(values)
    guard try step() else { return nil }
    let first = try row(self)
    try database.check(unsafe sqlite3_reset(handle))
    return first
  }

  /// Runs the statement and converts every row.
  package func all<Row>(
    _ values: SQLiteValue...,
    as row: (SQLiteStatement) throws(FileFailure) -> Row
  ) throws(FileFailure) -> [Row] {
    try bind(values)
    var rows: [Row] = []
    while try step() { rows.append(try row(self)) }
    return rows
  }

  /// Returns an integer of the row. Throws `.damaged` if it does not fit the type.
  package func integer<Integer: FixedWidthInteger>(
    _ column: Int32,
    as type: Integer.Type = Int64.self
  ) throws(FileFailure) -> Integer {
    let value = unsafe sqlite3_column_int64(handle, column)
    guard let integer = Integer(exactly: value) else {
      throw .damaged(database.path, "The ledger holds the number \(value), which is impossible")
    }
    return integer
  }

  /// Returns a count or a time of the row. Throws `.damaged` unless it is from 0 to `greatestCount`, so that sums with
  /// it do not overflow.
  func count<Integer: FixedWidthInteger>(
    _ column: Int32,
    as type: Integer.Type = Int64.self
  ) throws(FileFailure) -> Integer {
    let count = try integer(column, as: type)
    guard (0...Self.greatestCount).contains(Int64(count)) else {
      throw .damaged(database.path, "The ledger holds the number \(count), which is impossible")
    }
    return count
  }

  /// Returns a text of the row; empty if the column is null.
  package func text(_ column: Int32) -> String {
    guard let start = unsafe sqlite3_column_text(handle, column) else { return "" }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// Returns a word of a closed set. Throws `.damaged` for any other word.
  package func word<Word: RawRepresentable<String>>(_ column: Int32, as type: Word.Type) throws(FileFailure) -> Word {
    let text = text(column)
    guard let word = Word(rawValue: text) else {
      throw .damaged(database.path, "The ledger holds “\(text)”, which is impossible")
    }
    return word
  }

  /// Returns a blob of 16 bytes of the row as a number, most significant byte first. Throws `.damaged` for another
  /// length.
  package func wide(_ column: Int32) throws(FileFailure) -> UInt128 {
    guard let start = unsafe sqlite3_column_blob(handle, column), unsafe sqlite3_column_bytes(handle, column) == 16
    else { throw .damaged(database.path, "The ledger holds a value of a wrong length") }
    return unsafe UInt128(bigEndian: start.loadUnaligned(as: UInt128.self))
  }

  /// Returns true if a column of the row is null.
  package func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(handle, column) == SQLITE_NULL }

  private func bind(_ values: [SQLiteValue]) throws(FileFailure) {
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

  /// Advances to the next row. Returns false at the end, and resets the statement.
  private func step() throws(FileFailure) -> Bool {
    let code = unsafe sqlite3_step(handle)
    if code == SQLITE_ROW { return true }
    guard code == SQLITE_DONE else {
      let failure = database.failure(code)
      // The result repeats the failure of the step, so it is ignored.
      _ = unsafe sqlite3_reset(handle)
      throw failure
    }
    try database.check(unsafe sqlite3_reset(handle))
    return false
  }
}
