import ConversionModel
import Testing

@Suite struct ModelKindTests {
  /// The meaning of each value of the window in a short notation, such as `2: a 1+ 5..20 ~12.5, b 1+`.
  private func rows(_ members: String, window: Int = 0) throws -> [String] {
    let text = #"{"postback_sequence_index":\#(window),\#(members)}"#
    let model = try #require(try ModelText.load(ModelText.model(windows: text)).models(for: 1).first)
    let shown = try #require(model.window(window))
    let fine = shown.fineValues.map { ("\($0)", shown.meaning(fine: $0)) }
    let coarse = CoarseValue.allCases.map { ($0.rawValue, shown.meaning(coarse: $0)) }
    return (fine + coarse).compactMap { name, meaning in
      meaning.map { "\(name): " + $0.events.map(short).joined(separator: ", ") }
    }
  }

  private func short(_ event: ModelEvent) -> String {
    let count = event.maximumCount.map { "-\($0)" } ?? "+"
    let revenue = event.revenue.map { " \($0.minimum)..\($0.maximum?.description ?? "") ~\($0.estimate)" } ?? ""
    return "\(event.name) \(event.minimumCount)\(count)\(revenue)"
  }

  @Test func `a kind of revenue has a value for each range`() throws {
    #expect(
      try rows(#""kind":"revenue","event":"p","thresholds":[0.01,5,20],"open_value":30"#) == [
        "0: p 0+ 0..0.01 ~0", "1: p 1+ 0.01..5 ~2.505", "2: p 1+ 5..20 ~12.5", "3: p 1+ 20.. ~30",
        "low: p 0+ 0..5 ~1.2525", "medium: p 1+ 5..20 ~12.5", "high: p 1+ 20.. ~30",
      ]
    )
    #expect(
      try rows(#""kind":"revenue","event":"p","thresholds":[0,5]"#, window: 1) == [
        "low: p 0+ 0..5 ~0", "medium: p 1+ 5.. ~5",
      ]
    )
  }

  @Test func `coarse values divide the used values of a bit mask`() throws {
    let parts = #"{"bits":1,"kind":"events","as":"bits","events":["a"]},{"bits":4,"kind":"funnel","steps":["b","c"]}"#
    let rows = try rows(#""kind":"mixed","parts":[\#(parts)]"#)
    #expect(rows.map { $0.prefix { $0 != ":" } } == ["0", "1", "2", "3", "4", "5", "low", "medium", "high"])
    #expect(rows.last?.contains("c 1+") == true)
  }

  @Test(
    arguments: [
      (#""count":4,"min":1,"max":2"#, ["1", "1.33", "1.66", "2"]),
      // 1 × 10^(i/3): 2.1544…, 4.6415…, each rounded down.
      (#""count":4,"min":1,"max":10,"scale":"logarithmic""#, ["1", "2.15", "4.64", "10"]),
      (
        #""count":4,"min":0.001,"max":0.01,"scale":"logarithmic","round_to":0.0001"#,
        ["0.001", "0.0021", "0.0046", "0.01"]
      ),
    ] as [(String, [String])]
  )
  func `buckets of revenue are generated`(_ buckets: String, _ starts: [String]) throws {
    let rows = try rows(#""kind":"revenue","event":"p","buckets":{\#(buckets)}"#)
    // Row 0 is first; the coarse values are the last three.
    for (row, start) in zip(rows.dropFirst(), starts) { #expect(row.contains(": p 1+ \(start)..")) }
    #expect(rows.count == 1 + starts.count + 3)
  }

  @Test func `63 buckets up to the largest amount are generated`() throws {
    let buckets = #"{"count":63,"min":0.5,"max":999999999999999,"scale":"logarithmic"}"#
    #expect(try rows(#""kind":"revenue","event":"p","buckets":\#(buckets)"#).count == 64 + 3)
  }

  @Test func `a growth factor that is a whole number is exact`() throws {
    let counts = try rows(
      #""kind":"engagement","event":"a","buckets":{"count":30,"min":1,"max":536870912,"scale":"logarithmic"}"#
    )
    #expect(counts[1] == "1: a 1-1")
    #expect(counts[29] == "29: a 268435456-536870911")
    #expect(counts[30] == "30: a 536870912+")
  }

  @Test func `events are encoded as steps or as bits`() throws {
    #expect(
      try rows(#""kind":"events","events":["a","b"]"#) == [
        "0: ", "1: a 1+", "2: b 1+", "low: ", "medium: a 1+", "high: b 1+",
      ]
    )
    #expect(
      try rows(#""kind":"events","as":"bits","events":["a","b"]"#) == [
        "0: ", "1: a 1+", "2: b 1+", "3: a 1+, b 1+", "low: a 0+", "medium: b 1+", "high: a 1+, b 1+",
      ]
    )
  }

  @Test func `engagement and retention are ranges of a count`() throws {
    #expect(
      try rows(#""kind":"engagement","event":"a","counts":[3,10]"#, window: 2) == [
        "low: a 0-2", "medium: a 3-9", "high: a 10+",
      ]
    )
    #expect(
      try rows(#""kind":"retention","days":[1,2]"#, window: 1) == [
        "low: ", "medium: last_active_day 1-1", "high: last_active_day 2+",
      ]
    )
  }

  @Test func `a funnel value means all steps up to it`() throws {
    #expect(
      try rows(#""kind":"funnel","steps":["a","b"]"#, window: 1) == ["low: ", "medium: a 1+", "high: a 1+, b 1+"]
    )
  }

  @Test func `the first part of a mixed value is in the low bits`() throws {
    let mixed = try rows(
      """
      "kind":"mixed","parts":[{"bits":2,"kind":"revenue","event":"p","thresholds":[1,5]},\
      {"bits":1,"kind":"events","as":"bits","events":["a"]}]
      """
    )
    #expect(
      mixed.prefix(6) == [
        "0: p 0+ 0..1 ~0", "1: p 1+ 1..5 ~3", "2: p 1+ 5.. ~5",
        "4: p 0+ 0..1 ~0, a 1+", "5: p 1+ 1..5 ~3, a 1+", "6: p 1+ 5.. ~5, a 1+",
      ]
    )
  }

  @Test func `a coarse value covers an exact amount at the end of its range`() throws {
    let window = """
      {"postback_sequence_index":0,"coarse_from":{"medium":3,"high":4},"fine":{\
      "1":[{"event":"a","min_revenue":1,"max_revenue":5}],\
      "2":[{"event":"a","min_revenue":9.99,"max_revenue":9.99}]}}
      """
    let model = try #require(try ModelText.load(ModelText.model(windows: window)).models(for: 1).first)
    let revenue = try #require(model.meaning(window: 0, fine: nil, coarse: .low)?.revenue)
    #expect(revenue.contains(try Amount(parsing: "9.99")))
    #expect(!revenue.contains(try Amount(parsing: "9.990001")))
    #expect(revenue.estimate.description == "6.495")
  }

  @Test(
    arguments: [
      (#""kind":"revenu""#, ["kind"]), (#""kind":"revenue","event":"a""#, [""]),
      (#""kind":"revenue","thresholds":[1]"#, ["event"]),
      (#""kind":"revenue","event":"a","fine":{},"thresholds":[1]"#, ["fine"]),
      (#""kind":"revenue","event":"a","thresholds":[]"#, ["thresholds"]),
      (#""kind":"revenue","event":"a","thresholds":[1,1]"#, ["thresholds/1"]),
      (#""kind":"revenue","event":"a","thresholds":[1,-1]"#, ["thresholds/1"]),
      (#""kind":"revenue","event":"a","thresholds":[1],"open_value":0.5"#, ["open_value"]),
      (#""kind":"revenue","event":"a","thresholds":[1],"buckets":{}"#, ["buckets"]),
      (#""kind":"revenue","event":"a","buckets":{"count":3,"min":1}"#, ["buckets/max"]),
      (#""kind":"revenue","event":"a","buckets":{"count":65,"min":1,"max":2}"#, ["buckets/count"]),
      (#""kind":"revenue","event":"a","buckets":{"count":3,"min":2,"max":2}"#, ["buckets/max"]),
      (#""kind":"revenue","event":"a","buckets":{"count":3,"min":1,"max":1.01}"#, ["buckets/count"]),
      (#""kind":"revenue","event":"a","buckets":{"count":3,"min":0,"max":9,"scale":"logarithmic"}"#, ["buckets/min"]),
      (#""kind":"revenue","event":"a","buckets":{"count":3,"min":0.001,"max":9}"#, ["buckets/min"]),
      (#""kind":"revenue","event":"a","buckets":{"count":3,"min":1,"max":9,"round_to":0}"#, ["buckets/round_to"]),
      (
        #""kind":"revenue","event":"a","buckets":{"count":3,"min":1,"max":999999999999999,"round_to":0.000001}"#,
        ["buckets/max"]
      ),
      (#""kind":"revenue","event":"a","buckets":{"count":3,"min":1,"max":9,"scale":"log"}"#, ["buckets/scale"]),
      (#""kind":"revenue","event":"a","buckets":{"count":64,"min":1,"max":99}"#, ["kind"]),
      (#""kind":"events","events":[]"#, ["events"]), (#""kind":"events","events":["a","a"]"#, ["events/1"]),
      (#""kind":"events","events":["a"],"as":"set""#, ["as"]),
      (#""kind":"events","as":"bits","events":["a","b","c","d","e","f","g"]"#, ["events"]),
      (#""kind":"engagement","event":"a","counts":[0]"#, ["counts/0"]),
      (#""kind":"engagement","event":"a","counts":[1.5]"#, ["counts/0"]),
      (#""kind":"retention","days":[36]"#, ["days/0"]), (#""kind":"funnel","steps":"a""#, ["steps"]),
      (#""kind":"mixed","parts":[]"#, ["parts"]), (#""kind":"mixed","parts":[{"bits":2}]"#, ["parts/0/kind"]),
      (#""kind":"mixed","parts":[{"bits":2,"kind":"mixed","parts":[]}]"#, ["parts/0/kind"]),
      (#""kind":"mixed","parts":[{"bits":1,"kind":"funnel","steps":["a","b"]}]"#, ["parts/0/bits"]),
      (
        #""kind":"mixed","parts":[{"bits":4,"kind":"funnel","steps":["a"]},{"bits":3,"kind":"funnel","steps":["b"]}]"#,
        ["parts"]
      ),
      (
        #""kind":"mixed","parts":[{"bits":2,"kind":"funnel","steps":["a"]},{"bits":3,"kind":"funnel","steps":["a"]}]"#,
        ["parts/1"]
      ),
      (#""lock_window":{}"#, ["lock_window"]), (#""lock_window":{"fine_value":64}"#, ["lock_window/fine_value"]),
      (#""lock_window":{"coarse_value":"top"}"#, ["lock_window/coarse_value"]), (#""lock_window":1"#, ["lock_window"]),
      (#""kind":"funnel","steps":["a"],"lock_window":{"fine_value":2}"#, ["lock_window"]),
      (#""coarse":{"low":[]},"lock_window":{"coarse_value":"high"}"#, ["lock_window"]),
      (#""conversion_type":"download""#, ["conversion_type"]), (#""conversion_type":null"#, ["conversion_type"]),
      (#""coarse_from":{"medium":1,"high":2}"#, ["coarse_from"]),
      (#""fine":{},"coarse_from":{"medium":2,"high":2}"#, ["coarse_from/high"]),
      (#""fine":{},"coarse_from":{"medium":2}"#, ["coarse_from/high"]),
    ] as [(String, [String])]
  )
  func `an invalid parameter of a kind is named`(_ members: String, _ places: [String]) throws {
    let window = #"{"postback_sequence_index":0,\#(members)}"#
    let errors = try #require(throws: ModelErrors.self) { try ModelText.load(ModelText.model(windows: window)) }
    #expect(errors.problems.map(\.pointer) == places.map { $0.isEmpty ? "/windows/0" : "/windows/0/" + $0 })
  }

  @Test(arguments: [
    (#""kind":"funnel","steps":["a","b","c"]"#, "kind"), (#""coarse_from":{"medium":1,"high":2}"#, "coarse_from"),
    (#""lock_window":{"fine_value":1}"#, "lock_window/fine_value"),
    (#""kind":"funnel","steps":["a"],"coarse":{"low":[]}"#, "coarse"),
  ])
  func `a window without fine values needs three coarse values`(_ members: String, _ place: String) {
    let window = #"{"postback_sequence_index":1,\#(members)}"#
    do {
      _ = try ModelText.load(ModelText.model(windows: window))
      #expect(place.isEmpty)
    } catch {
      #expect(error.problems.map(\.pointer) == ["/windows/0/" + place])
    }
  }

  @Test(arguments: [
    #""kind":"revenue","event":"a","thresholds":[1]"#,
    #""kind":"mixed","parts":[{"bits":2,"kind":"revenue","event":"a","thresholds":[1]}]"#,
  ])
  func `a kind of revenue needs a currency`(_ members: String) throws {
    let window = #"{"postback_sequence_index":0,\#(members)}"#
    let errors = try #require(throws: ModelErrors.self) {
      try ModelText.load(ModelText.model(keys: "", windows: window))
    }
    #expect(errors.problems.map(\.pointer) == ["/currency"])
  }
}
