import DurableFiles
import TestSupport
import Testing

@testable import Ledger

@Suite struct `A database that is read` {
  private let site: StateSite
  private let folder: DurableFolder
  private var path: String { "\(folder.path)/numbers.sqlite" }

  init() throws {
    site = try StateSite()
    folder = try DurableFolder(making: site.state)
    let content = "CREATE TABLE numbers (number INTEGER, text TEXT); INSERT INTO numbers VALUES (1, '')"
    try SQLiteDatabase(path, .creating).execute("PRAGMA journal_mode = WAL; \(content)")
  }

  private func sum(in database: SQLiteDatabase) throws(FileFailure) -> Int64 {
    try database.integer("SELECT sum(number) FROM numbers")
  }

  @Test func `has no file more beside it where nobody writes`() throws {
    let names = try site.names(in: "state")
    #expect(try SQLiteDatabase.reading("numbers.sqlite", in: folder, sum) == 1)
    #expect(try site.names(in: "state") == names)
  }

  @Test(arguments: [false, true]) func `is read again if a writer came meanwhile`(_ staysOpen: Bool) throws {
    var (calls, writers): (Int, [SQLiteDatabase]) = (0, [])
    let found = try SQLiteDatabase.reading("numbers.sqlite", in: folder) { database throws(FileFailure) in
      calls += 1
      if calls == 1 {
        let writer = try SQLiteDatabase(path, .writing)
        try writer.execute("INSERT INTO numbers VALUES (2, hex(zeroblob(100000)))")
        if staysOpen { writers.append(writer) }
        throw .damaged(path, "The database is half read")
      }
      return try sum(in: database)
    }
    #expect(found == 3 && calls == 2)
  }
}
