package import DurableFiles
internal import Glibc

extension SQLiteDatabase {
  /// Reads from a database of a folder while another process may write it. Where nobody does, no file is made beside it.
  ///
  /// `body` is called once more, and its first result or failure is discarded, if a writer came meanwhile.
  package static func reading<Value>(
    _ name: String,
    in folder: DurableFolder,
    _ body: (SQLiteDatabase) throws(FileFailure) -> Value
  ) throws(FileFailure) -> Value {
    let path = "\(folder.path)/\(name)"
    func hasLog() throws(FileFailure) -> Bool { try folder.byteCount(of: "\(name)-wal") != nil }
    // Without a write-ahead log nobody writes, and `readingAlone` keeps SQLite from creating one. A writer that starts
    // meanwhile creates the log before it changes the database, and one that has ended has changed it.
    let before = version(of: path)
    if try !hasLog() {
      let result = Result { () throws(FileFailure) in try body(try SQLiteDatabase(path, .readingAlone)) }
      if try !hasLog(), version(of: path) == before { return try result.get() }
    }
    return try body(try SQLiteDatabase(path, .reading))
  }

  /// A text that is another one after the file was written.
  private static func version(of path: String) -> String {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return "" }
    return "\(status.st_ino):\(status.st_size):\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)"
  }
}
