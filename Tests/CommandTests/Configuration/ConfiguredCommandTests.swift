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
    {"out":"out","state":"s","models":["m","n"],"rates":"rates.csv","inputs":["dumps",{"path":"a.jsonl","forwarder":"acme"}],
     "include":["*.gz"],"exclude":["a","b"],"context":["source={forwarder}"],"lookups":"l","lookup_dates":"MDY",
     "allow_overlap":true,"grace_hours":24,"dimensions":["app_id","country"],"environment":["custom","production"],
     "model_period":"week","model_level":0.9,"histogram":true,"costs":"cost.csv","allow_credits":true,"currency":"USD",
     "strict_rates":true,"format":["csv","jsonl"],"csv_safe":true,"report":"page.html","partners":"p.json",
     "postgres":{"connection":"service=x","schema":"skan","tables":["skan_daily","skan_postbacks"],"migrate":true},
     "limits":{"postback_bytes":2048}}
    """

  private func configuration(_ text: String) throws -> ServerConfiguration {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: URL(filePath: folder.path("postback.json")))
    return try withExtendedLifetime(folder) { try ServerConfiguration(reading: folder.path("postback.json")) }
  }

  private func completed(
    _ words: [String],
    _ manual: Manual,
    _ text: String = everything
  ) throws -> Arguments {
    let arguments = try Arguments(words[...], for: manual)
    return ConfigurationOption.complete(arguments, of: manual, from: try configuration(text))
  }

  private func completed(_ manual: Manual, _ text: String = everything) throws -> Arguments {
    try completed([], manual, text)
  }

  @Test func `has the options that the configuration sets`() throws {
    let lookups = "--allow-overlap  --date-format MDY --lookups l"
    let tables = "--csv-safe  --format both"
    let texts = [
      "--context source={forwarder} --exclude a b --include *.gz --max-postback-bytes 2048 --models m n --out out "
        + "--state s",
      "\(lookups) --csv-safe  --format both --grace-hours 24 --models m n --state s",
      "\(lookups) \(tables) --state s",
      "--allow-credits  --allow-overlap  --cost cost.csv --csv-safe  --currency USD --date-format MDY "
        + "--dimensions app_id,country --environment production,custom --format both --histogram  --lookups l "
        + "--model-level 0.9 --model-period week --rates rates.csv --state s --strict ",
      "--force  --html page.html",
      "--dsn service=x --migrate  --schema skan --state s --tables skan_daily,skan_postbacks",
      "--allow-overlap  --csv-safe  --date-format MDY --format both --lookups l --partners p.json --state s",
    ]
    for (manual, text) in zip(Self.manuals, texts) {
      #expect(DerivedConfiguration.commands.contains(String(manual.name.prefix { $0 != " " })))
      #expect(sorted(try completed(manual).text(without: [])) == sorted(text), "\(manual.name)")
      #expect(manual.option("--config") != nil)
    }
    let configuration = try configuration(Self.everything).derived
    #expect(DerivedConfiguration.commands.allSatisfy(configuration.asks))
    #expect(configuration.inputs.map(\.path) == ["dumps", "a.jsonl"])
    #expect(configuration.inputs.map(\.forwarder) == [nil, "acme"])
  }

  /// The options of a text, of which each begins with `--`, in the order of their names.
  private func sorted(_ text: String) -> [String] {
    text.split(separator: "--").map { $0.trimmingCharacters(in: .whitespaces) }.sorted()
  }

  @Test func `takes one format as a word, no dimension, and an address from a file`() throws {
    #expect(try completed(EnrichCommand.manual, #"{"format":"jsonl"}"#).all("--format") == ["jsonl"])
    #expect(try completed(EnrichCommand.manual, #"{"format":["jsonl"]}"#).all("--format") == ["jsonl"])
    #expect(try completed(DailyCommand.manual, #"{"dimensions":[]}"#).all("--dimensions") == [""])
    let load = try completed(LoadPostgresCommand.manual, #"{"postgres":{"connection_file":"dsn"}}"#)
    #expect(load.all("--dsn-file") == ["dsn"] && !load.has("--dsn"))
  }

  @Test func `takes an option of the command line before that of the configuration`() throws {
    let plain = try completed(DailyCommand.manual)
    #expect(plain.operands == ["out"] && plain.all("--currency") == ["USD"] && plain.has("--histogram"))
    let own = try completed(["other", "--currency", "EUR", "--lookups=x"], DailyCommand.manual)
    #expect(own.operands == ["other"] && own.all("--currency") == ["EUR"] && own.all("--lookups") == ["x"])
    #expect(own.all("--rates") == ["rates.csv"])
    // The page of the configuration is overwritten each time, but no other file.
    #expect(try completed(ReportCommand.manual).has("--force"))
    #expect(try !completed(["--html", "mine.html"], ReportCommand.manual).has("--force"))
    #expect(try completed(["--dsn-file", "f"], LoadPostgresCommand.manual).all("--dsn").isEmpty)
    let run = try completed(RunCommand.manual)
    #expect(run.operands == ["dumps", "a.jsonl"] && run.all("--out") == ["out"] && run.all("--models") == ["m", "n"])
    #expect(try completed(["--from-rejects", "o"], RunCommand.manual).operands.isEmpty)
  }

  @Test func `knows the words of the configuration`() {
    #expect(DerivedConfiguration.dimensionNames == DailyDimension.allCases.map(\.column.rawValue))
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
