import ConversionModel
import Testing

@Suite struct ModelReaderTests {
  /// A model with one key replaced, or removed if the value is empty.
  private static func model(_ key: String, _ value: String) -> String {
    var members = [
      ("app_id", "1"), ("model_id", #""m""#), ("version", "1"), ("effective_from", "null"), ("effective_to", "null"),
      ("currency", #""USD""#), ("revenue_kind", #""all""#), ("measurement_hours", "24"), ("reengagement", "true"),
      ("bundle_id", #""b""#),
      ("windows", #"[{"postback_sequence_index":0}]"#),
    ]
    members.removeAll { $0.0 == key }
    if !value.isEmpty { members.append((key, value)) }
    return "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }

  private func pointers(_ text: String) -> [String] {
    do {
      _ = try ModelText.load(text)
      return []
    } catch {
      return error.problems.map(\.pointer)
    }
  }

  @Test func `the base model of these tests is valid`() {
    #expect(pointers(Self.model("effective_from", #""2026-01-01T00:00:00Z""#)) == [])
  }

  @Test(arguments: [
    ("app_id", ["", "-1", "9223372036854775808", "1.0", "1e3", #""1""#, "null"]),
    ("model_id", ["", #""""#, #""a b""#, #""a|b""#, #""ü""#, "1", "\"" + String(repeating: "a", count: 65) + "\""]),
    ("version", ["", "0", "1.5", "99999999999999999999", "null"]),
    ("effective_from", ["", "0", #""2026-01-01""#, #""2026-02-30T00:00:00Z""#]),
    ("effective_to", ["false", #""soon""#]),
    ("currency", [#""usd""#, #""US""#, #""DOLLAR""#, "840", #""ÜÜÜ""#]),
    ("revenue_kind", [#""ads""#, "null", "1"]),
    ("measurement_hours", ["0", "1441", "24.5", "null"]),
    ("reengagement", ["0", "null", #""false""#]),
    ("bundle_id", ["7", #""""#, #""a\u0000b""#, "null"]),
    ("windows", ["", "[]", "{}", "null"]),
    ("models", ["1"]), ("a~/b", ["1"]),
  ])
  func `an invalid member of a model is named`(_ key: String, _ values: [String]) {
    let pointer = key == "a~/b" ? "/a~0~1b" : "/" + key
    for value in values { #expect(pointers(Self.model(key, value)) == [pointer], "\(value)") }
  }

  @Test func `an empty array is called so`() throws {
    let errors = try #require(throws: ModelErrors.self) { try ModelText.load(Self.model("windows", "[]")) }
    let reason = "The value must be an array of at least one window, but it is an empty array."
    #expect(errors.problems.map(\.reason) == [reason])
  }

  @Test func `an app without re-engagement has no windows for them`() {
    let windows = ["", #","conversion_type":"re-engagement""#].map { #"{"postback_sequence_index":0\#($0)}"# }
    let list = windows.joined(separator: ",")
    let model = #"{"app_id":1,"model_id":"m","version":1,"effective_from":null,"windows":[\#(list)],"#
    #expect(pointers(model + #""reengagement":true}"#) == [])
    #expect(pointers(model + #""reengagement":false}"#) == ["/windows/1/conversion_type"])
  }

  @Test(arguments: [
    ("7", "/windows/0"),
    ("{}", "/windows/0/postback_sequence_index"),
    (#"{"postback_sequence_index":3}"#, "/windows/0/postback_sequence_index"),
    (#"{"postback_sequence_index":0},{"postback_sequence_index":0}"#, "/windows/1/postback_sequence_index"),
    (#"{"postback_sequence_index":0,"cumulative":0}"#, "/windows/0/cumulative"),
    (#"{"postback_sequence_index":0,"lock_window":"true"}"#, "/windows/0/lock_window"),
    (#"{"postback_sequence_index":0,"lock_windows":true}"#, "/windows/0/lock_windows"),
    (#"{"postback_sequence_index":1,"fine":{}}"#, "/windows/0/fine"),
    (#"{"postback_sequence_index":0,"fine":[]}"#, "/windows/0/fine"),
    (#"{"postback_sequence_index":0,"fine":null}"#, "/windows/0/fine"),
    (#"{"postback_sequence_index":0,"fine":{"64":[]}}"#, "/windows/0/fine/64"),
    (#"{"postback_sequence_index":0,"fine":{"-1":[]}}"#, "/windows/0/fine/-1"),
    (#"{"postback_sequence_index":0,"fine":{"07":[]}}"#, "/windows/0/fine/07"),
    (#"{"postback_sequence_index":0,"fine":{"7":null}}"#, "/windows/0/fine/7"),
    (#"{"postback_sequence_index":0,"coarse":{"none":[]}}"#, "/windows/0/coarse/none"),
    (#"{"postback_sequence_index":0,"coarse":{"low":{}}}"#, "/windows/0/coarse/low"),
    (#"{"postback_sequence_index":0},{"postback_sequence_index":2,"coarse":{"low":[1]}}"#, "/windows/1/coarse/low/0"),
  ])
  func `an invalid part of a window is named`(_ windows: String, _ pointer: String) {
    #expect(pointers(Self.model("windows", "[\(windows)]")) == [pointer])
  }

  @Test(arguments: [
    ("{}", "event"), (#"{"event":""}"#, "event"), (#"{"event":1}"#, "event"), (#"{"event":"a\nb"}"#, "event"),
    (#"{"event":"\#(String(repeating: "é", count: 129))"}"#, "event"), (#"{"event":"a\u0085"}"#, "event"),
    (#"{"event":"a","count":1}"#, "count"),
    (#"{"event":"a","min_count":-1}"#, "min_count"), (#"{"event":"a","min_count":1.5}"#, "min_count"),
    (#"{"event":"a","min_count":null}"#, "min_count"), (#"{"event":"a","min_count":1000000001}"#, "min_count"),
    (#"{"event":"a","min_count":0}"#, "max_count"), (#"{"event":"a","max_count":0}"#, "max_count"),
    (#"{"event":"a","min_count":3,"max_count":2}"#, "max_count"), (#"{"event":"a","max_count":"2"}"#, "max_count"),
    (#"{"event":"a","min_revenue":1}"#, "max_revenue"), (#"{"event":"a","max_revenue":1}"#, "min_revenue"),
    (#"{"event":"a","max_revenue":null,"value":1}"#, "min_revenue"),
    (#"{"event":"a","min_revenue":null,"max_revenue":1}"#, "min_revenue"),
    (#"{"event":"a","min_revenue":"1","max_revenue":1}"#, "min_revenue"),
    (#"{"event":"a","min_revenue":-1,"max_revenue":1}"#, "min_revenue"),
    (#"{"event":"a","min_revenue":0.0000001,"max_revenue":1}"#, "min_revenue"),
    (#"{"event":"a","min_revenue":1,"max_revenue":1e15}"#, "max_revenue"),
    (#"{"event":"a","min_revenue":2,"max_revenue":1}"#, "max_revenue"),
    (#"{"event":"a","min_revenue":1,"max_revenue":null}"#, "value"),
    (#"{"event":"a","min_revenue":1,"max_revenue":2,"value":2}"#, "value"),
    (#"{"event":"a","min_revenue":2,"max_revenue":2,"value":2.01}"#, "value"),
    (#"{"event":"a","min_revenue":1,"max_revenue":2,"value":0.99}"#, "value"),
    (#"{"event":"a","min_revenue":1,"max_revenue":null,"value":0.99}"#, "value"),
    (#"{"event":"a","min_revenue":1,"max_revenue":2,"value":null}"#, "value"),
    (#"{"event":"a","value":1}"#, "value"),
  ])
  func `an invalid part of an event is named`(_ event: String, _ key: String) {
    let window = #"{"postback_sequence_index":0,"coarse":{"high":[{"event":"b"},\#(event)]}}"#
    #expect(pointers(Self.model("windows", "[\(window)]")) == ["/windows/0/coarse/high/1/\(key)"])
  }

  @Test func `more than a hundred events of a value are refused`() {
    for (count, expected) in [(100, []), (101, ["/windows/0/fine/1"])] {
      let events = [String](repeating: #"{"event":"a"}"#, count: count).joined(separator: ",")
      let window = #"{"postback_sequence_index":0,"fine":{"1":[\#(events)]}}"#
      #expect(pointers(Self.model("windows", "[\(window)]")) == expected)
    }
  }

  @Test(arguments: ["", #""currency":null,"#])
  func `revenue needs a currency`(_ keys: String) {
    let window = ModelText.window(ModelText.purchase("5"))
    #expect(pointers(ModelText.model(keys: keys, windows: window)) == ["/currency"])
    #expect(pointers(ModelText.model(keys: keys, windows: ModelText.window(#"{"event":"a"}"#))) == [])
  }

  @Test(arguments: [#""2026-01-01T00:00:00Z""#, #""2025-01-01T00:00:00Z""#])
  func `a validity period must end after it begins`(_ end: String) {
    let text = ModelText.model(from: #""2026-01-01T00:00:00Z""#, to: end, windows: ModelText.window(""))
    #expect(pointers(text) == ["/effective_to"])
  }

  @Test func `all defects are reported at once, each with advice`() throws {
    let text = ModelText.model(
      app: -1,
      version: 0,
      windows: #"{"postback_sequence_index":5,"fine":{"64":[]},"x":1},{"coarse":{"low":[{}]}}"#
    )
    let errors = try #require(throws: ModelErrors.self) { try ModelText.load("[\(text),7,\(text)]") }
    let each = [
      "/app_id", "/version", "/windows/0/x", "/windows/0/postback_sequence_index", "/windows/0/fine/64",
      "/windows/1/postback_sequence_index", "/windows/1/coarse/low/0/event",
    ]
    #expect(errors.problems.map(\.pointer) == each.map { "/0" + $0 } + ["/1"] + each.map { "/2" + $0 })
    #expect(
      errors.description.hasPrefix(
        """
        m.json: /0/app_id: The value must be an integer from 0 to 9223372036854775807, but it is -1.
        m.json: /0/version: The value must be an integer from 1 to 9223372036854775807, but it is 0.
        m.json: /0/windows/0/x: This is not a key of a window. The keys are postback_sequence_index, conversion_type, \
        cumulative, lock_window, kind, coarse, coarse_from, fine.
        m.json: /0/windows/0/postback_sequence_index: The value must be an integer from 0 to 2, but it is 5.
        m.json: /0/windows/0/fine/64: This is not a fine value. The fine values are 0 to 63, without leading \
        zeros.
        m.json: /0/windows/1/postback_sequence_index: This key is missing. Its value must be an integer from \
        0 to 2.

        """
      )
    )
  }

  @Test(arguments: [
    ("", "is not JSON"), ("{", "is not JSON"), ("{} {}", "is not JSON"),
    ("7", "must be an object with the keys of a model"),
    ("null", "must be an object"),
    ("[]", "at least one model"), (#"{"a":1,"a":2}"#, #"the key "a" twice"#),
    (#"{"windows":[{"fine":{"1":[{"event":"a","event":"b"}]}}]}"#, #"the key "event" twice"#),
    (String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000), "too deep"),
  ])
  func `text that is not a model is refused with one reason`(_ text: String, _ reason: String) throws {
    let errors = try #require(throws: ModelErrors.self) { try ModelText.load(text) }
    #expect(errors.problems.map(\.pointer) == [""])
    #expect(errors.description.contains(reason))
  }

  @Test func `a text that is not UTF-8 is refused`() throws {
    let text = Array(#"{"model_id":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
    let errors = try #require(throws: ModelErrors.self) { try Models(parsing: text, file: "m.json") }
    #expect(errors.description == "m.json: The text is not UTF-8 at line 1, column 14. Save it as UTF-8.")
  }

  @Test func `truncated and changed models do not trap`() throws {
    let text = Array(ModelText.model(windows: ModelText.window(ModelText.purchase("9.99"))).utf8)
    for index in text.indices {
      _ = try? Models(parsing: Array(text[..<index]), file: "m.json")
      for byte in [0, 0x22, 0x2D, 0x30, 0x39, 0x5B, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8] {
        var changed = text
        changed[index] = byte
        _ = try? Models(parsing: changed, file: "m.json")
      }
    }
  }
}
