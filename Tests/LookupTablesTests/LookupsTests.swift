import Base
import DurableFiles
import LookupFixtures
import TestSupport
import Testing

@testable import LookupTables

@Suite struct LookupsTests {
  private static let networks = "ad_network_id,network_name\nabc.skadnetwork,ABC\n"

  @Test(arguments: [
    "network_name\nABC\n", "ad_network_id\nabc\n", "ad_network_id,ad_network_id,network_name\na,b,c\n", "",
  ])
  func `a header must have each required column once`(_ text: String) throws {
    #expect(try LookupFolder(["networks.csv": text]).problems().count == 1)
  }

  @Test func `all problems of all tables are found at once, each with its place`() throws {
    let folder = try LookupFolder([
      "networks.csv": """
      ad_network_id,network_name,owner,null_as_zero,source_identifier_digits,click_days,view_days,valid_from,valid_to
      a,A,partner,,,,,,
      b,B,,perhaps,,,,,
      c,C,,,middle,,,,
      d,D,,,,31,,,
      e,E,,,,,0,,
      f,F,,,,,,2026-02-30,
      g,G,,,,,,2026-03-01,2026-03-01
      ,H,,,,,,,
      i,,,,,,,,
      a"b,A,,,,,,,
      j,J
      k,K,,,,,,9/1/2020,
      """,
      "apps.csv": "app_id,app_name\n0,zero\n-1,less\nx,text\n12,Twelve\n12,Dozen\n",
      "source_apps.csv": "source_app_id,source_domain,source_app_name\n,,none\n1,a.example,both\n",
      "campaigns.csv": """
      ad_network_id,network_name,campaign_key,kind,country,target_countries
      ,,7,,,
      a,,0,,,
      a,,101,,,
      a,,x,,,
      a,,1,source_identifier,,
      a,,12345,,,
      a,,7,name,,
      a,,7,,USA,
      a,,7,,,US;Canada
      """,
    ])
    #expect(
      folder.problems() == [
        "apps.csv:2:app_id", "apps.csv:3:app_id", "apps.csv:4:app_id", "apps.csv:6:app_id",
        "campaigns.csv:2:ad_network_id", "campaigns.csv:3:campaign_key", "campaigns.csv:4:campaign_key",
        "campaigns.csv:5:campaign_key", "campaigns.csv:6:campaign_key", "campaigns.csv:7:campaign_key",
        "campaigns.csv:8:kind", "campaigns.csv:9:country", "campaigns.csv:10:target_countries",
        "networks.csv:2:owner", "networks.csv:3:null_as_zero", "networks.csv:4:source_identifier_digits",
        "networks.csv:5:click_days", "networks.csv:6:view_days", "networks.csv:7:valid_from",
        "networks.csv:8:valid_to", "networks.csv:9:ad_network_id", "networks.csv:10:network_name",
        "networks.csv:11:-", "networks.csv:12:-", "networks.csv:13:valid_from",
        "source_apps.csv:2:source_app_id", "source_apps.csv:3:source_app_id",
      ]
    )
  }

  @Test func `a problem names the place and the correction`() throws {
    let folder = try LookupFolder(["campaigns.csv": "ad_network_id,campaign_key\nabc,2000x\n"])
    do {
      _ = try folder.load()
      Issue.record("the table was accepted")
    } catch Lookups.Failure.tables(let errors) {
      let text = "line 2, column campaign_key: A source identifier has two to four digits, but the key is \"2000x\"."
      #expect("\(errors)".hasSuffix("campaigns.csv: \(text)"))
    }
  }

  @Test(arguments: [("9/1/2020", true), ("2020-09-01", true), ("13/1/2020", false), ("9/1/20", false)])
  func `dates with the month first are read only where that is said`(_ date: String, _ isDate: Bool) throws {
    let text = "ad_network_id,network_name,valid_from\na,A,\(date)\n"
    let folder = try LookupFolder(["networks.csv": text])
    #expect(folder.problems(dates: .monthDayYear).isEmpty == isDate)
    #expect(folder.problems().isEmpty == date.contains("-"))
    guard isDate else { return }
    let networks = try folder.load(dates: .monthDayYear).networks
    let start = try #require(Timestamp("2020-09-01T00:00:00Z")).milliseconds
    #expect(networks.network("a", at: start - 1) == nil)
    #expect(networks.network("a", at: start)?.name == "A")
  }

  @Test func `the name of a network has an id if only one id has it`() throws {
    let text = "ad_network_id,network_name\nABC.adattributionkit,Abc\nx.skadnetwork,Two\ny.skadnetwork,two\n"
    let networks = try LookupFolder(["networks.csv": text]).load().networks
    #expect(networks.idsByName == ["abc": "abc.skadnetwork"])
  }

  @Test func `invalid UTF-8 and open quotes are problems`() throws {
    let folder = try TemporaryFolder()
    try folder.makeFile("apps.csv", holding: Array("app_id,app_name\n1,".utf8) + [0xFF, 0x0A])
    try folder.makeFile("networks.csv", holding: Array("ad_network_id,network_name\n\"a,A\n".utf8))
    #expect(LookupFolder(folder).problems() == ["apps.csv:-:-", "networks.csv:2:-"])
  }

  @Test func `a byte order mark, line ends of Windows and quotes are read`() throws {
    let text = "\u{FEFF}ad_network_id,network_name\r\n\r\nabc.skadnetwork,\"A \"\"B\"\", C\"\r\n"
    let lookups = try LookupFolder(["networks.csv": text]).load()
    #expect(lookups.networks.network("abc.skadnetwork", at: nil)?.name == "A \"B\", C")
    #expect(lookups.warnings.isEmpty)
  }

  @Test(arguments: [
    ("networks.csv", "ad_network_id, network_name\nabc.skadnetwork , A B\u{A0}\n"),
    ("networks.json", #"[{"ad_network_id":"abc.skadnetwork ","network_name":"\tA B"}]"#),
  ]) func `white space around a text is no part of it`(_ name: String, _ text: String) throws {
    let lookups = try LookupFolder([name: text]).load()
    #expect(lookups.networks.network("abc.skadnetwork", at: nil)?.name == "A B" && lookups.warnings.isEmpty)
    let empty = text.replacing("abc.skadnetwork", with: "")
    #expect(try LookupFolder([name: empty]).problems() == ["\(name):\(name.hasSuffix("csv") ? 2 : 1):ad_network_id"])
  }

  @Test func `unknown columns, repeated rows and unknown files are remarks`() throws {
    let lookups = try LookupFolder([
      "networks.csv": "ad_network_id,network_name,colour\na,A,red\na,A,blue\n",
      "campaign.csv": "x\n",
      "campaigns.csv": "network_name,campaign_key,campaign_id\nA,7,1\nA,7,1\nZ,7,1\n",
    ]).load()
    #expect(
      lookups.warnings.map(\.place).sorted() == [
        "campaign.csv:-:-", "campaigns.csv:3:-", "campaigns.csv:4:network_name", "networks.csv:1:colour",
        "networks.csv:3:-",
      ]
    )
  }

  @Test func `JSON has the same rows and the lines of its objects`() throws {
    let json = """
      [
        {"ad_network_id": "a", "network_name": "A", "click_days": 7, "null_as_zero": true, "valid_from": null},
        {"ad_network_id": "b", "network_name": "B \\u00e9", "click_days": "8"},
        {"ad_network_id": "c", "network_name": ["C"]},
        "d",
        {"ad_network_id": "e", "network_name": "E", "click_days": 0, "colour": 1}
      ]
      """
    #expect(
      try LookupFolder(["networks.json": json]).problems()
        == [
          "networks.json:4:network_name", "networks.json:4:network_name", "networks.json:5:-",
          "networks.json:6:click_days",
        ]
    )
    let right = json.split(separator: "\n").enumerated().filter { ![3, 4, 5].contains($0.offset) }.map(\.element)
    let text = right.joined(separator: "\n").replacing("\"8\"},", with: "\"8\"}")
    let networks = try LookupFolder(["networks.json": text]).load().networks
    #expect(networks.network("a", at: nil)?.clickDays == 7)
    #expect(networks.network("a", at: nil)?.writesNullAsZero == true)
    #expect(networks.network("b", at: nil)?.name == "B é")
    #expect(try LookupFolder(["networks.json": "{\"a\": 1}"]).problems() == ["networks.json:-:-"])
    #expect(try LookupFolder(["networks.json": "[{]"]).problems() == ["networks.json:-:-"])
    #expect(try LookupFolder(["apps.json": "[]", "apps.csv": "app_id,app_name\n"]).problems() == ["apps.json:-:-"])
  }

  @Test func `ids are compared without case, and those of both frameworks are the same`() {
    let ids = ["AbC.SKADNETWORK", "abc.skadnetwork", "abc.adattributionkit"]
    #expect(Set(ids.map(\.canonicalNetworkID)) == ["abc.skadnetwork"])
  }

  @Test func `rows of an id follow each other in time`() throws {
    let header = "ad_network_id,network_name,valid_from,valid_to\n"
    let following = "a,Old,,2026-03-01\na,New,2026-03-01,\n"
    let networks = try LookupFolder(["networks.csv": header + following]).load().networks
    let change = try #require(Timestamp("2026-03-01T00:00:00Z")).milliseconds
    #expect(networks.network("a", at: change - 1)?.name == "Old")
    #expect(networks.network("a", at: change)?.name == "New")
    #expect(networks.network("a", at: nil) == nil)
    let overlapping = "a,Old,,2026-03-02\na,New,2026-03-01,\n"
    #expect(try LookupFolder(["networks.csv": header + overlapping]).problems() == ["networks.csv:3:ad_network_id"])
  }

  @Test func `campaigns that contradict each other are problems unless they are allowed`() throws {
    let header = "ad_network_id,campaign_key,country,campaign_id,valid_from,valid_to\n"
    let rows = "a,7,,1,,2026-03-02\na,7,,2,2026-03-01,\na,7,US,3,,\na,8,,4,,\n"
    let folder = try LookupFolder(["campaigns.csv": header + rows])
    #expect(folder.problems() == ["campaigns.csv:3:valid_from"])
    #expect(folder.problems(allowingOverlap: true).isEmpty)
    let apart = rows.replacing("2026-03-02", with: "2026-03-01")
    #expect(try LookupFolder(["campaigns.csv": header + apart]).problems().isEmpty)
  }

  @Test func `short keys need a kind where a network has source identifiers`() throws {
    let header = "ad_network_id,campaign_key,kind\n"
    let folder = try LookupFolder(["campaigns.csv": header + "a,58,\na,5239,\nb,58,\na,59,source_identifier\n"])
    #expect(folder.problems() == ["campaigns.csv:2:kind"])
  }

  @Test func `a table without files, and a folder that does not exist, are missing input`() throws {
    for path in [try TemporaryFolder().path(""), "/nonexistent"] {
      let failure = #expect(throws: Lookups.Failure.self) { try Lookups(in: path) }
      if case .file(let missing) = failure {
        #expect(missing.kind == .notFound)
      } else {
        Issue.record("\(path): \(String(describing: failure))")
      }
    }
  }

  @Test func `the digest is of the content of the tables`() throws {
    let one = try LookupFolder(["networks.csv": Self.networks, "README.md": "x"]).load()
    let same = try LookupFolder(["networks.csv": Self.networks, "README.md": "y"]).load()
    let other = try LookupFolder(["networks.csv": Self.networks + "\n"]).load()
    #expect(one.hexadecimalDigest == same.hexadecimalDigest)
    #expect(one.hexadecimalDigest != other.hexadecimalDigest)
    #expect(one.hexadecimalDigest.count == 64)
  }
}
