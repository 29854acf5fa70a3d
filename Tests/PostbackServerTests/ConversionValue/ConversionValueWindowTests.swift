import Base
import PostbackServer
import Testing

@Suite struct ConversionValueWindowTests {
  /// A model whose values are reached by `buy`, and which locks windows 0 and 2 then.
  private static let buy = ModelFile.event("buy", 1, nil)
  private static let model = ModelFile.model(
    keys: #""measurement_hours":30,"#,
    [
      ModelFile.window0(["", buy], coarse: ["", "", buy], keys: #""lock_window":true,"#),
      ModelFile.window(1, ["", buy]), ModelFile.window(2, ["", buy], keys: #""lock_window":true,"#),
    ]
  )

  private static let hour = 3600

  private static func closed(after limit: Int, last hours: Int) -> String {
    #"{"status":"error","reason":"More than \#(limit) hours have past since last conversion update (\#(hours) hours), "#
      + #"the update window is closed"}"#
  }

  @Test(
    arguments: [
      (0, 0), (-300, 0), (48 * hour - 1, 0), (48 * hour, 1), (7 * 24 * hour - 1, 1), (7 * 24 * hour, 2),
      (35 * 24 * hour - 1, 2),
    ] as [(Int, Int)]
  )
  func `the time since the first call decides the window, which is over at its end`(_ age: Int, _ window: Int) throws {
    let api = try ConversionValueAPI(Self.model)
    #expect(api.text(Call(age: age)).contains(#""postback_sequence_index":\#(window),"#))
  }

  @Test func `the last second of a window belongs to it, because apps count whole seconds`() throws {
    let api = try ConversionValueAPI(Self.model)
    let now = Timestamp(milliseconds: Int64(Call.now) * 1000 + 999)
    let answer = api.answer(.v2, query: Call(age: 48 * Self.hour - 1).query, now: now)
    #expect(String(decoding: answer.body, as: UTF8.self).contains(#""postback_sequence_index":0,"#))
  }

  @Test func `35 days after the first call the value is final`() throws {
    #expect(
      try ConversionValueAPI(Self.model).text(Call(age: 35 * 24 * Self.hour)) == Self.closed(after: 840, last: 839)
    )
    #expect(
      try ConversionValueAPI(Self.model).text(Call(with: ["skan_first_call_to_skadnetwork_timestamp": "0"]))
        .contains("the update window is closed")
    )
  }

  @Test func `a window that the model does not describe is refused`() throws {
    let model = ModelFile.model([ModelFile.window(1, ["", Self.buy])])
    let api = try ConversionValueAPI(model)
    let reasons = [0, 49, 24 * 8].map { api.text(Call(age: $0 * Self.hour)) }
    #expect(reasons[0] == #"{"status":"error","reason":"Invalid measurement period: 0"}"#)
    #expect(!reasons[1].contains("error"))
    #expect(reasons[2] == #"{"status":"error","reason":"Invalid measurement period: 2"}"#)
    #expect(api.text(Call(.v1)) == #"{"status":"error","reason":"Invalid measurement period: 0"}"#)
  }

  @Test func `a window for installs alone is that of an app`() throws {
    let window = ModelFile.window0(["", Self.buy], coarse: [], keys: #""conversion_type":"install","#)
    let api = try ConversionValueAPI(ModelFile.model([window]))
    #expect(api.text(Call(with: ["n": "buy"])).contains(#""conversion_value":1,"#))
  }

  @Test(
    arguments: [
      (
        0, nil,
        #""conversion_value":1,"skan_updated_coarse_value":2,"skan_updated_lock_window_value":true,"postback_sequence_index":0"#
      ),
      (49, "17", #""conversion_value":17,"skan_updated_coarse_value":1,"postback_sequence_index":1"#),
      (49, nil, #""conversion_value":0,"skan_updated_coarse_value":1,"postback_sequence_index":1"#),
      (
        200, "63",
        #""conversion_value":63,"skan_updated_coarse_value":1,"skan_updated_lock_window_value":true,"postback_sequence_index":2"#
      ),
    ] as [(Int, String?, String)]
  )
  func `the answer always has a fine value, after window 0 the current one`(
    _ hours: Int,
    _ current: String?,
    _ members: String
  ) throws {
    let call = Call(age: hours * Self.hour, with: ["n": "buy", "skan_current_conversion_value": current])
    #expect(try ConversionValueAPI(Self.model).text(call) == "{\(members),\"status\":\"ok\"}")
  }

  @Test(
    arguments: [
      (24 * hour, 24 * hour, nil), (25 * hour, 24 * hour, nil), (30 * hour, 60, nil), (1 * hour, -60, nil),
      (25 * hour, 24 * hour + 1, closed(after: 24, last: 0)), (25 * hour, 25 * hour, closed(after: 24, last: 0)),
      (28057 * hour, 25 * hour, closed(after: 24, last: 28032)), (30 * hour + 1, 60, closed(after: 30, last: 29)),
      (25 * hour, 42 * hour, closed(after: 24, last: -17)), (25 * hour, 42 * hour - 1, closed(after: 24, last: -17)),
    ] as [(Int, Int, String?)]
  )
  func `version 1 ends a day after the last update, or when the model stops measuring`(
    _ age: Int,
    _ sinceUpdate: Int,
    _ closed: String?
  ) throws {
    let call = Call(
      .v1,
      age: age,
      with: ["last_call_to_skadnetwork_timestamp": sinceUpdate == age ? nil : "\(Call.now - sinceUpdate)", "n": "buy"]
    )
    #expect(
      try ConversionValueAPI(Self.model).text(call)
        == closed ?? #"{"conversion_value":1,"status":"ok"}"#
    )
  }
}
