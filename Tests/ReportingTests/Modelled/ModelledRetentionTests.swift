import Base
import ConversionModel
import DerivedTables
import JSON
import Ledger
import Tables
import Testing

@testable import DailyReports
@testable import NullValueModelling

/// The modelled table after the postbacks of old days were removed because of their age.
@Suite struct ModelledRetentionTests {
  private func postback(_ day: Int, _ number: Int) -> DailyFolder.Columns {
    let dates = [
      "received_at": #""2026-03-\#(day + 4)T06:00:00Z""#, "estimated_install_date": #""2026-03-\#(day)T18:00:00Z""#,
      "source_identifier": #""\#(10 + number % 7)""#,
    ]
    let value = number % 3 == 0 ? [:] : DailyFolder.decoded(number % 5, "\(number % 5)", from: "0", to: "9")
    return value.merging(dates) { $1 }
  }

  @Test(arguments: ModelPeriod.allCases) func `the table keeps its periods, and grows with new days`(
    _ period: ModelPeriod
  ) async throws {
    let old = (0..<200).map { postback(10 + $0 % 6, $0) }
    let new = (0..<120).map { postback(17 + $0 % 5, $0) }
    let whole = try DailyFolder(old + new)
    try await whole.report { $0.modelPeriod = period }
    let folder = try DailyFolder(old)
    try await folder.report { $0.modelPeriod = period }
    let before = try folder.bytes(of: .modelled)
    // The postbacks that were received up to the 16th are removed, and then later ones have come.
    let kept = old.filter { !["10", "11", "12"].contains($0["estimated_install_date"]?.dropFirst(9).prefix(2) ?? "") }
    let first = try #require(Timestamp(dateOrTime: "2026-03-17")).daysSince1970
    func report() async throws {
      try await folder.report {
        ($0.modelPeriod, $0.since, $0.firstKeptDay) = (period, first, first)
        $0.replacement.removedRows = Int64(old.count - kept.count)
      }
    }
    try folder.write(kept)
    for _ in 0..<2 {
      try await report()
      #expect(try folder.bytes(of: .modelled) == before)
    }
    try folder.write(kept + new)
    try await report()
    #expect(try folder.bytes(of: .modelled) == whole.bytes(of: .modelled))
    #expect(try !whole.bytes(of: .modelled).isEmpty)
  }

  @Test func `counts of an earlier version lose the events that a value means at least 0 times`() throws {
    let text = """
      {"app_id": 1, "model_id": "m", "version": 1, "effective_from": null, "effective_to": null, "currency": "USD",
       "windows": [{"postback_sequence_index": 0, "fine": {
         "0": [{"event": "open"}, {"event": "purchase", "min_count": 0, "max_count": null}],
         "1": [{"event": "purchase"}]}}]}
      """
    let models = ModelMeanings(try Models(parsing: Array(text.utf8)).all)
    func events(_ version: Int, _ fine: Int, _ models: ModelMeanings) -> [String] {
      var value = ReportedValue(modelID: "m", modelVersion: version, fine: fine)
      value.events = ["open", "purchase"]
      var earlier = StratumHistory()
      let stratum = Stratum(app: 1, network: "one", .source(39))
      earlier.add(valueNumber: earlier.number(of: .decoded(value)), stratum, window: 0, day: 20_000, count: 3)
      var settings = DailySettings(TableEncoding([.jsonLines]))
      settings.firstKeptDay = 20_500
      let modelling = DailyModelling(DailyCells(), models, settings, currency: nil, asOf: nil, earlier: earlier)
      var found: [String] = []
      modelling.history.forEach(before: .max) { value, _, _, _, count in
        if case .decoded(let value) = value, count == 3 { found = value.events }
      }
      return found
    }
    #expect(events(1, 0, models) == ["open"])
    #expect(events(1, 1, models) == ["purchase"])
    // Nothing tells the events of another model.
    #expect(events(2, 0, models) == ["open", "purchase"])
  }
}
