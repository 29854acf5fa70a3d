import Tables
import TestSupport
import Testing

@testable import Tables
@testable import postback

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

  @Test(arguments: [
    ["--from", "."], ["--from", ".", "--dialect", "postgresql"], ["--dialect", "duckdb", "--parquet", "x"],
    ["--dialect", "duckdb", "--state", "x"], ["--dialect", "duckdb", "--from", ""],
    ["--dialect", "duckdb", "--from", ".", "--parquet", "."], ["--dialect", "duckdb", "--from", #"a\b"#],
  ])
  func `refuses options that contradict each other`(_ words: [String]) async throws {
    let result = try await BuiltCommand.run(["schema"] + words)
    #expect(result.status == 64, "\(result.errorText)")
    #expect(result.output.isEmpty)
  }

  @Test func `prints views over an output, and says where there is none`() async throws {
    let folder = try TemporaryFolder()
    let out = folder.path("it's [here]")
    let input = try folder.makeFile("in.jsonl")
    #expect(try await BuiltCommand.run(["run", input, "--out", out, "--quiet"]).status == 0)
    let words = ["schema", "--dialect", "duckdb", "--from"]
    let all = try await BuiltCommand.run(words + [out])
    #expect(all.status == 0, "\(all.errorText)")
    #expect(all.text.ranges(of: "CREATE OR REPLACE VIEW").count == Table.known.count)
    #expect(try await BuiltCommand.run(words + [out, "skan_daily"]).status == 66)
    #expect(try await BuiltCommand.run(words + [folder.path("none")]).status == 66)
    #expect(try await BuiltCommand.run(words + [out, "--parquet", folder.path("new")]).status == 0)
  }
}
