import DailyReports
import Foundation
import JSON
import Ledger
import LookupTables
import NullValueModelling
import PostbackServer
import Tables
import TestSupport
import Testing

@testable import postback

@Suite struct `A command with a configuration` {
  private static let manuals = [
    RunCommand.manual, SettleCommand.manual, EnrichCommand.manual, DailyCommand.manual, ReportCommand.manual,
    LoadPostgresCommand.manual, DeliverCommand.manual,
  ]

  private static let everything = """
    {"out":"out","state":"s","models":["m"],"rates":"rates.csv","inputs":["dumps"],"lookups":"l","lookup_dates":"MDY",
     "allow_overlap":true,"grace_hours":24,"dimensions":["app_id"],"environment":["custom"],"model_period":"week",
     "model_level":0.9,"histogram":true,"costs":"cost.csv","allow_credits":true,"currency":"USD","strict_rates":true,
     "format":"jsonl","csv_safe":true,"report":"page.html","partners":"p.json","postgres":{"connection":"service=x"}}
    """

  private func configuration(_ text: String) throws -> ServerConfiguration {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: URL(filePath: folder.path("postback.json")))
    return try withExtendedLifetime(folder) { try ServerConfiguration(reading: folder.path("postback.json")) }
  }

  @Test(arguments: manuals.map(\.name)) func `has every option that a configuration sets`(_ name: String) throws {
    let manual = try #require(Self.manuals.first { $0.name == name })
    let command = String(manual.name.prefix { $0 != " " })
    let options = try configuration(Self.everything).derived.options(of: command)
    #expect(!options.isEmpty && DerivedConfiguration.commands.contains(command))
    for option in options {
      let found = manual.option(option.name)
      #expect(found != nil, "\(manual.name) has no option \(option.name)")
      #expect((found?.value == nil) == option.values.isEmpty, "\(option.name)")
    }
    #expect(manual.option("--config") != nil)
  }

  @Test func `takes an option of the command line before that of the configuration`() throws {
    let configuration = try configuration(Self.everything)
    func completed(_ words: [String], _ manual: Manual) throws -> Arguments {
      ConfigurationOption.complete(try Arguments(words[...], for: manual), of: manual, from: configuration)
    }
    let plain = try completed([], DailyCommand.manual)
    #expect(plain.operands == ["out"] && plain.value("--currency") == "USD" && plain.has("--histogram"))
    let own = try completed(["other", "--currency", "EUR", "--lookups=x"], DailyCommand.manual)
    #expect(own.operands == ["other"] && own.all("--currency") == ["EUR"] && own.value("--lookups") == "x")
    #expect(own.value("--rates") == "rates.csv")
    // The page of the configuration is overwritten each time, but no other file.
    #expect(try completed([], ReportCommand.manual).has("--force"))
    #expect(try !completed(["--html", "mine.html"], ReportCommand.manual).has("--force"))
    #expect(try completed(["--dsn-file", "f"], LoadPostgresCommand.manual).value("--dsn") == nil)
    let run = try completed([], RunCommand.manual)
    #expect(run.operands == ["dumps"] && run.value("--out") == "out" && run.all("--models") == ["m"])
    #expect(try completed(["--from-rejects", "o"], RunCommand.manual).operands.isEmpty)
  }

  @Test func `knows the words of the configuration`() {
    #expect(DerivedConfiguration.dimensionNames == DailyDimension.allCases.map(\.rawValue))
    #expect(DerivedConfiguration.modelPeriods == ModelPeriod.allCases.map(\.rawValue))
    #expect(DerivedConfiguration.formatNames == TableFormat.allCases.map(\.rawValue))
    #expect(DerivedConfiguration.dateFormats.allSatisfy { LookupDateFormat(rawValue: $0) != nil })
    #expect(PostgresConfiguration.tableNames == Table.known.map(\.name))
  }

  @Test func `runs without any other option`() async throws {
    let folder = try TemporaryFolder()
    let fixtures = Fixtures.path(".")
    let text = """
      {"out":"\(folder.path("out"))","inputs":["\(fixtures)/postbacks"],"models":["\(fixtures)/models"],
       "lookups":"\(fixtures)/lookups","costs":"\(fixtures)/costs/cost.csv","rates":"\(fixtures)/costs/rates.csv",
       "currency":"EUR","report":"\(folder.path("page.html"))","format":["jsonl","csv"]}
      """
    let file = folder.path("postback.json")
    try Data(text.utf8).write(to: URL(filePath: file))
    for command in ["run", "settle", "enrich", "daily", "report", "report"] {
      let result = try await BuiltCommand.run([command, "--config", file, "--quiet"])
      #expect(result.status == 0, "\(command): \(result.errorText)")
    }
    let daily = try FileManager.default.contentsOfDirectory(atPath: folder.path("out/skan_daily"))
    #expect(daily.contains { $0.hasSuffix(".csv") } && daily.contains { $0.hasSuffix(".jsonl") })
    let summary = try JSONValue(parsing: try await BuiltCommand.run(["daily", "--config", file, "--json"]).output)
    let revenue = JSONNode(value: summary, pointer: "")["revenue"].elements?.first
    #expect(revenue?["currency"].value?.text == "EUR")
    #expect(FileManager.default.fileExists(atPath: folder.path("page.html")))
    let wrong = try await BuiltCommand.run(["daily", "--config", folder.path("missing.json")])
    #expect(wrong.status == 65)
  }
}
