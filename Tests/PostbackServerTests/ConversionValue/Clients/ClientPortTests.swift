import Base
import ConversionModel
import PostbackServer
import TestSupport
import Testing

/// Simulates users of an app whose client asks for conversion values over 40 days, and compares the postbacks that Apple
/// would send with their activity.
@Suite struct ClientPortTests {
  /// The time at which the second version of the model comes into force.
  private static let change = 1_780_000_000

  /// Returns rates for every third day, all different.
  private static func rates() throws -> CurrencyRates {
    let days = stride(from: -24, through: 24, by: 3).map { day in
      let date = Timestamp(milliseconds: Int64(change + day * 24 * 3600) * 1000).description.prefix(10)
      return "\(date),USD,1\n\(date),EUR,0.\(900 + day)\n"
    }
    return try CurrencyRates(parsing: Array(("date,currency,rate\n" + days.joined()).utf8), file: "rates.csv")
  }

  /// Returns the API of a model in two versions, one after the other.
  private static func service(of kind: RandomModel, _ random: inout SplitMix) throws -> DirectService {
    let change = "\"\(Timestamp(milliseconds: Int64(change) * 1000))\""
    let texts = [
      kind.text(version: 1, from: "null", to: change, &random),
      kind.text(version: 2, from: change, to: "null", &random),
    ]
    let models = try Models(parsing: Array("[\(texts.joined(separator: ","))]".utf8), file: "m.json")
    return DirectService(api: ConversionValueAPI(models: models, rates: try rates()))
  }

  private static func history(_ random: inout SplitMix) -> History {
    let start = change + Int.random(in: -20 * 24 * 3600...20 * 24 * 3600, using: &random)
    return History(from: start, currencies: ["USD", "EUR"], &random)
  }

  @Test(arguments: RandomModel.allCases)
  func `SKAdNetwork 4 postbacks decode to the activity of the user`(_ kind: RandomModel) throws {
    var random = SplitMix(seed: 40)
    var checked = [0, 0, 0]
    for _ in 0..<15 {
      let service = try Self.service(of: kind, &random)
      for _ in 0..<10 {
        let user = try User(history: Self.history(&random), asking: service)
        for window in 0..<3 {
          if try user.check(window, under: service.api, &random) { checked[window] += 1 }
        }
      }
    }
    for count in checked { #expect(count > 40, "\(checked)") }
  }

  @Test(arguments: RandomModel.allCases)
  func `SKAdNetwork 3 postbacks decode to the activity of the user`(_ kind: RandomModel) throws {
    var random = SplitMix(seed: 30)
    var checked = 0
    for _ in 0..<15 {
      let service = try Self.service(of: kind, &random)
      for _ in 0..<10 {
        let user = try OldUser(history: Self.history(&random), asking: service)
        if try user.check(under: service.api, &random) { checked += 1 }
      }
    }
    #expect(checked > 75)
  }

  @Test(arguments: RandomModel.allCases)
  func `postbacks decode to the activity of the user over HTTP`(_ kind: RandomModel) throws {
    var random = SplitMix(seed: 80)
    let text = kind.text(version: 1, from: "null", to: "null", &random)
    let api = ConversionValueAPI(models: try Models(parsing: Array(text.utf8), file: "m.json"))
    let service = try HTTPService(api)
    var checked = 0
    for _ in 0..<12 {
      let start = Self.change + Int.random(in: 0...20 * 24 * 3600, using: &random)
      let history = History(from: start, currencies: ["USD"], &random)
      let user = try User(history: history, asking: service)
      for window in 0..<3 where try user.check(window, under: api, &random) { checked += 1 }
      let oldUser = try OldUser(history: history, asking: service)
      if try oldUser.check(under: api, &random) { checked += 1 }
    }
    #expect(checked > 20)
  }
}
