import ConversionModel
import PostbackServer
import Testing

/// Requests as the published guides and their clients send them.
@Suite struct GuideRequestTests {
  private static let day = 24 * 3600
  /// A model whose coarse values of each window mean at least 5 and 20 dollars.
  private static let model = ModelFile.model(
    [
      ModelFile.window0(
        ["", ModelFile.revenue("5", "20"), ModelFile.revenue("20", nil)],
        coarse: ["", ModelFile.revenue("5", "20"), ModelFile.revenue("20", nil)]
      ),
      ModelFile.window(1, ["", ModelFile.revenue("5", "20"), ModelFile.revenue("20", nil)]),
      ModelFile.window(2, ["", ModelFile.revenue("5", "20"), ModelFile.revenue("20", nil)]),
    ]
  )

  @Test(arguments: ["conversion_value", "conversion_value=", "CONVERSION_VALUE"])
  func `a client of version 1 without a value gets its first one`(_ parameter: String) throws {
    let call = Call(.v1, with: ["conversion_value": nil])
    let api = try ConversionValueAPI(Self.model)
    let expected = #"{"conversion_value":0,"status":"ok"}"#
    #expect(api.text(.v1, query: call.query + "&" + parameter + "&") == expected)
    #expect(api.text(.v1, query: parameter + "&" + call.query) == expected)
    #expect(api.text(.v1, query: call.query + "&conversion_value=&conversion_value=1").contains("Invalid parameter"))
  }

  @Test(arguments: ["a", "a=", "A="])
  func `the test endpoint takes an empty key as none, also where keys are configured`(_ key: String) throws {
    var api = try ConversionValueAPI(Self.model, sdkKeys: ["key"])
    api.answersTests = true
    let query = "\(key)&p=iOS&i=com.example.any&n=__SESSION__"
    #expect(api.text(.v1, query: query + "&conversion_value&") == #"{"conversion_value":0,"status":"ok"}"#)
    #expect(api.text(.v1, query: query + "&conversion_value=0") == #"{"conversion_value":1,"status":"ok"}"#)
    #expect(api.text(.v2, query: query).contains("Invalid parameter"))
  }

  @Test func `the names of metadata for SKAdNetwork 3 mean the same`() throws {
    let api = try ConversionValueAPI(Self.model)
    let names = [
      "conversion_value": "skan_conversion_value",
      "first_call_to_skadnetwork_timestamp": "skan_first_call_timestamp",
      "last_call_to_skadnetwork_timestamp": "skan_last_call_timestamp",
    ]
    var call = Call(.v1, with: ["conversion_value": "1", "total_revenue_by_currency": #"{"USD":30}"#])
    let expected = api.text(call)
    for index in call.parameters.indices {
      call.parameters[index].name = names[call.parameters[index].name] ?? call.parameters[index].name
    }
    #expect(expected == #"{"conversion_value":2,"status":"ok"}"# && api.text(call) == expected)
  }

  @Test(
    arguments: [
      // The revenue of the window is the total without the windows before.
      (3, ["p0": 10], 30, 2), (3, ["p0": 10], 15, 1), (3, ["p0": 10], 12, 0), (3, ["p0": 10], 9, 0),
      (8, ["p0": 10, "p1": 5], 36, 2), (8, ["p0": 10, "p1": 5], 21, 1), (8, ["p0": 10, "p1": 5], 16, 0),
      // The app's own word counts, and nothing is left of no revenue.
      (3, ["p0": 10, "p1": 7], 50, 1), (3, [:], 0, 0),
    ] as [(Int, [String: Int], Int, Int)]
  )
  func `the revenue of a window follows from the total`(
    _ days: Int,
    _ known: [String: Int],
    _ total: Int,
    _ coarse: Int
  ) throws {
    var call = Call(age: days * Self.day, with: ["skan_total_revenue_by_currency": #"{"USD":\#(total)}"#])
    for (window, amount) in known { call.parameters.append(("\(window)_total_iap_revenue", #"{"USD":\#(amount)}"#)) }
    let text = try ConversionValueAPI(Self.model).text(call)
    #expect(text.contains(#""skan_updated_coarse_value":\#(coarse),"#) && !text.contains("warning"), "\(text)")
  }

  @Test(arguments: [(3, [] as [String]), (8, ["p0"]), (8, ["p1"]), (8, [])])
  func `the answer says that the revenue of a window is not known`(_ days: Int, _ known: [String]) throws {
    var call = Call(age: days * Self.day, with: ["skan_total_revenue_by_currency": #"{"USD":50}"#])
    for window in known { call.parameters.append(("\(window)_total_iap_revenue", #"{"USD":1}"#)) }
    let window = days < 7 ? 1 : 2
    #expect(
      try ConversionValueAPI(Self.model).text(call)
        == #"{"conversion_value":0,"skan_updated_coarse_value":0,"postback_sequence_index":\#(window),"warning":"The revenue of "#
        + #"window \#(window) is not known. Send p\#(window)_total_iap_revenue and p\#(window)_total_admon_revenue, or those "#
        + #"of the windows before.","status":"ok"}"#
    )
    #expect(try !ConversionValueAPI(Self.model).text(Call(age: days * Self.day)).contains("warning"))
  }

  @Test(arguments: [
    (3, #"{"postback_sequence_index":1,"kind":"funnel","steps":["sign_up","purchase"]}"#),
    (8, #"{"postback_sequence_index":2,"kind":"retention","days":[8,21]}"#),
    (8, ModelFile.window(2, ["", ModelFile.event("purchase", 1, nil)])),
  ])
  func `the answer has no such warning where no value of the window has revenue`(_ days: Int, _ window: String) throws {
    let model = ModelFile.model([ModelFile.window0(["", ModelFile.revenue("5", nil)], coarse: [""]), window])
    let call = Call(age: days * Self.day, with: ["skan_total_revenue_by_currency": #"{"USD":50}"#])
    let text = try ConversionValueAPI(model).text(call)
    #expect(text.contains(#""status":"ok""#) && !text.contains("warning"), "\(text)")
  }
}
