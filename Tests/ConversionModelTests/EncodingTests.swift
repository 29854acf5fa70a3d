import Base
import ConversionModel
import Testing

@Suite struct EncodingTests {
  private func model(_ windows: String, currency: Bool = true) throws -> ConversionModel {
    let keys = currency ? #""currency":"USD","# : ""
    return try #require(try ModelText.load(ModelText.model(keys: keys, windows: windows)).models(for: 1).first)
  }

  private func fine(_ rows: String, keys: String = "") -> String {
    #"{"postback_sequence_index":0,\#(keys)"fine":{\#(rows)}}"#
  }

  private func activity(_ revenue: String = "0", _ counts: [String: Int] = [:]) throws -> Activity {
    Activity(counts: counts, revenue: try Amount(parsing: revenue))
  }

  private static let ladder = """
    "0":[],"1":[{"event":"sign_up"}],\
    "2":[{"event":"sign_up"},{"event":"purchase","max_count":null,"min_revenue":1,"max_revenue":5}],\
    "4":[{"event":"sign_up"},{"event":"purchase","max_count":null,"min_revenue":10,"max_revenue":20}]
    """

  @Test(
    arguments: [
      ("0", [:], 0, true), ("0", ["sign_up": 1], 1, true), ("0", ["other": 7], 0, true),
      // Two are not what the row says, but reach it.
      ("0", ["sign_up": 2], 1, false),
      ("4.999999", ["sign_up": 1, "purchase": 3], 2, true), ("5", ["sign_up": 1, "purchase": 1], 2, false),
      ("10", ["sign_up": 1, "purchase": 1], 4, true), ("999", ["sign_up": 1, "purchase": 1], 4, false),
      // Revenue without any count of what earns: where it came from is open.
      ("3", ["sign_up": 1], 2, true), ("3", [:], 0, false), ("0.5", ["sign_up": 1], 1, false),
      ("3", ["sign_up": 1, "purchase": 0], 2, true),
      ("0", ["sign_up": 1, "purchase": 1], 1, true), ("0", ["sign_up": -1], 0, true),
    ] as [(String, [String: Int], Int, Bool)]
  )
  func `the highest value that contains the activity is encoded, else the highest that is reached`(
    _ revenue: String,
    _ counts: [String: Int],
    _ value: Int,
    _ isExact: Bool
  ) throws {
    let encoding = try #require(try model(fine(Self.ladder)).encode(activity(revenue, counts), window: 0))
    #expect(encoding.fine == value)
    #expect(encoding.isExact == isExact)
    #expect(encoding.coarse == nil)
  }

