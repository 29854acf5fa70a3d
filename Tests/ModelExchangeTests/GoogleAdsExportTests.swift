import ConversionModel
import JSON
import TestSupport
import Testing

@testable import ModelExchange

@Suite struct `A model in the form of Google Ads` {
  private static let models = try? Models(loading: [Fixtures.path("models")])

  private static var all: [ConversionModel] { models?.all ?? [] }

  /// The model that is read from what was written of a model.
  private func again(_ export: GoogleAdsExport) throws -> ConversionModel {
    let text = Array(export.resource.indented.utf8)
    let found = try SchemaImport(text, file: "schema.json", as: .googleAds, ImportChoice(modelID: "again"))
    return try #require(try Models(parsing: Array(found.models.description.utf8)).all.first)
  }

  @Test func `has an app, and one that is not for tests`() throws {
    #expect(Self.all.count > 5)
    let text = """
      {"app_id":0,"model_id":"a","version":1,"effective_from":null,
       "windows":[{"postback_sequence_index":0,"fine":{"0":[]}}]}
      """
    let test = try #require(try Models(parsing: Array(text.utf8)).all.first)
    #expect(throws: GoogleAdsExport.Refusal.self) { try GoogleAdsExport(test) }
    let back = """
      {"app_id":1,"model_id":"a","version":1,"effective_from":null,
       "windows":[{"postback_sequence_index":0,"conversion_type":"re-engagement","fine":{"0":[]}}]}
      """
    let reengagement = try #require(try Models(parsing: Array(back.utf8)).all.first)
    #expect(throws: GoogleAdsExport.Refusal.self) { try GoogleAdsExport(reengagement) }
  }

  @Test(arguments: all.indices) func `says the same when it is read again, but for what is lost`(_ index: Int) throws {
    let model = Self.all[index]
    let export = try GoogleAdsExport(model)
    let again = try again(export)
    #expect(again.appID == model.appID && again.measurementHours == model.measurementHours)
    func isLost(_ place: String) -> Bool {
      export.notes.lost.contains { $0.places.contains { $0 == place || $0.hasPrefix(place + ",") } }
    }
    for window in model.windows where window.conversionType != .reEngagement {
      let number = window.postbackSequenceIndex
      let other = try #require(again.window(number))
      #expect(other.fineValues == window.fineValues)
      #expect(other.isLockedEarly == window.isLockedEarly)
      func compare(_ one: DecodedMeaning?, _ two: DecodedMeaning?, _ place: String) {
        guard let one, let two else {
          #expect(one == nil && two == nil, "\(place)")
          return
        }
        #expect(one.isSame(as: two) != isLost(place), "\(model.label), \(place): \(one.events) became \(two.events)")
      }
      for value in window.fineValues {
        compare(window.meaning(fine: value), other.meaning(fine: value), "window \(number), value \(value)")
      }
      for value in CoarseValue.allCases {
        compare(window.meaning(coarse: value), other.meaning(coarse: value), "window \(number), \(value.rawValue)")
      }
    }
  }

  @Test func `has Google's names of events where they are given`() throws {
    let model = try #require(Self.models?.models(for: 525_463_029).first)
    let names = ["purchase": "in_app_purchase"]
    let export = try GoogleAdsExport(model, eventNames: names, resourceName: "customers/1/x/2")
    let text = export.resource.description
    #expect(text.hasPrefix("{\"resourceName\":\"customers/1/x/2\","))
    #expect(text.contains("\"in_app_purchase\"") && !text.contains("\"purchase\"") && text.contains("\"sign_up\""))
  }

  @Test func `leaves out an event that may not have happened, and says so`() throws {
    let model = try #require(Self.models?.models(for: 6_740_000_001).first)
    let export = try GoogleAdsExport(model)
    let fine = export.resource["schema"]?["fineGrainedConversionValueMappings"]?.elements ?? []
    #expect(fine.first?["conversionValueMapping"]?["mappedEvents"] == .array([]))
    #expect(export.notes.lost.contains { $0.places.first == "window 0, value 0, purchase" })
    let second = export.resource["schema"]?["postbackMappings"]?.elements?.last
    let low = second?["coarseGrainedConversionValueMappings"]?["lowConversionValueMapping"]
    #expect(low?["maxTimePostInstallHours"]?.text == "192" && low?["mappedEvents"] == .array([]))
  }

  @Test func `has limits without an upper one, and loses only estimates in them`() throws {
    let text = """
      {"app_id":1,"model_id":"a","version":1,"effective_from":null,"currency":"USD",
       "windows":[{"postback_sequence_index":0,"fine":{
        "1":[{"event":"level","min_count":10,"max_count":null}],
        "2":[{"event":"buy","min_revenue":50,"max_revenue":null,"value":50}],
        "3":[{"event":"buy","min_revenue":99.99,"max_revenue":null,"value":150}]}}]}
      """
    let model = try #require(try Models(parsing: Array(text.utf8)).all.first)
    let export = try GoogleAdsExport(model)
    let again = try #require(try again(export).window(0))
    for value in 1...2 {
      let (one, two) = (model.window(0)?.meaning(fine: value), again.meaning(fine: value))
      #expect(one?.events == two?.events, "value \(value)")
    }
    let last = try #require(again.meaning(fine: 3)?.revenue)
    #expect(last.maximum == nil && last.minimum == last.estimate)
    let lost = export.notes.lost.filter { !$0.places.isEmpty }
    #expect(lost.map(\.what) == ["value"] && lost.first?.places == ["window 0, value 3, buy"])
  }
}
