import ConversionModel
import Testing

@testable import CopySettlement
@testable import Ledger

/// The choice of those models of one app that can be used together.
@Suite struct SettlementModelsTests {
  /// Returns a version of a model that is valid between two minutes of a day.
  private func recorded(
    _ version: Int,
    from start: Int? = nil,
    to end: Int? = nil,
    isInForce: Bool = true,
    isOfSettlement: Bool = false,
    commit: Int64 = 5
  ) -> RecordedModel {
    func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    func time(_ minute: Int?) -> String {
      minute.map { "\"2026-01-01T\(digits($0 / 60)):\(digits($0 % 60)):00Z\"" } ?? "null"
    }
    let window = #"{"postback_sequence_index":0,"fine":{"0":[],"1":[{"event":"purchase"}]}}"#
    return RecordedModel(
      appID: 1,
      name: "m@\(version) of app 1",
      text: """
        {"app_id":1,"model_id":"m","version":\(version),"effective_from":\(time(start)),"effective_to":\(time(end)),\
        "windows":[\(window)]}
        """,
      isInForce: isInForce,
      isOfSettlement: isOfSettlement,
      commit: commit
    )
  }

  private func versions(_ models: [RecordedModel]) -> [Int] { Models.fitting(models).map(\.label.version) }

  @Test func `a withdrawn model counts, unless it is valid together with one in force`() {
    let models = [
      recorded(1, to: 20, isInForce: false, commit: 1), recorded(2, from: 10), recorded(3, to: 10, isInForce: false),
    ]
    #expect(versions(models) == [2, 3])
  }

  @Test func `the models of a settlement count alone, but for those that a run had later`() {
    let models = [
      recorded(1, to: 20), recorded(2, from: 20, to: 30, commit: 7),
      recorded(3, to: 20, isOfSettlement: true, commit: 6),
    ]
    #expect(versions(models) == [2, 3])
  }

  @Test func `all of many versions that follow each other count, and each is read once`() {
    #expect(versions((1...1400).map { recorded($0, from: $0, to: $0 + 1) }).count == 1400)
  }
}