  @Test func `a value without events gives way to one that is reached`() throws {
    let model = try model(fine(#""0":[],"1":[{"event":"a","max_count":2}]"#), currency: false)
    let beyond = try #require(model.encode(try activity("0", ["a": 9]), window: 0))
    #expect(beyond.fine == 1)
    #expect(!beyond.isExact)
  }

  @Test func `revenue counts only for values that mention it`() throws {
    let model = try model(fine(#""0":[],"1":[{"event":"a"}]"#))
    let encoding = try #require(model.encode(try activity("9", ["a": 1]), window: 0))
    #expect(encoding.fine == 1)
    #expect(encoding.isExact)
  }

  @Test func `no value is encoded if none is reached`() throws {
    let model = try model(fine(#""1":[{"event":"a"}]"#))
    let encoding = try #require(model.encode(try activity(), window: 0))
    #expect(encoding.fine == nil)
    #expect(!encoding.isExact)
    #expect(model.encode(try activity(), window: 1) == nil)
    #expect(model.encode(try activity(), window: .min) == nil)
  }

  @Test func `listed coarse values are encoded by their own meanings`() throws {
    let window = """
      {"postback_sequence_index":0,"fine":{"0":[],"1":[{"event":"a"}]},"coarse":{"low":[],"high":[{"event":"b"}]}}
      """
    let encoding = try #require(try model(window, currency: false).encode(activity("0", ["b": 1]), window: 0))
    #expect(encoding.fine == 0)
    #expect(encoding.coarse == .high)
  }

  @Test func `coarse values start at the fine values of the model`() throws {
    let window = fine(Self.ladder, keys: #""coarse_from":{"medium":2,"high":4},"#)
    let model = try model(window)
    for (revenue, coarse) in [("0", CoarseValue.low), ("3", .medium), ("15", .high)] {
      let encoding = try #require(model.encode(try activity(revenue, ["sign_up": 1]), window: 0))
      #expect(encoding.coarse == coarse)
      #expect(encoding.isExact)
    }
    let low = try #require(model.meaning(window: 0, fine: nil, coarse: .low))
    #expect(low.events.map(\.minimumCount) == [0])
    #expect(low.events.map(\.maximumCount) == [1])
  }

  @Test(
    arguments: [
      ("false", [false, false, false]), ("true", [false, false, true]), (#"{"fine_value":2}"#, [false, true, true]),
      (#"{"coarse_value":"medium"}"#, [false, true, true]), (#"{"event":"vip"}"#, [false, false, true]),
    ] as [(String, [Bool])]
  )
  func `a window is locked by the model's rule`(_ rule: String, _ expected: [Bool]) throws {
    let keys = #""lock_window":\#(rule),"coarse_from":{"medium":2,"high":4},"#
    let model = try model(fine(Self.ladder, keys: keys))
    let activities = [
      try activity("0", ["sign_up": 1]), try activity("3", ["sign_up": 1]),
      try activity("15", ["sign_up": 1, "vip": 1]),
    ]
    #expect(activities.map { model.encode($0, window: 0)?.locksWindow } == expected)
    #expect(model.windows[0].isLockedEarly == (rule != "false"))
  }

  @Test func `a conversion type has its own window, and the others the general one`() throws {
    let windows = """
      \(fine(#""0":[],"1":[{"event":"a"}]"#)),\
      {"postback_sequence_index":0,"conversion_type":"re-engagement","fine":{"0":[],"7":[{"event":"a"}]}}
      """
    let model = try model(windows, currency: false)
    let types: [ConversionType?] = [nil, .install, .reEngagement]
    let told = try types.map { model.encode(try activity("0", ["a": 1]), window: 0, conversionType: $0)?.fine }
    #expect(told == [1, 1, 7])
    let models = try ModelText.load(ModelText.model(keys: "", windows: windows))
    for (type, fine, status) in [
      (.reEngagement, 7, .decoded), (.reEngagement, 1, .unmapped), (.install, 1, .decoded), (nil, 7, .unmapped),
    ] as [(ConversionType?, Int, DecodeStatus)] {
      let conversion = ReceivedConversion(
        appID: 1,
        family: .skadnetwork4,
        conversionType: type,
        fineValue: fine,
        receivedAt: nil
      )
      #expect(models.decode(conversion).status == status)
    }
  }

  @Test func `a window for installs is that of conversions whose type is not given`() throws {
    let window = #"{"postback_sequence_index":0,"conversion_type":"install","fine":{"0":[],"7":[{"event":"a"}]}}"#
    let model = try model(window, currency: false)
    #expect(model.window(0)?.fineValues == [0, 7])
    #expect(model.encode(try activity("0", ["a": 1]), window: 0)?.fine == 7)
    #expect(model.meaning(window: 0, fine: 7, coarse: nil)?.events.map(\.name) == ["a"])
    let models = try ModelText.load(ModelText.model(keys: "", windows: window))
    for family in PostbackFamily.allCases {
      let conversion = ReceivedConversion(appID: 1, family: family, fineValue: 7, receivedAt: nil)
      #expect(models.decode(conversion).status == (family == .adAttributionKit ? .unmapped : .decoded))
    }
  }

  @Test func `a model is found by its bundle id and time`() throws {
    let window = ModelText.window("")
    let one = ModelText.model(to: #""2026-01-01T00:00:00Z""#, keys: #""bundle_id":"b","#, windows: window)
    let two = ModelText.model(version: 2, from: #""2026-01-01T00:00:00Z""#, keys: "", windows: window)
    let models = try ModelText.load("[\(one),\(two)]")
    let time = try #require(Timestamp("2026-01-01T00:00:00Z"))
    #expect(models.model(bundleID: "b", at: time)?.label.version == 2)
    #expect(models.model(appID: 1, at: Timestamp(milliseconds: time.milliseconds - 1))?.label.version == 1)
    #expect(models.appID(bundleID: "b") == 1)
    #expect(models.model(bundleID: "c", at: time) == nil)
  }

  @Test func `a bundle id belongs to one app`() throws {
    let texts = [1, 2].map { ModelText.model(app: $0, keys: #""bundle_id":"b","#, windows: ModelText.window("")) }
    let errors = try #require(throws: ModelErrors.self) { try ModelText.load("[\(texts.joined(separator: ","))]") }
    #expect(errors.problems.map(\.pointer) == ["/1/bundle_id"])
  }
}
