import Base
import Testing

@testable import CampaignEnrichment
@testable import LookupTables
@testable import PostbackCopies

@Suite struct InlineValuesTests {
  private func read(_ extras: String, receivedAt: String? = nil) throws -> InlineValues {
    var reader = InlineReader()
    let time = try receivedAt.map { try #require(Timestamp($0)).milliseconds }
    return reader.read(Array(extras.utf8)[...], receivedAt: time)
  }

  @Test func `the genuine postback of a forwarder names its campaign and its time`() throws {
    let values = try read(
      """
      {"adjust-campaign":"a_campaign","adjust-campaign-id":"112233445566","adjust-adgroup":"a_group_uid",
      "adjust-adgroup-id":"112233445566","timestamp":1622794663}
      """,
      receivedAt: "2021-06-04T09:00:00Z"
    )
    #expect(values[.campaignName] == "a_campaign")
    #expect(values[.campaignID] == "112233445566")
    #expect(values[.adgroupName] == "a_group_uid")
    #expect(values.forwardedAt.map { Timestamp(milliseconds: $0).description } == "2021-06-04T08:17:43Z")
  }

  @Test(arguments: [
    ("\"1596525944\"", "2020-08-04T07:25:44Z"), ("1596525944000", "2020-08-04T07:25:44Z"),
    ("\"1596525944000\"", "2020-08-04T07:25:44Z"), ("999999999", nil), ("0", nil), ("-1", nil), ("\"soon\"", nil),
    ("1596700000", nil), ("1.5e9", nil), ("99999999999999999", nil), ("9223372036854775807", nil),
  ])
  func `times of forwarding are seconds or milliseconds, and possible`(_ time: String, _ expected: String?) throws {
    let values = try read("{\"timestamp\":\(time)}", receivedAt: "2020-08-04T08:00:00Z")
    #expect(values.forwardedAt.map { Timestamp(milliseconds: $0).description } == expected)
    #expect(values.hasWrongTime == (expected == nil))
  }

  @Test(
    arguments: [
      (#"{"ad-network-campaign-id":"1"}"#, .campaignID), (#"{"AD_NETWORK_ADSET_NAME":"1"}"#, .adgroupName),
      (#"{"partner-ad-set-id":1}"#, .adgroupID), (#"{"query.attributed-campaign-id":"1"}"#, .campaignID),
      (#"{"query.Attributed_Campaign":["1"]}"#, nil), (#"{"ad-network-ad-id":"1"}"#, .creativeID),
      (#"{"partner-ad-id":"2","partner-creative-id":"1"}"#, .creativeID),
      (#"{"partner-creative-id":"1","partner-ad-id":"2"}"#, .creativeID), (#"{"adjust-campaign":""}"#, nil),
      (#"{"adjust-campaign":null}"#, nil), (#"{"campaign-id":"1"}"#, nil), ("{}", nil), ("[", nil),
    ] as [(String, InlineValues.Field?)]
  )
  func `keys are read in any letter case, with dashes or underscores`(
    _ extras: String,
    _ field: InlineValues.Field?
  ) throws {
    let values = try read(extras)
    for other in InlineValues.Field.allCases { #expect(values[other] == (other == field ? "1" : nil)) }
  }

  @Test(arguments: [("true", true), ("1", true), ("\"TRUE\"", true), ("false", false), ("0", false), ("\"\"", false)])
  func `a forwarder's tests are marked`(_ value: String, _ isTest: Bool) throws {
    #expect(try read("{\"test\":\(value)}").isTest == isTest)
  }

  @Test(arguments: InlineCase.all) func `the table counts, and a forwarder adds to it`(_ example: InlineCase) throws {
    var texts = TextPool()
    func pair(_ pair: (String?, String?)) -> TextPair {
      TextPair(id: texts.number(of: pair.0), name: texts.number(of: pair.1))
    }
    var match = CampaignMatch()
    match.status = example.status
    if example.status == .ambiguous {
      match.campaigns = Set([pair(("1", "One")), pair(("2", "Two"))])
    } else {
      match.campaign = pair(example.table)
    }
    var row = EnrichedRow()
    row.inline = try read(example.extras)
    row.fill(match, texts)
    #expect(row.campaign[0] == example.id)
    #expect(row.campaign[1] == example.name)
    #expect(row.campaign[2] == example.adgroup)
    #expect(row.source == example.source)
    #expect(row.hasConflict == example.isConflict)
  }
}

/// A campaign of the table, the keys of a forwarder, and the values that follow.
struct InlineCase: Sendable {
  let status: EnrichStatus
  let table: (String?, String?)
  let extras: String
  let id: String?
  let name: String?
  let adgroup: String?
  let source: EnrichSource?
  let isConflict: Bool

  private init(
    _ status: EnrichStatus,
    _ table: (String?, String?),
    _ extras: String,
    _ id: String?,
    _ name: String?,
    _ adgroup: String?,
    _ source: EnrichSource?,
    isConflict: Bool = false
  ) {
    (self.status, self.table, self.extras, self.id, self.name) = (status, table, extras, id, name)
    (self.adgroup, self.source, self.isConflict) = (adgroup, source, isConflict)
  }

  static let all = [
    InlineCase(.unmapped, (nil, nil), "{}", nil, nil, nil, nil),
    InlineCase(.unmapped, (nil, nil), #"{"adjust-campaign-id":"9"}"#, "9", nil, nil, .inline),
    InlineCase(.exact, ("1", "One"), "{}", "1", "One", nil, .table),
    InlineCase(.exact, ("1", nil), #"{"adjust-campaign":"Uno","adjust-adgroup-id":"5"}"#, "1", "Uno", "5", .both),
    InlineCase(.exact, ("1", "One"), #"{"adjust-campaign-id":"1","adjust-campaign":"Uno"}"#, "1", "One", nil, .both),
    InlineCase(
      .exact,
      ("1", "One"),
      #"{"adjust-campaign-id":"2","adjust-adgroup-id":"5"}"#,
      "1",
      "One",
      nil,
      .table,
      isConflict: true
    ),
    InlineCase(.ambiguous, (nil, nil), #"{"adjust-campaign-id":"2"}"#, "2", nil, nil, .inline),
    InlineCase(.ambiguous, (nil, nil), #"{"adjust-campaign":"Three"}"#, nil, nil, nil, nil, isConflict: true),
  ]
}
