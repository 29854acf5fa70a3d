import TestSupport
import Testing

@testable import Tables

@Suite struct `postback schema` {
  @Test func `prints the JSON Schema of a table`() async throws {
    let result = try await BuiltCommand.run(["schema", "skan_events"])
    #expect(result.status == 0)
    #expect(try result.text == Schema("skan_events").text)
  }

  @Test(arguments: SQLDialect.allCases) func `prints the statements of each dialect`(_ dialect: SQLDialect) async throws
  {
    let result = try await BuiltCommand.run(["schema", "--dialect", dialect.rawValue])
    #expect(result.status == 0)
    #expect(try result.text == String(decoding: Fixtures.bytes("schemas/\(dialect.rawValue).sql"), as: UTF8.self))
  }

  @Test(arguments: [["skan_postback"], ["--dialect", "oracle"]])
  func `refuses a table and a dialect that do not exist, and names those that do`(_ words: [String]) async throws {
    let result = try await BuiltCommand.run(["schema"] + words)
    #expect(result.status == 64)
    #expect(result.errorText.contains("skan_postbacks") || result.errorText.contains("postgresql"))
  }
}
