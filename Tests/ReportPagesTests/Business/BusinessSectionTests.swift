import PageMarkup
import ConversionModel
import JSON
import TestSupport
import Testing

@testable import ReportPages
@testable import Reporting

@Suite struct `The business half of a report` {
  /// Two campaigns of a network with so many installs, revenue and cost each, on the days 20000 and 20001.
  private func business(_ campaigns: [(installs: Int, revenue: Int, cost: Int?)]) -> BusinessReport {
    var business = BusinessReport()
    business.currency = "EUR"
    for (number, campaign) in campaigns.enumerated() {
      let key = BusinessReport.Key(day: 20_000 + number, app: "1", network: "<n>", campaign: "\(number)")
      var sums = BusinessReport.Sums()
      (sums.installs, sums.values) = (campaign.installs, campaign.installs)
      let revenue = Amount(campaign.revenue)
      (sums.revenue, sums.minimum, sums.closedMaximum, sums.allWindows) = (revenue, revenue, revenue, revenue)
      sums.cost = campaign.cost.map { Amount($0) }
      sums.costRows = campaign.cost ?? 0 == 0 ? 0 : 1
      business.cells[key] = sums
      business.campaignNames[["<n>", "\(number)"]] = "<img src=x onerror=alert(1)>"
    }
    return business
  }

  @Test func `judges each campaign by the whole range of its return, and escapes its name`() throws {
    let section = BusinessSection(business: business([(10, 100, 50), (20, 100, 400)]))
    #expect(section.campaigns.map(\.judgement) == [.below, .above])
    let page = section.html.markup
    let rows = try #require(ReportedTable("Campaigns, the largest cost first", in: page)).rows
    #expect(rows.map { $0[1] } == ["1", "0"] && rows.map { $0[6] } == ["0.25", "2.00"])
    #expect(!page.contains("<img src=x"))
  }

  @Test func `says how costs come in if there are none`() {
    let section = BusinessSection(business: business([(10, 100, nil), (20, 100, nil)]))
    #expect(section.html.markup.contains("<code>postback daily OUT --lookups DIR --cost FILE</code>"))
    #expect(section.campaigns.allSatisfy { $0.judgement == .noCost })
  }

  @Test func `does not say that there are no costs where they are in another currency`() throws {
    var business = business([(10, 100, nil), (20, 100, nil)])
    for key in business.cells.keys { business.cells[key]?.others.add(cost: Amount(70), "USD") }
    #expect(!BusinessSection(business: business).html.markup.contains("No costs are known"))
  }

  @Test func `shows no 0 for revenue in another currency, and counts campaigns by the currency of their cost`() throws {
    var business = business([(10, 100, 400), (20, 0, 50), (5, 0, nil), (5, 0, 70)])
    for key in business.cells.keys {
      switch key.campaign {
      case "0", "3": business.cells[key]?.revenueRows = 1
      case "1": business.cells[key]?.others.add(revenue: Amount(200), "USD")
      default: business.cells[key]?.others.add(cost: Amount(70), "USD")
      }
    }
    let section = BusinessSection(business: business)
    let page = section.html.markup
    let rows = try #require(ReportedTable("Campaigns, the largest cost first", in: page)).rows
    #expect(rows.map { $0[1] } == ["0", "3", "1", "2"] && rows.map { $0[2] } == ["400.00", "70.00", "50.00", ""])
    #expect(rows.map { $0[5] } == ["100.00", "0.00", "", "0.00"])
    #expect(rows.map { $0[11] } == ["below 1", "below 1", "undecided", "cost in another currency"])
    let days = try #require(ReportedTable("Revenue of each day in EUR", in: page)).rows
    #expect(days.map { $0[1] } == ["100.00", "", "0.00", "0.00"] && days[1].dropFirst().allSatisfy(\.isEmpty))
    #expect(section.data["cells"]?.elements.map { $0.elements[10].integer } == [1, 0, 0, 1])
    let finding = try #require(BusinessFindings.worst(section)).sentence
    #expect(finding.hasPrefix("2 of 3 campaigns with a cost above 0 in EUR do not pay it back"), "\(finding)")
  }

  @Test func `says of how many campaigns with a return the largest costs are drawn`() throws {
    let many = [(installs: Int, revenue: Int, cost: Int?)](repeating: (1, 1, 2), count: 17) + [(1, 1, nil), (1, 1, -5)]
    let figure = BusinessSection(business: business(many)).campaignsFigure.markup
    #expect(figure.contains("Of the 17 with a return at most the 16 with the largest cost are drawn."))
    #expect(figure.contains("<summary aria-label=\"Numbers: Campaigns by their return\">Numbers</summary>"))
  }

  @Test func `counts the cost of a campaign that is not of one app, in its judgement and in the findings too`() throws {
    var business = business([(10, 100, 50)])
    #expect(BusinessSection(business: business).campaigns.map(\.judgement) == [.above])
    var undivided = BusinessReport.Sums()
    (undivided.cost, undivided.costRows) = (Amount(150), 1)
    business.cells[BusinessReport.Key(day: 20_000, app: nil, network: "<n>", campaign: "0")] = undivided
    let section = BusinessSection(business: business)
    let line = try #require(section.campaigns.first)
    #expect(section.campaigns.count == 1 && line.judgement == .below && line.cost == Amount(200))
    #expect(try #require(BusinessFindings.returns(section)).sentence.contains("a return of 0.50, with"))
  }

