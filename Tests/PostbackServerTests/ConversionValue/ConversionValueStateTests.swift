import Base
import ConversionModel
import PostbackServer
import TestSupport
import Testing

@Suite struct ConversionValueStateTests {
  private static func fine(_ api: ConversionValueAPI, _ call: Call) -> Int? {
    let text = api.text(call)
    return text.split(separator: #""conversion_value":"#).last.flatMap { Int($0.prefix { $0.isNumber }) }
  }

  private static func coarse(_ api: ConversionValueAPI, _ call: Call) -> Int? {
    let parts = api.text(call).split(separator: #""skan_updated_coarse_value":"#)
    return parts.count == 2 ? Int(parts[1].prefix { $0.isNumber }) : nil
  }

  private static let day = 24 * 3600

  /// A model that counts levels: 0, 1, 2, 3 to 4, and 5 or more. In window 1: none, one, more. In window 2: the same, since
  /// the first call.
  private static let levels = ModelFile.model([
    ModelFile.window0(
      ["", event(1, 1), event(2, 2), event(3, 4), event(5, nil)],
      coarse: ["", event(1, 4), event(5, nil)]
    ),
    ModelFile.window(1, ["", event(1, 1), event(2, nil)]),
    ModelFile.window(2, ["", event(1, 1), event(2, nil)], keys: #""cumulative":true,"#),
  ])

  private static func event(_ minimum: Int, _ maximum: Int?) -> String { ModelFile.event("level", minimum, maximum) }

  @Test(arguments: [(nil, 1), ("0", 1), ("1", 2), ("2", 3), ("4", 4), ("17", 1)] as [(String?, Int)])
  func `an event is added to the least count that the current value means`(_ current: String?, _ next: Int) throws {
    let api = try ConversionValueAPI(Self.levels)
    #expect(Self.fine(api, Call(with: ["n": "level", "skan_current_conversion_value": current])) == next)
    #expect(
      Self.fine(api, Call(.v1, with: ["n": "level", "conversion_value": current]))
        == max(next, Int(current ?? "0") ?? 0)
    )
  }

  @Test func `a value that means a range of counts is not left by an event`() throws {
    let api = try ConversionValueAPI(Self.levels)
    #expect(Self.fine(api, Call(with: ["n": "level", "skan_current_conversion_value": "3"])) == 3)
  }

  @Test func `an event that the model does not name changes nothing`() throws {
    let api = try ConversionValueAPI(Self.levels)
    #expect(Self.fine(api, Call(with: ["n": "Level", "skan_current_conversion_value": "2"])) == 2)
  }

  @Test(
    arguments: [
      // In window 1 only its own value counts.
      (3, ["skan_current_conversion_value": "4"], 1), (3, ["p1_coarse": "1"], 2), (3, ["p0_coarse": "2"], 1),
      // In window 2, which is cumulative: the fine value, and the events of windows 1 and 2.
      (8, [:], 1), (8, ["skan_current_conversion_value": "1"], 2), (8, ["p1_coarse": "1"], 2),
      (8, ["p2_coarse": "1"], 2),
      // The coarse value of window 0 counts only if there is no fine one.
      (8, ["skan_current_conversion_value": "0", "p0_coarse": "1"], 1),
      (8, ["skan_current_conversion_value": "17", "p0_coarse": "1"], 1),
      (8, ["skan_current_conversion_value": nil, "p0_coarse": "1"], 2),
    ] as [(Int, [String: String?], Int)]
  )
  func `a cumulative window uses the values of all windows, another window its own`(
    _ days: Int,
    _ values: [String: String?],
    _ next: Int
  ) throws {
    var call = Call(age: days * Self.day, with: ["n": "level"])
    for (name, value) in values {
      call.parameters.removeAll { $0.name == name }
      if let value { call.parameters.append((name, value)) }
    }
    #expect(Self.coarse(try ConversionValueAPI(Self.levels), call) == next)
  }

  @Test func `sessions count if the model counts them`() throws {
    let sessions = ["", ModelFile.event("__SESSION__", 1, 1), ModelFile.event("__SESSION__", 2, nil)]
    let api = try ConversionValueAPI(ModelFile.model([ModelFile.window0(sessions, coarse: sessions)]))
    #expect(Self.fine(api, Call(with: ["skan_current_conversion_value": "1"])) == 2)
  }

  @Test(
    arguments: [
      (0, 0), (day - 1, 0), (day, 1), (2 * day - 1, 1), (2 * day, 0), (3 * day, 1), (6 * day, 2), (-10, 0),
    ] as [(Int, Int)]
  )
  func `the last active day is the day of the request`(_ age: Int, _ value: Int) throws {
    func day(_ minimum: Int, _ maximum: Int?) -> String { ModelFile.event("last_active_day", minimum, maximum) }
    let api = try ConversionValueAPI(
      ModelFile.model([
        ModelFile.window0(["", day(1, 1), day(2, nil)], coarse: ["", day(1, 1), day(2, nil)]),
        ModelFile.window(1, ["", day(3, 5), day(6, nil)]),
      ])
    )
    for event in ["__SESSION__", "last_active_day"] {
      #expect(Self.coarse(api, Call(age: age, with: ["n": event])) == value)
    }
  }

  /// A model of revenue: below 1, below 5, below 20, and more. In window 1: below 5 and more. In window 2: the same, since
  /// the first call.
  private static func revenue(kind: String) -> String {
    let coarse = [ModelFile.revenue("0", "5"), ModelFile.revenue("5", nil)]
    let fine = [("0", "1"), ("1", "5"), ("5", "20"), ("20", nil)].map { ModelFile.revenue($0, $1) }
    return ModelFile.model(
      keys: #""revenue_kind":"\#(kind)","#,
      [
        ModelFile.window0(fine, coarse: coarse), ModelFile.window(1, coarse),
        ModelFile.window(2, coarse, keys: #""cumulative":true,"#),
      ]
    )
  }

  @Test(arguments: [("iap", 1), ("admon", 2), ("all", 3)])
  func `only revenue of the model's kind counts`(_ kind: String, _ value: Int) throws {
    let api = try ConversionValueAPI(Self.revenue(kind: kind))
    let totals: KeyValuePairs<String, String?> = [
      "skan_total_revenue_by_currency": #"{"USD":4.99}"#, "skan_total_admon_revenue_by_currency": #"{ "USD" : 15.01 }"#,
    ]
    #expect(Self.fine(api, Call(with: totals)) == value)
    let windowTotals: KeyValuePairs<String, String?> = [
      "p0_total_iap_revenue": #"{"USD":4.99}"#, "p0_total_admon_revenue": #"{"USD":15.01}"#,
    ]
    #expect(Self.fine(api, Call(with: windowTotals)) == value)
    let old: KeyValuePairs<String, String?> = [
      "total_revenue_by_currency": #"{"USD":4.99}"#, "total_admon_revenue_by_currency": #"{"USD":15.01}"#,
    ]
    #expect(Self.fine(api, Call(.v1, with: old)) == value)
  }

  @Test(
    arguments: [
      (#"{"USD":4.999999999999999}"#, 2), (#"{"USD":4.9999994}"#, 1), (#"{"USD":0.1e1}"#, 1), (#"{"USD":1e-7}"#, 0),
      (#"{"USD":0}"#, 0), ("{}", 0), (#"{"EUR":0}"#, 0), (#"{"USD":999999999999999}"#, 3),
    ]
  )
  func `amounts are rounded to six digits`(_ total: String, _ value: Int) throws {
    #expect(
      Self.fine(try ConversionValueAPI(Self.revenue(kind: "iap")), Call(with: ["p0_total_iap_revenue": total])) == value
    )
  }

  @Test(
    arguments: [
      (3, "p0_total_iap_revenue", 0), (3, "p1_total_iap_revenue", 1), (3, "skan_total_revenue_by_currency", 0),
      (8, "p0_total_iap_revenue", 1), (8, "p1_total_iap_revenue", 1), (8, "p2_total_iap_revenue", 1),
      (8, "skan_total_revenue_by_currency", 1),
    ]
  )
  func `a cumulative window uses all revenue, another window its own`(_ days: Int, _ name: String, _ value: Int) throws
  {
    let api = try ConversionValueAPI(Self.revenue(kind: "all"))
    #expect(Self.coarse(api, Call(age: days * Self.day, with: [name: #"{"USD":5}"#])) == value)
  }

  @Test func `without a total, revenue is the least that the value means`() throws {
    let api = try ConversionValueAPI(Self.revenue(kind: "all"))
    #expect(Self.fine(api, Call(with: ["skan_current_conversion_value": "2"])) == 2)
    #expect(Self.coarse(api, Call(age: 8 * Self.day, with: ["skan_current_conversion_value": "2"])) == 1)
  }

  @Test func `if the least counts fit no value, revenue decides`() throws {
    func ads(_ counts: String, _ revenue: String) -> String { "{\"event\":\"ad\",\(counts),\(revenue)}" }
    let rows = [
      "", ads(#""min_count":1,"max_count":5"#, #""min_revenue":0.001,"max_revenue":0.02"#),
      ads(#""min_count":6,"max_count":10"#, #""min_revenue":0.02,"max_revenue":0.04"#),
      ads(#""min_count":11,"max_count":null"#, #""min_revenue":0.04,"max_revenue":null,"value":1"#),
    ]
    let lock = #""lock_window":{"event":"ad"},"#
    let api = try ConversionValueAPI(ModelFile.model([ModelFile.window0(rows, coarse: [], keys: lock)]))
    for (total, value) in [("0.004", 1), ("0.024", 2), ("0.05", 3)] {
      let call = Call(with: [
        "n": "ad", "skan_current_conversion_value": "1", "p0_total_iap_revenue": "{\"USD\":\(total)}",
      ])
      #expect(Self.fine(api, call) == value)
      #expect(api.text(call).contains(#""skan_updated_lock_window_value":true"#))
    }
  }

  @Test func `the documented request gets the documented answer`() throws {
    let api = ConversionValueAPI(models: try Models(loading: [Fixtures.path("models")]))
    let call = Call(with: [
      "i": "com.example.puzzle", "n": "ad_impression", "skan_current_conversion_value": "1",
      "skan_total_admon_revenue_by_currency": #"{"USD":0.03}"#,
    ])
    let answer = #"{"conversion_value":2,"skan_updated_coarse_value":1,"postback_sequence_index":0,"status":"ok"}"#
    #expect(api.text(call) == answer)
  }

  @Test func `other currencies are converted at the rates of the first call`() throws {
    let now = Timestamp(milliseconds: Int64(Call.now) * 1000)
    let before = Timestamp(milliseconds: now.milliseconds - 6 * 86_400_000).description.prefix(10)
    let text =
      "date,currency,rate\n\(before),USD,1\n\(before),EUR,0.5\n\(now.description.prefix(10)),USD,1\n"
      + "\(now.description.prefix(10)),EUR,5\n"
    let rates = try CurrencyRates(parsing: Array(text.utf8), file: "rates.csv")
    let api = try ConversionValueAPI(Self.revenue(kind: "all"), rates: rates)
    func answer(_ total: String, days: Int = 1) -> String {
      api.text(Call(age: days * Self.day, with: ["p0_total_iap_revenue": total, "p1_total_iap_revenue": total]))
    }
    #expect(answer(#"{"EUR":2.499999}"#).contains(#""conversion_value":1,"#))
    #expect(answer(#"{"EUR":2.5}"#).contains(#""conversion_value":2,"#))
    #expect(answer(#"{"EUR":2,"USD":1}"#).contains(#""conversion_value":2,"#))
    #expect(answer(#"{"EUR":2.5}"#, days: 6).contains(#""skan_updated_coarse_value":1,"#))
    #expect(
      answer(#"{"EUR":2.5,"XTS":1}"#).hasPrefix(
        #"{"status":"error","reason":"Conversion Management: Cannot find currency of owner: com.example.app ("#
      )
    )
    #expect(answer(#"{"XTS":1}"#).contains("XTS"))
    #expect(answer(#"{"EUR":1}"#, days: 20).contains("Cannot find currency of owner"))
    #expect(answer(#"{"XTS":0}"#).contains(#""conversion_value":0,"#))
  }

  @Test func `the value of version 2 falls with the total, the value of version 1 does not`() throws {
    let api = try ConversionValueAPI(Self.revenue(kind: "all"))
    let total = #"{"USD":1}"#
    #expect(Self.fine(api, Call(with: ["skan_current_conversion_value": "3", "p0_total_iap_revenue": total])) == 1)
    #expect(Self.fine(api, Call(.v1, with: ["conversion_value": "3", "total_revenue_by_currency": total])) == 3)
  }

  @Test func `the model in force at the first call decides`() throws {
    let windows = [ModelFile.window0(["", Self.event(1, nil)], coarse: ["", Self.event(1, nil)])]
    let other = [ModelFile.window0(["", "", Self.event(1, nil)], coarse: ["", "", Self.event(1, nil)])]
    let change = "\"\(Timestamp(milliseconds: Int64(Call.now - 7200) * 1000))\""
    let api = try ConversionValueAPI(
      "[\(ModelFile.model(to: change, windows)),\(ModelFile.model(version: 2, from: change, other))]"
    )
    #expect(Self.fine(api, Call(age: 7201, with: ["n": "level"])) == 1)
    #expect(Self.fine(api, Call(age: 7200, with: ["n": "level"])) == 2)
  }
}
