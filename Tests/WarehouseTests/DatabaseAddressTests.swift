import Testing

@testable import Warehouse

@Suite struct `The address of a database` {
  @Test(arguments: [
    "postgresql://db.example/reports", "postgresql://loader@db.example:5433/reports?sslmode=verify-full",
    "host=/run/postgresql dbname=reports user=loader", "service=reports", "postgresql://loader:@db.example/reports",
  ])
  func `is taken without a password`(_ text: String) throws {
    #expect(try DatabaseAddress(text).text == text)
  }

  @Test(arguments: [
    "postgresql://loader:secret@db.example/reports", "postgres://loader:secret@db.example/reports",
    "postgresql://db.example/reports?password=secret", "postgresql://db.example/reports?%70assword=secret",
    "host=db.example password=secret", "host=db.example password = 'secret'", "sslpassword=secret",
  ])
  func `is refused with a password, which is not repeated`(_ text: String) throws {
    let failure = try #require(throws: DatabaseFailure.self) { try DatabaseAddress(text) }
    #expect(failure.kind == .usage)
    #expect(failure.description.contains("PGPASSWORD"))
    #expect(!failure.description.contains("secret"))
  }

  @Test(arguments: ["postgresql://loader:secret@[::1/reports", "host", "nonsense=secret", "postgresql://h/d?x=secret"])
  func `is refused if libpq cannot read it`(_ text: String) throws {
    let failure = try #require(throws: DatabaseFailure.self) { try DatabaseAddress(text) }
    #expect(failure.kind == .usage)
    #expect(!failure.description.contains("secret"))
  }
}