  @Test func `counts a credit as the cost that it takes back`() throws {
    func sentence(_ campaigns: [(installs: Int, revenue: Int, cost: Int?)]) throws -> String {
      try #require(BusinessFindings.returns(BusinessSection(business: business(campaigns)))).sentence
    }
    let some = try sentence([(10, 100, 60), (20, 100, -10)])
    #expect(some.hasPrefix("EUR\u{a0}50.00 bought 30 installs and brought EUR\u{a0}200.00 back"), "\(some)")
    // There is no return on a cost of 0 or less.
    let none = try sentence([(10, 100, 60), (20, 100, -70)])
    #expect(none == "30 installs are attributed and brought EUR\u{a0}200.00 in the first window.")
    let section = BusinessSection(business: business([(10, 100, 60), (20, 100, -10), (20, 100, 0)]))
    #expect(section.campaigns.map(\.judgement.words) == ["above 1", "no cost", "credits exceed costs"])
  }

  @Test func `draws the observed return on the line of its range, also where null postbacks are worth more`() throws {
    var business = business([(10, 100, 100)])
    let key = try #require(business.cells.keys.first)
    business.cells[key]?.nulls = 5
    business.cells[key]?.modelledNulls = 5
    business.cells[key]?.nullRevenue = .init(estimate: Amount(60), low: Amount(20), high: Amount(90))
    let section = BusinessSection(business: business)
    let roas = try #require(section.campaigns.first?.roas)
    #expect(roas == (observed: 1, low: 1, high: 1.9))
    let page = section.html.markup
    let row = try #require(ReportedTable("Campaigns, the largest cost first", in: page)?.rows.first)
    #expect(row[6...8] == ["1.00", "1.00", "1.90"])
  }

  @Test func `sets costs against the installs and the revenue of campaigns with a cost alone`() throws {
    func sentence(_ business: BusinessReport) throws -> String {
      try #require(BusinessFindings.returns(BusinessSection(business: business))).sentence
    }
    let some = try sentence(business([(10, 100, 50), (2000, 900, nil), (5, 70, 0)]))
    #expect(
      some.hasPrefix("EUR\u{a0}50.00 bought 10 installs of the campaigns with a cost and brought EUR\u{a0}100.00 ")
    )
    #expect(some.contains("a return of 2.00, with"))
    #expect(some.hasSuffix("2.00 to 2.00; 2\u{202F}005 installs are of campaigns without a cost."), "\(some)")
    let all = try sentence(business([(10, 100, 50), (20, 100, 400)]))
    #expect(all.hasPrefix("EUR\u{a0}450.00 bought 30 installs and brought EUR\u{a0}200.00 back"))
    #expect(all.hasSuffix("0.44 to 0.44."), "\(all)")
  }

  @Test func `says until when the revenue of all windows grows, which final days have too`() {
    let section = BusinessSection(business: business([(10, 100, 50), (20, 100, 400)]))
    for figure in [section.revenueFigure, section.campaignsFigure] { #expect(figure.markup.contains("51 days")) }
  }

  @Test func `ends with the day that it is of where a cost has a later date`() {
    var business = business([(10, 100, 5), (20, 100, 5)])
    business.asOf = "2024-10-08T00:00:00Z"
    var mistyped = BusinessReport.Sums()
    mistyped.cost = Amount(3)
    business.cells[BusinessReport.Key(day: 57_000, app: "1", network: "<n>", campaign: "0")] = mistyped
    #expect(BusinessSection(business: business).days == [20_000, 20_001])
  }

  @Test func `has sums by campaign and by day in place of cells where there are too many`() throws {
    let two = business([(1, 1, nil), (1, 1, nil)])
    #expect(BusinessSection(business: two, mostCells: 1).data["dayCells"] != .null)
    #expect(BusinessSection(business: two).data["dayCells"] == .null)
  }

  /// A forwarder with as many different values of 1000, worth as much.
  private func forwarder(_ name: String, _ different: Int) -> ForwarderAgreement {
    var forwarder = ForwarderAgreement(forwarder: name)
    (forwarder.compared, forwarder.agreeing) = (1000, 1000 - different)
    forwarder.effect = ["USD": Amount(different)]
    return forwarder
  }

  @Test func `gives no weight to differences that tests tolerate, and says what is usual`() throws {
    func finding(_ forwarders: [ForwarderAgreement]) throws -> Finding {
      try #require(BusinessFindings.differences(AgreementTable(forwarders: forwarders, output: "here"), []))
    }
    let few = try finding([forwarder("one", 4), forwarder("two", 2)])
    #expect(few.money == 0 && few.rows < 0)
    #expect(few.sentence.contains("This is no suspicion"))
    #expect(few.sentence.contains("others 0.2"))
    let many = try finding([forwarder("one", 20), forwarder("two", 2)])
    #expect(many.money == 20 && many.rows == 20)
    #expect(!many.sentence.contains("no suspicion"))
    // Alone, more is tolerated.
    #expect(try finding([forwarder("one", 20)]).sentence.contains("no suspicion"))
  }

  @Test func `names the command that makes what is missing`() {
    #expect(BusinessSection.missing(["here"]).markup.contains("<code>postback daily here</code>"))
    let trust = AgreementTable(forwarders: nil, output: "here").html.markup
    #expect(trust.contains("<code>postback settle here --lookups DIR</code>"))
    #expect(
      AgreementTable(forwarders: [], output: "here").html.markup.contains("NSAdvertisingAttributionReportEndpoint")
    )
    #expect(ModelledSection(totals: nil, appNames: [:]).html.markup.contains("<code>postback daily</code>"))
  }
}
