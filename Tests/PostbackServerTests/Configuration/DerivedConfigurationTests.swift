import Foundation
import JSON
import TestSupport
import Testing

@testable import PostbackServer

@Suite struct `The configuration of derived tables` {
  private func read(_ text: String) throws -> DerivedConfiguration {
    let folder = try TemporaryFolder()
    let file = folder.path("postback.json")
    try Data(text.utf8).write(to: URL(filePath: file))
    return try withExtendedLifetime(folder) { try ServerConfiguration(reading: file).derived }
  }

  private func places(_ text: String) throws -> [String] {
    do { _ = try read(text) } catch let errors as ConfigurationErrors {
      return errors.problems.map { $0.split(separator: ":")[1].trimmingCharacters(in: .whitespaces) }
    }
    return []
  }

  @Test func `of an older file changes nothing`() throws {
    let text = #"{"spool":"spool","out":"out","rates":"rates.csv"}"#
    #expect(try read(text) == read(#"{"rates":"rates.csv"}"#))
    #expect(try DerivedConfiguration.commands.filter(read(text).asks) == ["settle", "daily"])
  }

  @Test func `reports all problems at once, each with its place`() throws {
    let found = try places(
      """
      {"inputs":["",7,{"forwarder":"a"},{"path":"p","channel":"x"},{"path":"p","forwarder":"","name":1}],"include":"a",
       "exclude":[""],"context":[1],"lookups":"","lookup_dates":"DMY","allow_overlap":1,"grace_hours":-1,"dimensions":["app"],
       "environment":[],"model_period":"day","model_level":1,"histogram":"yes","allow_credits":true,"currency":"usd",
       "strict_rates":0,"format":"both","csv_safe":null,"report":[],"partners":true,
       "postgres":{"dsn":"x","schema":"","tables":["skan_dayli"]}}
      """
    )
    #expect(
      found == [
        "/inputs/0", "/inputs/1", "/inputs/2/path", "/inputs/3/channel", "/inputs/4/name", "/inputs/4/forwarder",
        "/include", "/exclude/0",
        "/context/0", "/lookups", "/lookup_dates", "/allow_overlap", "/grace_hours", "/dimensions/0",
        "/environment", "/model_period", "/model_level", "/histogram", "/currency", "/strict_rates", "/format",
        "/csv_safe", "/report", "/postgres/dsn", "/postgres/schema", "/postgres/tables/0", "/postgres", "/partners",
        "/allow_credits", "/currency",
      ]
    )
    #expect(try places(#"{"currency":"USD","strict_rates":true}"#) == ["/currency"])
    #expect(try places(#"{"postgres":{"connection":"a","connection_file":"b","tables":[]}}"#).count == 2)
    #expect(try places(#"{"format":[],"environment":"custom"}"#) == ["/environment", "/format"])
    #expect(try places(#"{"format":"csv"}"#) == ["/format"])
    #expect(try places(#"{"format":["csv"]}"#) == ["/format"])
    #expect(try places(#"{"inputs":["/d"],"report":"/d/r/page.html"}"#) == ["/report"])
    #expect(try places(#"{"inputs":["/d"],"report":"/d/page.html","exclude":["*.html"]}"#).isEmpty)
    #expect(try places(#"{"inputs":["/d"],"report":"/d.html"}"#).isEmpty)
  }

  @Test func `has every key in the example of its page, and each is right`() throws {
    let page = String(decoding: Fixtures.bytes("../docs/configuration.md"), as: UTF8.self)
    let block = try #require(page.split(separator: "```jsonc\n").last?.split(separator: "\n```").first)
    let lines = block.split(separator: "\n").filter { !$0.trimmingCharacters(in: .whitespaces).hasPrefix("//") }
    let text = lines.joined(separator: "\n")
    let folder = try TemporaryFolder()
    let file = folder.path("postback.json")
    try Data(text.utf8).write(to: URL(filePath: file))
    _ = try ServerConfiguration(reading: file, readsSecrets: false)
    let keys = JSONNode(value: try JSONValue(parsing: Array(text.utf8)), pointer: "").members?.map(\.key) ?? []
    #expect(Set(keys) == Set(ConfigurationReader.keys))
  }

  @Test func `has the keys, words and ranges of its schema`() throws {
    let schema = try JSONValue(parsing: Fixtures.bytes("../schemas/server_configuration.schema.json"))
    let properties = JSONNode(value: schema, pointer: "")["properties"]
    func words(_ node: JSONNode) -> [String] { node["enum"].elements?.compactMap { $0.value?.text } ?? [] }
    let input = properties["inputs"]["items"]["properties"]
    #expect(input.members?.map(\.key) == ConfiguredInput.keys && words(input["channel"]) == ConfiguredInput.channels)
    let postgres = properties["postgres"]["properties"]
    #expect(postgres.members?.map(\.key) == PostgresConfiguration.keys)
    #expect(words(postgres["tables"]["items"]) == PostgresConfiguration.tableNames)
    #expect(words(properties["lookup_dates"]) == DerivedConfiguration.dateFormats)
    #expect(words(properties["dimensions"]["items"]) == DerivedConfiguration.dimensionNames)
    #expect(words(properties["environment"]["items"]) == DerivedConfiguration.environmentNames)
    #expect(words(properties["model_period"]) == DerivedConfiguration.modelPeriods)
    for (key, bound) in [("grace_hours", "maximum"), ("grace_hours", "minimum"), ("model_level", "maximum")] {
      let value = try #require(properties[key][bound].value?.decimal)
      #expect(try places("{\"\(key)\":\(key == "grace_hours" ? "\(Int(value))" : "\(value)")}").isEmpty)
      let beyond = bound == "maximum" ? value + 1 : value - 1
      #expect(try places("{\"\(key)\":\(key == "grace_hours" ? "\(Int(beyond))" : "\(beyond)")}") == ["/\(key)"])
    }
  }
}
