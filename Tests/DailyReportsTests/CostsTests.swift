import Base
import ConversionModel
import DurableFiles
import LookupFixtures
import TestSupport
import Testing

@testable import DailyReports
@testable import LookupTables

@Suite struct CostsTests {
  private static let header = "date,network_name,campaign_id,currency,cost"

  private func costs(
    _ text: String,
    _ name: String = "cost.csv",
    dates: LookupDateFormat? = nil,
    allowingCredits: Bool = false,
    networks: String = "ad_network_id,network_name\nabc.skadnetwork,ABC\n"
  ) throws -> Costs {
    let folder = try LookupFolder(["networks.csv": networks])
    try folder.folder.makeFile(name, holding: Array(text.utf8))
    return try Costs(
      loading: folder.folder.path(name),
      folder.load().networks,
      dates: dates,
      allowingCredits: allowingCredits
    )
  }

  private func problems(_ text: String, _ name: String = "cost.csv", dates: LookupDateFormat? = nil) throws -> [String]
  {
    do {
      _ = try costs(text, name, dates: dates)
      return []
    } catch Lookups.Failure.tables(let errors) {
      return errors.problems.map(\.place)
    }
  }

  @Test func `a row of costs takes 80 bytes, so that a million of them and their index fit 100 MB`() {
    #expect(MemoryLayout<CostRow>.stride <= 80)
    #expect(MemoryLayout<CostRow.Key>.stride <= 32)
  }

  @Test func `rows with equal keys are added up among many others`() throws {
    let lines = (0..<9_000).map { "2026-03-0\($0 % 9 + 1),ABC,\($0 / 9),USD,\($0)" }
    let again = [8_999, 0, 4_321].map { lines[$0] + ".5" }
    let costs = try costs(([Self.header] + lines + again).joined(separator: "\n"))
    #expect(costs.rows.count == 9_000)
    for (number, row) in costs.rows.enumerated() {
      #expect(row.key.day == Int64(20_513 + number % 9) && costs.texts[row.key.campaign] == "\(number / 9)")
      let isTwice = [8_999, 0, 4_321].contains(number)
      #expect(row.cost.description == (isTwice ? "\(number * 2).5" : "\(number)"))
    }
    #expect(costs.warnings.map(\.line) == [9_002, 9_003, 9_004])
    #expect(costs.warnings.first?.reason.contains("line 9001.") == true)
  }

  @Test func `all columns are read, from CSV and from JSON alike`() throws {
    let csv = try costs(
      """
      date,ad_network_id,campaign_id,adgroup_id,app_id,country,currency,cost,impressions,clicks,network_installs
      2026-03-06,ABC.adattributionkit,7,70,525463029,us,USD,12.345678,1000,10,2
      2026-03-07,abc.skadnetwork,7,,,,EUR,0,,,
      """
    )
    let json = try costs(
      """
      [{"date": "2026-03-06", "ad_network_id": "ABC.adattributionkit", "campaign_id": 7, "adgroup_id": 70,
        "app_id": 525463029, "country": "us", "currency": "USD", "cost": 12.345678, "impressions": 1000, "clicks": 10,
        "network_installs": 2},
       {"date": "2026-03-07", "ad_network_id": "abc.skadnetwork", "campaign_id": "7", "adgroup_id": null,
        "currency": "EUR", "cost": 0}]
      """,
      "cost.json"
    )
    #expect(csv.rows.map(\.key) == json.rows.map(\.key))
    #expect(csv.rows.map(\.counts) == json.rows.map(\.counts))
    let (first, last) = (csv.rows[0], csv.rows[1])
    #expect(first.key.day == 20_518)
    #expect(csv.texts[first.key.network] == "ABC")
    #expect(csv.texts[first.key.campaign] == "7")
    #expect(csv.texts[first.key.adgroup] == "70")
    #expect(first.key.app == 525_463_029)
    #expect(first.key.country == Country("US".utf8.span))
    #expect(try first.cost == Amount(parsing: "12.345678"))
    #expect(first.counts == CostCounts(impressions: 1000, clicks: 10, networkInstalls: 2))
    #expect(csv.texts[last.key.adgroup] == nil)
    #expect(last.key.app == nil && last.key.country == nil && last.counts == CostCounts())
  }

