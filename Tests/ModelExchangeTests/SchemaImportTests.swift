import JSON
import TestSupport
import Testing

@testable import ConversionModel
@testable import ModelExchange

@Suite struct `A schema of another system` {
  private func read(
    _ fixture: String,
    as form: ImportForm,
    _ change: (inout ImportChoice) -> Void = { _ in }
  ) throws -> (model: ConversionModel, notes: ExchangeNotes) {
    try read(Fixtures.bytes("exchange/\(fixture)"), as: form, change)
  }

  private func read(
    _ text: [UInt8],
    as form: ImportForm,
    _ change: (inout ImportChoice) -> Void = { _ in }
  ) throws -> (model: ConversionModel, notes: ExchangeNotes) {
    var choice = ImportChoice(modelID: "imported")
    change(&choice)
    let found = try SchemaImport(text, file: "schema.json", as: form, choice)
    let models = try Models(parsing: Array(found.models.description.utf8))
    return (try #require(models.all.first), found.notes)
  }

  @Test func `of AppsFlyer, of SKAdNetwork 4, has its events, ranges and locks`() throws {
    let (model, notes) = try read("appsflyer-skan4.json", as: .appsFlyer)
    #expect(model.appID == 12_345_678)
    #expect("\(model.span)" == "2022-11-07T09:32:07.362Z to null")
    let first = try #require(model.window(0))
    #expect(first.meaning(fine: 0)?.events.isEmpty == true)
    let trial = try #require(first.meaning(fine: 5)?.events.first)
    #expect(trial.name == "af_trial_purchase" && trial.minimumCount == 0 && trial.maximumCount == 1)
    let opened = try #require(first.meaning(coarse: .low)?.events.first?.revenue)
    #expect("\(opened.minimum) \(opened.maximum.map(\.description) ?? "") \(opened.estimate)" == "4.001 5.000001 4.5")
    #expect(try opened.contains(Amount(parsing: "5")) && !opened.contains(Amount(parsing: "5.01")))
    #expect(model.windows.map(\.lockRule) == [.event("af_purchase"), .event("af_purchase"), .coarseValue(.high)])
    #expect(notes.lost.map(\.what) == ["configuration_mode", "mapped_event_name"])
    #expect(notes.assumed.map(\.what) == ["last_config_change"])
  }

  @Test func `of AppsFlyer, of SKAdNetwork 3, has exact counts, and the hours of activity are lost`() throws {
    let (model, notes) = try read("appsflyer-skan3.json", as: .appsFlyer)
    #expect(model.measurementHours == 24)
    let window = try #require(model.window(0))
    #expect(window.fineValues == [1, 34])
    let bought = try #require(window.meaning(fine: 1)?.events.first)
    #expect(bought.minimumCount == 3 && bought.maximumCount == 6 && bought.revenue?.estimate == Amount(5))
    #expect(window.meaning(fine: 34)?.events.map(\.maximumCount) == [5, 6])
    let what = notes.lost.map(\.what)
    #expect(what == ["configuration_mode", "min_time_post_install, max_time_post_install", "conversion_event"])
  }

  @Test func `of AppsFlyer that is locked after a time may end early, and says what that costs`() throws {
    var text = String(decoding: Fixtures.bytes("exchange/appsflyer-skan4.json"), as: UTF8.self)
    text.replace("\"lock_window_type\": \"high-coarse\"", with: "\"lock_window_type\": \"time\"")
    let (model, notes) = try read(Array(text.utf8), as: .appsFlyer)
    #expect(model.window(2)?.isLockedEarly == true)
    #expect(notes.lost.contains { $0.what == "lock_window_type time" && $0.places == ["window 2"] })
  }

  @Test func `of Adjust has the counts that are there, and open ones elsewhere`() throws {
    let (three, notes) = try read("adjust-skan3.json", as: .adjust)
    #expect(three.appID == 1_125_517_808 && three.measurementHours == 1 && three.currency == "USD")
    #expect("\(three.span)" == "2021-03-31T23:42:57Z to null")
    let events = try #require(three.window(0)?.meaning(fine: 12)?.events)
    #expect(events.map(\.name) == ["Purchase", "Registration"])
    #expect(events.map(\.minimumCount) == [3, 1] && events.map(\.maximumCount) == [10, nil])
    #expect(events[0].revenue?.minimum == Amount(3) && events[0].revenue?.maximum == Amount(10))
    #expect(notes.lost.isEmpty)

    let (four, _) = try read("adjust-skan4.json", as: .adjust) { ($0.appID, $0.currency) = (1_125_517_808, "EUR") }
    #expect(four.currency == "EUR" && four.span.start == nil)
    #expect(four.window(0)?.meaning(fine: 12)?.isSame(as: DecodedMeaning(events: events, hasCurrency: true)) == true)
    #expect(four.window(1)?.meaning(coarse: .high)?.revenue?.estimate == Amount(10))
    #expect(throws: ModelErrors.self) { try read("adjust-skan4.json", as: .adjust) { $0.appID = 1 } }
    #expect(throws: ModelErrors.self) { try read("adjust-skan4.json", as: .adjust) { $0.currency = "EUR" } }
  }

  @Test func `of Google Ads has the values that its JSON leaves out, and days for hours`() throws {
    let (model, notes) = try read("google-ads.json", as: .googleAds)
    let window = try #require(model.window(0))
    #expect(window.meaning(fine: 0)?.events.isEmpty == true)
    let bought = try #require(window.meaning(fine: 1)?.events.first)
    #expect(bought.minimumCount == 1 && bought.maximumCount == 3)
    #expect(bought.revenue?.estimate == (try Amount(parsing: "5.49")))
    #expect(window.meaning(fine: 2)?.events.map(\.name) == ["in_app_purchase", "last_active_day"])
    #expect(window.meaning(coarse: .high)?.events.first?.maximumCount == nil)
    #expect(model.windows.map(\.lockRule) == [.fineValue(2), .coarseValue(.medium)])
    #expect(notes.lost.map(\.what) == ["resourceName"])
    #expect(notes.assumed.map(\.what) == ["maxEventRevenue", "effective_from"])
  }

  @Test(
    arguments: [
      (#""minEventCount": "3""#, 3, nil), (#""minEventCount": "3", "maxEventCount": "0""#, 3, nil),
      (#""maxEventCount": "3""#, 0, 3), ("", 1, nil),
    ] as [(String, Int, Int?)]
  )
  func `of Google Ads has open counts, whose limit is 0 or absent`(_ limits: String, _ least: Int, _ most: Int?) throws
  {
    var text = String(decoding: Fixtures.bytes("exchange/google-ads.json"), as: UTF8.self)
    text.replace(#""minEventCount": "1", "maxEventCount": "3""#, with: limits)
    let event = try #require(try read(Array(text.utf8), as: .googleAds).model.window(0)?.meaning(fine: 1)?.events.first)
    #expect(event.minimumCount == least && event.maximumCount == most)
  }

  @Test(
    arguments: [
      (#""minEventRevenue": 10"#, "10 null 10"), (#""minEventRevenue": 10, "maxEventRevenue": 0"#, "10 null 10"),
      (#""maxEventRevenue": 10"#, "0 10 5"), ("", nil),
    ] as [(String, String?)]
  )
  func `of Google Ads has open revenue, whose limit is 0 or absent`(_ limits: String, _ expected: String?) throws {
    var text = String(decoding: Fixtures.bytes("exchange/google-ads.json"), as: UTF8.self)
    text.replace(#""minEventRevenue": 0.99, "maxEventRevenue": 9.99"#, with: limits)
    let event = try #require(try read(Array(text.utf8), as: .googleAds).model.window(0)?.meaning(fine: 1)?.events.first)
    let found = event.revenue.map { "\($0.minimum) \($0.maximum?.description ?? "null") \($0.estimate)" }
    #expect(found == expected)
  }

  @Test func `with activity on the first day only loses those hours, and keeps the later days of a higher value`()
    throws
  {
    var text = String(decoding: Fixtures.bytes("exchange/google-ads.json"), as: UTF8.self)
    let place = try #require(text.ranges(of: "\"maxTimePostInstallHours\": \"48\"").dropFirst().first)
    text.replaceSubrange(place, with: "\"maxTimePostInstallHours\": \"24\"")
    text.replace("\"measurementWindowHours\": 24", with: "\"measurementWindowHours\": 48")
    let (model, notes) = try read(Array(text.utf8), as: .googleAds)
    let window = try #require(model.window(0))
    #expect(window.meaning(fine: 1)?.events.map(\.name) == ["in_app_purchase"])
    #expect(window.meaning(fine: 2)?.events.map(\.name) == ["in_app_purchase", "last_active_day"])
    let lost = notes.lost.first { $0.what == "minTimePostInstallHours, maxTimePostInstallHours" }
    #expect(lost?.places == ["window 0, value 1"])
  }

  @Test(arguments: [
    ("appsflyer-skan4.json", ImportForm.appsFlyer, "\"conversion_value\": 5,", "\"conversion_value\": 64,", 21),
    ("appsflyer-skan4.json", .appsFlyer, "\"conversion_value\": 5,", "\"conversion_value\": 0,", 21),
    ("appsflyer-skan4.json", .appsFlyer, "\"conversion_value\": \"medium\"", "\"conversion_value\": \"middle\"", 67),
    ("appsflyer-skan4.json", .appsFlyer, "\"lock_window_type\": \"high-coarse\"", "\"lock_window_type\": 7", 92),
    ("appsflyer-skan4.json", .appsFlyer, "\"max_event_revenue\": 5,", "\"max_event_revenue\": 4,", 50),
    ("appsflyer-skan4.json", .appsFlyer, "\"event_revenue_usd\": 4.5", "\"event_revenue_usd\": 5.5", 52),
    ("appsflyer-skan4.json", .appsFlyer, "\"event_counter\": 1,", "\"event_counter\": 2,", 29),
    ("appsflyer-skan4.json", .appsFlyer, "\"app_id\": \"id12345678\"", "\"app_id\": \"com.example\"", 3),
    ("appsflyer-skan4.json", .appsFlyer, "2022-11-07 09", "7 November 09", 4),
    ("appsflyer-skan3.json", .appsFlyer, "\"min_event_counter\": 3,", "", 12),
    ("appsflyer-skan3.json", .appsFlyer, "\"USD\",\n              \"event_revenue_usd\": 6", "\"EUR\"", 40),
    ("adjust-skan3.json", .adjust, "\"reporting_currency\": \"USD\",", "", 1),
    ("adjust-skan3.json", .adjust, "\"revenue_max\": 10.00", "\"revenue_max\": -1", 10),
    ("adjust-skan3.json", .adjust, "\"count_max\": 10", "\"count_max\": 2", 10),
    ("google-ads.json", .googleAds, "\"eventCounter\": \"4\"", "\"eventCounter\": \"0\"", 28),
    ("google-ads.json", .googleAds, "\"minEventCount\": \"1\"", "\"minEventCount\": \"4\"", 17),
    ("google-ads.json", .googleAds, "\"MEDIUM\"", "\"MIDDLE\"", 52),
    ("google-ads.json", .googleAds, "\"currencyCode\": \"USD\", \"eventRevenueValue\"", "\"eventRevenueValue\"", 28),
  ])
  func `that contradicts itself or its form is refused with the line`(
    _ fixture: String,
    _ form: ImportForm,
    _ old: String,
    _ new: String,
    _ line: Int
  ) throws {
    var text = String(decoding: Fixtures.bytes("exchange/\(fixture)"), as: UTF8.self)
    let place = try #require(text.firstRange(of: old))
    text.replaceSubrange(place, with: new)
    let error = try #require(throws: ModelErrors.self) { try read(Array(text.utf8), as: form) }
    #expect(error.problems.first?.line == line, "\(error)")
  }

  @Test(arguments: [
    "", "[]", "{}", "null", "7", "\"x\"", #"{"data":[]}"#, "[[[[]]]]", #"{"data":{"app_id":"id1"}}"#, "a,b\n1,2\n",
  ])
  func `that is none is refused in every form`(_ text: String) {
    for form in ImportForm.allCases {
      let error = #expect(throws: ModelErrors.self) { try read(Array(text.utf8), as: form) { $0.appID = 1 } }
      #expect(
        error?.problems.allSatisfy { $0.reason.hasSuffix(".") } == true,
        "\(form): \(error.map { "\($0)" } ?? "")"
      )
    }
  }

  @Test func `with keys that are not documented loses them by name`() throws {
    var text = String(decoding: Fixtures.bytes("exchange/adjust-skan3.json"), as: UTF8.self)
    text.replace("\"cut_off_period\": 1", with: "\"cut_off_period\": 1, \"cohorts\": [7]")
    let (_, notes) = try read(Array(text.utf8), as: .adjust)
    #expect(notes.lost.map(\.what) == ["cohorts"])
  }
}
