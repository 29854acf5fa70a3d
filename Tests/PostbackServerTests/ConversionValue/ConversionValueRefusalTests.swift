import ConversionModel
import PostbackServer
import Testing

@Suite struct `The conversion value API, given a wrong request,` {
  private static let model = ModelFile.model(
    from: #""2026-01-01T00:00:00Z""#,
    [ModelFile.window0(["", ModelFile.event("a", 1, nil)], coarse: ["", ModelFile.event("a", 1, nil)])]
  )

  private static func error(_ reason: String) -> String { #"{"status":"error","reason":"\#(reason)"}"# }

  private static func invalid(_ name: String) -> String {
    error("Conversion Management: Invalid parameter \(name) given")
  }

  @Test(
    arguments: [
      ("p", "Android", "Unknown platform error - Non iOS platform"),
      ("p", "ios", "Unknown platform error - Non iOS platform"),
      ("i", "com.example.other", "Conversion Management: Conversion Model not found for app: com.example.other"),
      (
        "skan_first_call_to_skadnetwork_timestamp", "1767225599",
        "Conversion Management: Conversion Model not found for app: com.example.app"
      ),
    ]
  )
  func `says why no model answers`(_ name: String, _ value: String, _ reason: String) throws {
    #expect(try ConversionValueAPI(Self.model).text(Call(with: [name: value])) == Self.error(reason))
  }

  @Test(
    arguments: [
      ("p", nil), ("i", nil), ("i", ""), ("i", "com.example/app"), ("i", String(repeating: "x", count: 256)),
      ("n", nil), ("n", ""), ("n", String(repeating: "x", count: 33)), ("n", "käufer"), ("n", "a\u{7F}"),
      ("skan_current_conversion_value", "64"), ("skan_current_conversion_value", "-1"),
      ("skan_current_conversion_value", ""), ("skan_current_conversion_value", "1.0"),
      ("skan_current_conversion_value", "99999999999999999999"), ("skan_current_conversion_value", " 1"),
      ("p0_coarse", "3"), ("p1_coarse", "low"), ("p2_coarse", "-1"), ("p2_coarse", ""),
      ("skan_first_call_to_skadnetwork_timestamp", nil), ("skan_first_call_to_skadnetwork_timestamp", "yesterday"),
      ("skan_first_call_to_skadnetwork_timestamp", "\(Call.now + 301)"),
      ("skan_first_call_to_skadnetwork_timestamp", "253402300800"),
      ("skan_last_call_to_skadnetwork_timestamp", "1.5e9"),
      ("skan_total_revenue_by_currency", ""), ("skan_total_revenue_by_currency", "9.99"),
      ("skan_total_revenue_by_currency", #"{"USD":9.99"#), ("skan_total_revenue_by_currency", #"{"USD":"9.99"}"#),
      ("skan_total_revenue_by_currency", #"{"usd":9.99}"#), ("skan_total_revenue_by_currency", #"{"USD":-1}"#),
      ("skan_total_revenue_by_currency", #"{"USD":1e15}"#), ("skan_total_revenue_by_currency", #"[]"#),
      ("skan_total_revenue_by_currency", #"{"USD":1,"USD":2}"#),
      ("skan_total_admon_revenue_by_currency", "null"), ("p0_total_iap_revenue", "1"), ("p1_total_iap_revenue", "1"),
      ("p2_total_iap_revenue", "1"), ("p0_total_admon_revenue", "1"), ("p1_total_admon_revenue", "1"),
      ("p2_total_admon_revenue", "1"),
    ] as [(String, String?)]
  )
  func `names a parameter that is missing or malformed`(_ name: String, _ value: String?) throws {
    #expect(try ConversionValueAPI(Self.model).text(Call(with: [name: value])) == Self.invalid(name))
  }

  @Test(
    arguments: [
      "conversion_value", "first_call_to_skadnetwork_timestamp", "last_call_to_skadnetwork_timestamp",
      "total_revenue_by_currency",
    ]
  )
  func `names a parameter of version 1 as its clients do`(_ name: String) throws {
    #expect(try ConversionValueAPI(Self.model).text(Call(.v1, with: [name: "x"])) == Self.invalid(name))
    #expect(
      try ConversionValueAPI(Self.model).text(Call(.v1, with: [name: nil, "skan_\(name)": "x"])) == Self.invalid(name)
    )
  }

  @Test func `matches names of parameters regardless of case`() throws {
    let api = try ConversionValueAPI(Self.model)
    for version in ConversionValueVersion.allCases {
      var call = Call(version, with: ["n": "a"])
      let answer = api.text(call)
      for index in call.parameters.indices { call.parameters[index].name = call.parameters[index].name.uppercased() }
      #expect(answer.contains(#""conversion_value":1"#) && api.text(call) == answer)
    }
    #expect(api.text(Call(with: ["P1_Coarse": "low"])) == Self.invalid("p1_coarse"))
  }

  @Test(arguments: ["n=a", "N=a", "%6e=a", "n", "n=", "n=%", "n=%4", "n=%4g", "n=%ZZ"])
  func `names a parameter that occurs twice or is wrongly encoded`(_ pair: String) throws {
    #expect(try ConversionValueAPI(Self.model).text(query: Call().query + "&" + pair) == Self.invalid("n"))
    #expect(try ConversionValueAPI(Self.model).text(query: pair + "&" + Call().query) == Self.invalid("n"))
  }

  @Test func `requires an SDK key only if keys are configured`() throws {
    let api = try ConversionValueAPI(Self.model, sdkKeys: ["key", "other"])
    let ok = #"{"conversion_value":0,"skan_updated_coarse_value":0,"postback_sequence_index":0,"status":"ok"}"#
    #expect(api.text(Call()) == ok)
    #expect(api.text(Call(with: ["a": "other"])) == ok)
    #expect(api.text(Call(with: ["a": "wrong"])) == Self.invalid("a"))
    #expect(api.text(Call(with: ["a": ""])) == Self.invalid("a"))
    #expect(api.text(Call(with: ["a": nil])) == Self.invalid("a"))
    #expect(try ConversionValueAPI(Self.model).text(Call(with: ["a": nil])) == ok)
  }

  @Test func `finds the app of a bundle id that only the configuration names`() throws {
    let models = try Models(parsing: Array(Self.model.utf8), file: "m.json")
    let api = ConversionValueAPI(models: models, appIDs: ["com.example.renamed": 1])
    #expect(!api.text(Call(with: ["i": "com.example.renamed"])).contains("error"))
    #expect(!api.text(Call()).contains("error"))
  }

  @Test func `ignores parameters that it does not know`() throws {
    let call = Call(with: [
      "v": "", "idfv": "\u{0}", "prev_fine_value": "x", "p0_prev_coarse_value": "9", "p0_window_lock": "yes",
      "p1_window_lock": "1", "p2_window_lock": "", "_skerror": "10", "n": "a b",
    ])
    #expect(try !ConversionValueAPI(Self.model).text(query: call.query + "&&=&x&%=1&%zz=%zz&idfv=").contains("error"))
  }
}