  @Test func `all problems are found at once, each with its place`() throws {
    let text = """
      date,network_name,ad_network_id,campaign_id,app_id,country,currency,cost,clicks
      2026-03-06,ABC,,7,,,USD,"1,000.50",
      2026-03-06,ABC,,7,,,USD,NaN,
      2026-03-06,ABC,,7,,,USD,inf,
      2026-03-06,ABC,,7,,,USD,-1,
      2026-03-06,ABC,,7,,,USD,+1,
      2026-03-06,ABC,,7,,,USD,1e15,
      2026-03-06,ABC,,7,,,USD,0.0000001,
      2026-03-06,ABC,,7,,,USD,,
      9/1/2020,ABC,,7,,,USD,1,
      2026-02-30,ABC,,7,,,USD,1,
      2026-03-06T10:00:00Z,ABC,,7,,,USD,1,
      ,ABC,,7,,,USD,1,
      2026-03-06,,,7,,,USD,1,
      2026-03-06,XYZ,abc.skadnetwork,7,,,USD,1,
      2026-03-06,ABC,,,,,USD,1,
      2026-03-06,ABC,,7,0,,USD,1,
      2026-03-06,ABC,,7,,USA,USD,1,
      2026-03-06,ABC,,7,,,usd,1,
      2026-03-06,ABC,,7,,,,1,
      2026-03-06,ABC,,7,,,USD,1,1.5
      2026-03-06,ABC,,7,,,USD,1,1000000000001
      2026-03-06,ABC
      2026-03-06,ABC,,7,,,XXY,1,
      2026-03-06,A"BC,,7,,,USD,1,
      """
    #expect(
      try problems(text) == [
        "cost.csv:2:cost", "cost.csv:3:cost", "cost.csv:4:cost", "cost.csv:5:cost", "cost.csv:6:cost",
        "cost.csv:7:cost", "cost.csv:8:cost", "cost.csv:9:cost", "cost.csv:10:date", "cost.csv:11:date",
        "cost.csv:12:date", "cost.csv:13:date", "cost.csv:14:ad_network_id", "cost.csv:15:network_name",
        "cost.csv:16:campaign_id", "cost.csv:17:app_id", "cost.csv:18:country", "cost.csv:19:currency",
        "cost.csv:20:currency", "cost.csv:21:clicks", "cost.csv:22:clicks", "cost.csv:23:-", "cost.csv:24:currency",
        "cost.csv:25:-",
      ]
    )
  }

  @Test func `a cost that is not a number is refused in JSON too`() throws {
    let row = #"{"date": "2026-03-06", "network_name": "ABC", "campaign_id": "7", "currency": "USD", "cost": "#
    #expect(try problems("[\(row)\"1,000.50\"}]", "cost.json") == ["cost.json:1:cost"])
    #expect(try problems("[\n\(row)\"NaN\"}]", "cost.json") == ["cost.json:2:cost"])
    #expect(try problems("[\(row)true}]", "cost.json") == ["cost.json:1:cost"])
    #expect(try problems("[\(row)NaN}]", "cost.json") == ["cost.json:-:-"])
  }

  @Test(arguments: [
    ("network_name,campaign_id,currency,cost", "date"), ("date,network_name,currency,cost", "campaign_id"),
    ("date,network_name,campaign_id,cost", "currency"), ("date,network_name,campaign_id,currency", "cost"),
    ("date,network_name,campaign_id,currency,cost,cost", "cost"),
  ])
  func `a header must have each required column once`(_ header: String, _ column: String) throws {
    #expect(try problems("\(header)\n") == ["cost.csv:1:\(column)"])
  }

  @Test func `a problem says what to do`() throws {
    do {
      _ = try costs("\(Self.header)\n2026-03-06,ABC,7,USD,\"1,000.50\"\n2026-03-06,ABC,7,USD,-1\n")
      Issue.record("the file was accepted")
    } catch Lookups.Failure.tables(let errors) {
      let lines = "\(errors)".split(separator: "\n")
      let number = "The cost \"1,000.50\" is not a number. Write it with digits and a decimal point, such as 1000.50."
      #expect(lines[0].hasSuffix("cost.csv: line 2, column cost: \(number)"))
      #expect(lines[1].hasSuffix("The cost \"-1\" is negative. Give --allow-credits if it is a credit."))
    }
  }

  @Test func `credits are accepted where that is said`() throws {
    let costs = try costs("\(Self.header)\n2026-03-06,ABC,7,USD,-1.25\n2026-03-06,ABC,7,USD,1\n", allowingCredits: true)
    #expect(costs.rows.map(\.cost.description) == ["-0.25"])
  }

  @Test(arguments: [("9/1/2020", true), ("2020-09-01T00:00:00Z", true), ("13/1/2020", false)])
  func `dates with the month first are read only where that is said`(_ date: String, _ isDate: Bool) throws {
    let text = "\(Self.header)\n\(date),ABC,7,USD,1\n"
    #expect(try problems(text, dates: .monthDayYear).isEmpty == isDate)
    if isDate { #expect(try costs(text, dates: .monthDayYear).rows.first?.key.day == 18_506) }
  }

  @Test func `rows of the same day and campaign are added up, with a warning`() throws {
    let costs = try costs(
      """
      date,ad_network_id,network_name,campaign_id,currency,cost,clicks
      2026-03-06,abc.skadnetwork,,7,USD,0.1,3
      2026-03-06,,ABC,7,USD,0.2,
      2026-03-06,,ABC,7,EUR,5,
      2026-03-07,,ABC,7,USD,1,
      """
    )
    #expect(costs.rows.map(\.cost.description) == ["0.3", "5", "1"])
    #expect(costs.rows[0].counts.clicks == 3)
    #expect(costs.warnings.map(\.place) == ["cost.csv:3:-"])
  }

  @Test func `a network without a name is kept, and named in a warning once`() throws {
    let text = "date,ad_network_id,network_name,campaign_id,currency,cost\n"
    let costs = try costs(
      text + "2026-03-06,XYZ.skadnetwork,,7,USD,1\n2026-03-07,XYZ.skadnetwork,,7,USD,1\n2026-03-07,,ZZ,7,USD,1\n"
    )
    #expect(costs.rows.map { costs.texts[$0.key.network] } == ["xyz.skadnetwork", "xyz.skadnetwork", "ZZ"])
    #expect(costs.unmappedRows == 3)
    #expect(costs.warnings.map(\.place) == ["cost.csv:2:ad_network_id", "cost.csv:4:network_name"])
  }

  @Test func `unknown columns and later days are warnings`() throws {
    let costs = try costs("\(Self.header),spend\n2026-03-06,ABC,7,USD,1,\n2026-03-08,ABC,7,USD,1,\n")
    #expect(costs.warnings.map(\.place) == ["cost.csv:1:spend"])
    let time = try #require(Timestamp("2026-03-06T00:00:00Z"))
    #expect(costs.warnings(asOf: time).map(\.place) == ["cost.csv:3:date"])
    #expect(costs.warnings(asOf: Timestamp("2026-03-08T00:00:00Z")).isEmpty)
  }

  @Test func `a file has at most a million rows`() throws {
    let rows = String(repeating: "0,", count: 1_000_000)
    #expect(try problems("[\(rows)0]", "cost.json") == ["cost.json:-:-"])
  }

  @Test func `a file that does not exist is named`() throws {
    let folder = try LookupFolder(["networks.csv": "ad_network_id,network_name\n"])
    #expect(throws: Lookups.Failure.self) {
      try Costs(loading: folder.folder.path("cost.csv"), folder.load().networks)
    }
  }
}
