import Base
import LookupFixtures
import TestSupport
import Testing

@testable import LookupTables

@Suite struct CampaignMatchTests {
  /// The rows of a table, without `ad_network_id`, which is `abc` for all.
  private func index(_ header: String, _ rows: [String]) throws -> CampaignIndex {
    let text = "ad_network_id,\(header)\n" + rows.map { "abc,\($0)\n" }.joined()
    return try LookupFolder(["campaigns.csv": text]).load(dates: .monthDayYear).campaigns
  }

  private func query(_ index: CampaignIndex, _ identifier: CampaignLookup.Identifier) throws -> CampaignLookup {
    CampaignLookup(network: try #require(index.network(id: "abc")), app: 1, identifier: identifier)
  }

  private func time(_ text: String) throws -> Int64 { try #require(Timestamp(dateOrTime: text)).milliseconds }

  private func campaign(_ match: CampaignMatch, _ index: CampaignIndex) -> String? { index.texts[match.campaign.id] }

  /// The table of the open standard for SKAdNetwork, section 3.2.
  private static let standard = [
    "7,,1238712,848483,9/1/2020,10/1/2020", "7,US,1238714,848489,9/1/2020,10/1/2020",
  ]

  @Test(
    arguments: [
      (nil, EnrichStatus.ambiguous, nil, nil, 2), ("US", .exact, "1238714", "848489", 1),
      ("DE", .exact, "1238712", "848483", 1),
    ] as [(String?, EnrichStatus, String?, String?, Int)]
  )
  func `the standard's example`(
    _ country: String?,
    _ status: EnrichStatus,
    _ campaign: String?,
    _ creative: String?,
    _ count: Int
  ) throws {
    for rows in [Self.standard, Self.standard.reversed()] {
      let index = try index("campaign_key,country,campaign_id,creative_id,valid_from,valid_to", rows)
      var query = try query(index, .campaign(7))
      // SKAdNetwork 2: an install one to two days before, and a click up to 30 days before that.
      query.latest = try time("2020-09-19")
      query.earliest = try time("2020-08-19")
      query.country = country.flatMap { Country($0.utf8.span) }
      let match = index.match(query)
      #expect(match.status == status)
      #expect(match.count == count)
      #expect(self.campaign(match, index) == campaign)
      #expect(index.texts[match.creative.id] == creative)
    }
  }

  @Test func `the time of the impression decides between rows that follow each other`() throws {
    let rows = ["5239,A,,2026-03-01", "5239,B,2026-03-01,"]
    let index = try index("campaign_key,campaign_id,valid_from,valid_to", rows)
    var query = try query(index, .source(5239, digits: 4))
    query.latest = try time("2026-03-17T12:00:00Z")
    query.earliest = try time("2026-02-14T12:00:00Z")
    #expect(index.match(query).status == .ambiguous)
    query.earliest = try time("2026-03-15T12:00:00Z")
    #expect(campaign(index.match(query), index) == "B")
    #expect(index.match(query).status == .exact)
    query.earliest = nil
    query.latest = try time("2026-02-28T23:59:59.999Z")
    #expect(campaign(index.match(query), index) == "A")
    query.latest = try time("2026-03-01")
    #expect(index.match(query).status == .ambiguous)
    query.earliest = query.latest
    #expect(campaign(index.match(query), index) == "B")
  }

  @Test func `a row that was valid at another time is outside validity, and a contradicted one is unmapped`() throws {
    let header = "campaign_key,country,campaign_id,valid_from,valid_to"
    let index = try index(header, ["7,,1,2026-03-01,2026-04-01", "8,US,1,,"])
    var query = try query(index, .campaign(7))
    query.earliest = try time("2026-04-01")
    #expect(index.match(query).status == .outsideValidity)
    #expect(index.match(query).count == 0)
    query.identifier = .campaign(8)
    query.country = Country("DE".utf8.span)
    #expect(index.match(query).status == .unmapped)
    query.identifier = .campaign(9)
    #expect(index.match(query).status == .unmapped)
  }

  @Test(
    arguments: [
      (5239, 4, "A"), (239, 3, "A"), (39, 2, nil), (52, 2, nil), (8, 4, "C"), (8, 3, "C"), (8, 2, "C"), (58, 2, nil),
    ] as [(Int, Int, String?)]
  )
  func `shortened identifiers keep their last digits`(_ number: Int, _ digits: Int, _ expected: String?) throws {
    let rows = ["5239,A", "1139,B", "0008,C"]
    let index = try index("campaign_key,campaign_id", rows)
    let match = index.match(try query(index, .source(number, digits: digits)))
    #expect(campaign(match, index) == expected)
    #expect(match.status == (number == 39 ? .ambiguous : expected == nil ? .unmapped : .exact))
  }

  @Test func `shortened identifiers keep their first digits where the network says so`() throws {
    let index = try index("campaign_key,campaign_id", ["5239,A", "1139,B", "0058,C"])
    for (number, digits, expected) in [(52, 2, "A"), (11, 2, "B"), (5, 3, "C"), (0, 2, "C"), (523, 3, "A")] {
      var query = try query(index, .source(number, digits: digits))
      query.digits = .leading
      #expect(campaign(index.match(query), index) == expected)
    }
    var query = try query(index, .source(39, digits: 2))
    #expect(index.matches(twoDigits: 39, query) == (true, false))
    query.digits = .leading
    #expect(index.matches(twoDigits: 52, query) == (false, true))
    #expect(index.matches(twoDigits: 77, query) == (false, false))
  }

  @Test func `keys with fewer digits mean the same as with zeros`() throws {
    let index = try index("campaign_key,kind,campaign_id", ["58,source_identifier,A"])
    #expect(campaign(index.match(try query(index, .source(58, digits: 4))), index) == "A")
    #expect(campaign(index.match(try query(index, .source(58, digits: 2))), index) == "A")
    #expect(index.match(try query(index, .campaign(58))).status == .unmapped)
  }

  @Test func `rows that agree on the campaign leave out only the levels in which they differ`() throws {
    let header = "campaign_key,campaign_id,campaign_name,adgroup_id,creative_id,placement,geo,target_countries"
    let rows = [
      "5239,1,Old name,10,100,P,EU,DE;DE", "1139,1,New name,10,101,P,US,DE", "2239,1,New name,10,102,Q,US,DE",
    ]
    let index = try index(header, rows)
    let match = index.match(try query(index, .source(39, digits: 2)))
    #expect(match.status == .agreed)
    #expect(match.count == 3)
    #expect(index.texts[match.campaign.id] == "1")
    #expect(index.texts[match.campaign.name] == nil)
    #expect(index.texts[match.adgroup.id] == "10")
    #expect(index.texts[match.creative.id] == nil)
    #expect(index.texts[match.placement] == nil)
    #expect(match.target == Country("DE".utf8.span))
    let others = try self.index(header, ["5239,1,N,10,100,P,EU,DE", "1139,1,N,11,100,P,EU,DE;AT"])
    let other = others.match(try query(others, .source(39, digits: 2)))
    #expect(others.texts[other.campaign.name] == "N")
    #expect([other.adgroup.id, other.creative.id, other.placement, other.geo].allSatisfy { others.texts[$0] == nil })
    #expect(other.target == nil)
  }

  @Test func `conditions on unknown properties are not contradicted, and the more specific row counts`() throws {
    let header = "campaign_key,app_id,country,source_app_id,redownload,campaign_id"
    let rows = ["7,,,,,all", "7,1,,,,app", "7,1,,5,,source", "7,1,US,5,,both", "7,1,,,true,again"]
    for rows in [rows, rows.reversed()] {
      let index = try index(header, rows)
      var query = try query(index, .campaign(7))
      query.redownload = false
      #expect(index.match(query).count == 3)
      query.sourceApp = 6
      #expect(campaign(index.match(query), index) == "app")
      query.sourceApp = 5
      #expect(index.match(query).count == 2)
      query.country = Country("us".utf8.span)
      #expect(campaign(index.match(query), index) == "both")
      query.country = Country("DE".utf8.span)
      #expect(campaign(index.match(query), index) == "source")
      query.app = 2
      #expect(campaign(index.match(query), index) == "all")
    }
  }

  @Test func `a secure id has the campaigns of its network`() throws {
    let networks = """
      ad_network_id,network_name,owner
      su67r6k2v3.skadnetwork,ironSource,
      DZG6XY7PWJ.skadnetwork,ironSource,mmp_secure
      """
    let campaigns = "ad_network_id,campaign_key,campaign_id\nsu67r6k2v3.skadnetwork,7,A\n"
    let lookups = try LookupFolder(["networks.csv": networks, "campaigns.csv": campaigns]).load()
    let network = try #require(lookups.networks.network("dzg6xy7pwj.skadnetwork", at: nil))
    #expect(network.owner == .secureSetUp)
    let key = try #require(lookups.campaigns.network(name: network.name))
    let match = lookups.campaigns.match(CampaignLookup(network: key, app: 1, identifier: .campaign(7)))
    #expect(campaign(match, lookups.campaigns) == "A")
  }

  @Test func `the order of the rows does not change the result`() throws {
    var random = SplitMix(seed: 7)
    let header = "campaign_key,country,source_app_id,campaign_id,adgroup_id,valid_from,valid_to"
    var rows = Set<String>()
    while rows.count < 60 {
      let day = 1 + random.next() % 20
      let (country, source) = (["", "US", "DE"][Int(random.next() % 3)], ["", "5"][Int(random.next() % 2)])
      let (from, to) = (day < 10 ? "2026-03-0\(day)" : "2026-03-\(day)", "2026-03-\(day + 10)")
      let (key, campaign, adgroup) = (random.next() % 4, random.next() % 3, random.next() % 2)
      rows.insert("10\(key)9,\(country),\(source),\(campaign),\(adgroup),\(from),\(to)")
    }
    func matches(_ rows: [String]) throws -> [String] {
      let text = "ad_network_id,\(header)\n" + rows.map { "abc,\($0)\n" }.joined()
      let index = try LookupFolder(["campaigns.csv": text]).load(allowingOverlap: true).campaigns
      return try (1...28).flatMap { day in
        try [nil, "US", "FR"].map { country in
          var query = try query(index, .source(9, digits: 2))
          query.earliest = try time("2026-03-01") + Int64(day) * 86_400_000
          query.latest = query.earliest.map { $0 + 3_600_000 }
          query.country = country.flatMap { Country($0.utf8.span) }
          let match = index.match(query)
          let adgroup = index.texts[match.adgroup.id] ?? "-"
          return "\(match.status) \(match.count) \(campaign(match, index) ?? "-") \(adgroup)"
        }
      }
    }
    let sorted = try matches(rows.sorted())
    #expect(Set(sorted).count > 5)
    #expect(try matches(rows.shuffled(using: &random)) == sorted)
    #expect(try matches(rows.shuffled(using: &random)) == sorted)
  }

  @Test func `many rows and many queries take time in proportion to their sum`() throws {
    let header = "campaign_key,campaign_id,valid_from,valid_to"
    let rows = (0..<100_000).map { row in
      let key = String(row % 10_000 + 10_000).dropFirst()
      return "\(key),\(row / 10_000),20\(10 + row / 10_000)-01-01,20\(11 + row / 10_000)-01-01"
    }
    let index = try index(header, rows)
    let start = try time("2010-01-01")
    var statuses: Set<EnrichStatus> = []
    for number in 0..<50_000 {
      var query = try query(index, .source(number % 100, digits: 2))
      query.earliest = start + Int64(number) * 6_000_000
      query.latest = query.earliest.map { $0 + 86_400_000 }
      statuses.insert(index.match(query).status)
    }
    #expect(statuses == [.agreed, .ambiguous])
  }
}
