import Answers
import ConversionModel
import Foundation
import Reporting
import TestSupport
import Testing

@testable import ReportPages
import Statistics

/// The rules and the formats of numbers that the page's script has too, since a choice of the filters may be any. The tests of
/// the script in `Tests/Page` hold it to the same results.
@Suite struct `The rules of postback report that its script has too` {
  private struct Expected: Decodable {
    struct Wilson: Decodable {
      let part, whole: Int
      let interval: [Double]
    }
    struct Judged: Decodable {
      let range: [Double]?
      let isOpen: Bool
      let hasCredit: Bool?
      let hasOtherCost: Bool?
      let code: String
    }
    struct RateForm: Decodable {
      let value: Double
      let text: String
    }
    struct AmountForm: Decodable { let amount, text: String }
    struct CountForm: Decodable {
      let number: Int
      let text: String
    }
    struct ShareForm: Decodable {
      let part, whole: Int
      let text: String
    }
    let wilson: [Wilson]
    let judgement: [Judged]
    let plain: [AmountForm]
    let grouped: [CountForm]
    let ratio, percent: [RateForm]
    let share: [ShareForm]
  }

  private let expected: Expected

  init() throws {
    expected = try JSONDecoder().decode(Expected.self, from: Data(Fixtures.bytes("page/rules.json")))
  }

  @Test func `Wilson's interval has the limits of the formula`() throws {
    #expect(expected.wilson.count > 3)
    for one in expected.wilson {
      let interval = try #require(WilsonRate(one.part, of: one.whole).interval)
      #expect(abs(interval.low - one.interval[0]) < 1e-9 && abs(interval.high - one.interval[1]) < 1e-9, "\(one)")
    }
  }

  @Test func `a campaign is judged by the whole range of its return`() {
    #expect(Set(expected.judgement.map(\.code)) == Set(CampaignJudgement.allCases.map(\.rawValue)))
    for one in expected.judgement {
      let judgement = CampaignJudgement(
        range: one.range.map { ($0[0], $0[1]) },
        isOpenEnded: one.isOpen,
        hasCredit: one.hasCredit ?? false,
        hasOtherCost: one.hasOtherCost ?? false
      )
      #expect(judgement.rawValue == one.code, "\(one)")
    }
  }

  @Test func `numbers have the forms of the tables`() throws {
    for one in expected.plain {
      let written = Amount(written: one.amount.utf8.span)
      let amount = try #require(written)
      #expect(Numbers.plain(amount) == one.text)
      #expect(Numbers.money(amount, "EUR") == "EUR\u{a0}\(one.text)")
    }
    for one in expected.grouped { #expect(Numbers.grouped(one.number) == one.text) }
    for one in expected.ratio { #expect(Numbers.ratio(one.value) == one.text) }
    for one in expected.percent { #expect(Numbers.percent(one.value) == one.text) }
    for one in expected.share { #expect("\(Share(one.part, of: one.whole))" == one.text) }
  }
}
