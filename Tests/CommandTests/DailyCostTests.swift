import Foundation
import JSON
import TestSupport
import Testing

/// `postback daily` with costs and exchange rates, over the tables of genuine postbacks.
@Suite struct DailyCostCommandTests {
  private static let header = "date,network_name,campaign_id,app_id,currency,cost"
  private static let rates = "date,currency,rate\n2026-03-06,USD,1\n2026-03-06,EUR,0.86\n"

  private func run() async throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    let arguments = ["run", Fixtures.path("postbacks"), "--models", Fixtures.path("models")]
    let time = ["--received-at", "2026-03-10T06:00:00Z", "--out", folder.path("out")]
    #expect(try await BuiltCommand.run(arguments + time).status == 0)
    return folder
  }

  private func daily(
    _ folder: TemporaryFolder,
    cost: String? = nil,
    rates: String? = nil,
    _ options: [String] = []
  ) async throws -> BuiltCommand.Result {
    var arguments = ["daily", folder.path("out"), "--lookups", Fixtures.path("lookups")]
    if let cost {
      try folder.makeFile("cost.csv", holding: Array(cost.utf8))
      arguments += ["--cost", folder.path("cost.csv")]
    }
    if let rates {
      try folder.makeFile("rates.csv", holding: Array(rates.utf8))
      arguments += ["--rates", folder.path("rates.csv"), "--currency", "USD"]
    }
    return try await BuiltCommand.run(arguments + options)
  }

  private func rows(_ folder: TemporaryFolder) throws -> [JSONValue] {
    try folder.contents(of: "out/skan_daily/part-00000001.jsonl").split(separator: UInt8(ascii: "\n"))
      .map { try JSONValue(parsing: Array($0)) }
  }

  @Test func `the example files give each campaign its cost in one currency`() async throws {
    let folder = try await run()
    var arguments = ["daily", folder.path("out"), "--lookups", Fixtures.path("lookups"), "--json"]
    arguments += ["--cost", Fixtures.path("costs/cost.csv"), "--rates", Fixtures.path("costs/rates.csv")]
    let report = try await BuiltCommand.run(arguments + ["--currency", "USD", "--strict"])
    #expect(report.status == 0, "\(report.errorText)")
    let costs = try rows(folder).compactMap { row in
      row["cost"].flatMap { $0 == .null ? nil : "\(row["campaign_id"]?.text ?? "") \($0)" }
    }
    // 50 EUR at 0.8605 for a dollar.
    #expect(costs == ["2001 240", "3001 58.105752", "1001 90.5"])
    #expect(try JSONValue(parsing: Array(report.output))["cost"]?.description == #"{"USD":388.605752}"#)
    let python = [Fixtures.path("../Tests/validate.py"), folder.path("out"), "--daily"]
    let summary = [folder.path("out/skan_daily/_summary.json")]
    var result = try await BuiltCommand.run(executable: "/usr/bin/env", ["python3"] + python + summary)
    if result.status == 77 {
      result = try await BuiltCommand.run(executable: "/usr/bin/python3", python + summary)
    }
    #expect(result.status == 0, "\(result.text)\(result.errorText)")
  }

  @Test func `days that lose their costs are told, once`() async throws {
    let folder = try await run()
    func cost(_ days: [String]) -> String {
      "\(Self.header)\n" + days.map { "\($0),Example Network,2001,525463029,USD,5\n" }.joined()
    }
    let all = ["2026-03-01", "2026-03-04", "2026-03-05"]
    #expect(try await !daily(folder, cost: cost(all)).errorText.contains("no longer"))
    let rolling = try await daily(folder, cost: cost(["2026-03-05"]))
    let warning =
      "The earlier report has costs of 2 install days from 2026-03-01 to 2026-03-04 that the costs have no longer."
    #expect(rolling.status == 0 && rolling.errorText.contains(warning), "\(rolling.errorText)")
    #expect(try await !daily(folder, cost: cost(["2026-03-05"])).errorText.contains("no longer"))
    // Costs in two currencies are costs too.
    let both = cost(["2026-03-05"]) + "2026-03-05,Example Network,2001,525463029,EUR,5\n"
    #expect(try await !daily(folder, cost: both).errorText.contains("no longer"))
    let less = try await daily(folder, cost: cost(["2026-03-04"]))
    #expect(
      less.errorText.contains("costs of the install day 2026-03-05 that the costs have no longer"),
      "\(less.errorText)"
    )
  }

  @Test(arguments: [
    ("2026-03-06,Facebook,3001,1,USD,\"1,000.50\"", "line 2, column cost: The cost \"1,000.50\" is not a number."),
    ("2026-03-06,Facebook,3001,1,USD,NaN", "line 2, column cost: The cost \"NaN\" is not a number."),
    ("2026-03-06,Facebook,3001,1,USD,-5", "line 2, column cost: The cost \"-5\" is negative. Give --allow-credits"),
    ("9/1/2020,Facebook,3001,1,USD,5", "line 2, column date: The date \"9/1/2020\" can be read in two ways."),
    ("2026-03-06,,3001,1,USD,5", "line 2, column ad_network_id: The row must have an ad_network_id"),
  ])
  func `a wrong cost file ends with 65 and writes nothing`(_ row: String, _ problem: String) async throws {
    let folder = try await run()
    let report = try await daily(folder, cost: "\(Self.header)\n\(row)\n")
    #expect(report.status == 65)
    #expect(report.errorText.contains("cost.csv: \(problem)"), "\(report.errorText)")
    #expect(report.text.isEmpty)
    #expect((try? folder.contents(of: "out/skan_daily/_summary.json")) == nil)
  }

  @Test func `costs without rows replace none, unless that is meant`() async throws {
    let folder = try await run()
    #expect(try await daily(folder, cost: "\(Self.header)\n").status == 0)
    #expect(try await daily(folder, cost: "\(Self.header)\n2026-03-06,Facebook,3001,1,USD,5\n").status == 0)
    let before = try folder.contents(of: "out/skan_daily/part-00000001.jsonl")
    let refused = try await daily(folder, cost: "\(Self.header)\n")
    #expect(refused.status == 65 && refused.errorText.contains("were made with 1 entry of it"), "\(refused.errorText)")
    #expect(try folder.contents(of: "out/skan_daily/part-00000001.jsonl") == before)
    #expect(try await daily(folder, cost: "\(Self.header)\n", ["--replace"]).status == 0)
    #expect(try await daily(folder, cost: "\(Self.header)\n").status == 0)
  }

  @Test func `what is odd in a cost file is a warning`() async throws {
    let folder = try await run()
    let text =
      "\(Self.header),spend\n2027-01-01,New,1,,USD,5,\n2026-03-06,Facebook,1,,USD,5,\n2026-03-06,Facebook,1,,USD,5,\n"
    let report = try await daily(folder, cost: text)
    #expect(report.status == 0)
    for warning in ["line 1, column spend", "line 2, column network_name", "line 4: ", "line 2, column date"] {
      #expect(report.errorText.contains("cost.csv: \(warning)"), "\(report.errorText)")
    }
  }

  @Test(arguments: [true, false]) func `a missing rate is an error where that is said`(_ isStrict: Bool) async throws {
    let folder = try await run()
    let text = "\(Self.header)\n2026-03-06,Facebook,3001,,JPY,5\n"
    let report = try await daily(folder, cost: text, rates: Self.rates, isStrict ? ["--strict"] : [])
    guard isStrict else {
      #expect(report.status == 0)
      return #expect(report.text.contains("amounts without a rate, in their own currency"))
    }
    #expect(report.status == 65)
    #expect(report.errorText.contains("rates.csv: There is no rate of JPY on 2026-03-06"), "\(report.errorText)")
    #expect((try? folder.contents(of: "out/skan_daily/_summary.json")) == nil)
  }

  @Test(arguments: [(nil, 66), ("", 65), ("date,currency,rate\n", 65)] as [(String?, Int32)])
  func `remembered rates that are gone are refused, and no revenue is lost`(_ text: String?, _ status: Int32)
    async throws
  {
    let folder = try await run()
    #expect(try await daily(folder, rates: Self.rates).status == 0)
    let before = try rows(folder)
    let path = folder.path("rates.csv")
    if let text {
      try folder.makeFile("rates.csv", holding: Array(text.utf8))
    } else {
      try FileManager.default.removeItem(atPath: path)
    }
    for command in ["daily", "refresh"] {
      let result = try await BuiltCommand.run([command, folder.path("out")])
      #expect(result.status == status, "\(result.errorText)")
      #expect(result.errorText.contains("\(path): "), "\(result.errorText)")
    }
    #expect(try rows(folder) == before)
  }

  @Test(arguments: [
    ["--rates", "r.csv"], ["--currency", "USD"], ["--currency", "usd", "--rates", "r.csv"], ["--strict"],
    ["--allow-credits"], ["--cost", ""],
  ])
  func `options that do not go together are usage errors`(_ options: [String]) async throws {
    let folder = try await run()
    let report = try await daily(folder, options)
    #expect(report.status == 64, "\(report.errorText)")
  }

  @Test func `the dimensions are those of the cost file unless others are given`() async throws {
    let folder = try await run()
    let cost = "date,network_name,campaign_id,currency,cost\n2026-03-06,Facebook,3001,USD,5\n"
    #expect(try await daily(folder, cost: cost).status == 0)
    #expect(try rows(folder).allSatisfy { $0["dimensions"]?.text == "network_name;campaign_id" })
    #expect(try await daily(folder, cost: cost, ["--dimensions", "app_id"]).status == 0)
    #expect(try rows(folder).allSatisfy { $0["dimensions"]?.text == "app_id" })
    #expect(try rows(folder).filter { $0["cost_level"]?.text == "parent" }.count == 1)
  }
}
