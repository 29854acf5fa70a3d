import ConversionModel
import TestSupport
import Testing

/// Laws for every model and user: decoding inverts encoding.
@Suite struct EncodingLawTests {
  private static func load(_ random: RandomModel) throws -> ConversionModel {
    let models = try Models(parsing: Array(random.text.utf8), file: random.text)
    return try #require(models.models(for: 1).first)
  }

  /// Tells if a meaning is true of a user's activity, in a second implementation from the documentation of the format.
  private static func holds(_ meaning: DecodedMeaning, of activity: Activity) -> Bool {
    for event in meaning.events {
      let count = activity.counts[event.name] ?? 0
      if count < event.minimumCount { return false }
      if let most = event.maximumCount, count > most { return false }
    }
    guard let revenue = meaning.revenue else { return true }
    if revenue.minimum == revenue.maximum { return activity.revenue == revenue.minimum }
    return activity.revenue >= revenue.minimum && (revenue.maximum.map { activity.revenue < $0 } ?? true)
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `the decoding of an encoded activity contains the activity`(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<60 {
      let drawn = RandomModel(using: &random)
      let model = try Self.load(drawn)
      for _ in 0..<60 {
        let drawnActivity = drawn.activity(using: &random)
        let activity = Activity(counts: drawnActivity.counts, revenue: try Amount(parsing: drawnActivity.revenue))
        let encoding = try #require(model.encode(activity, window: drawn.window))
        #expect((encoding.fine != nil) == (drawn.window == 0))
        #expect(encoding.isExact, "\(drawn.text) \(activity)")
        for (fine, coarse) in [(encoding.fine, nil), (nil, encoding.coarse)] where fine != nil || coarse != nil {
          let meaning = try #require(model.meaning(window: drawn.window, fine: fine, coarse: coarse))
          #expect(Self.holds(meaning, of: activity), "\(drawn.text) \(activity) \(encoding)")
        }
      }
    }
  }

  @Test(arguments: 100..<104 as Range<UInt64>)
  func `more activity never encodes to a lower value`(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<100 {
      let drawn = RandomModel(using: &random)
      guard drawn.isMonotonic else { continue }
      let model = try Self.load(drawn)
      var sum = drawn.activity(using: &random)
      var last: Encoding?
      for _ in 0..<20 {
        let activity = Activity(counts: sum.counts, revenue: try Amount(parsing: sum.revenue))
        let encoding = try #require(model.encode(activity, window: drawn.window))
        if let last {
          #expect(encoding.fine ?? 0 >= last.fine ?? 0, "\(drawn.text) \(activity)")
          #expect(encoding.coarse ?? .low >= last.coarse ?? .low, "\(drawn.text) \(activity)")
        }
        last = encoding
        sum = sum + drawn.activity(using: &random)
        sum.micros = min(sum.micros, 900_000_000_000_000_000)
      }
    }
  }

  /// A row of a revenue scale includes its lower limit and excludes its upper limit.
  @Test(arguments: 200..<204 as Range<UInt64>)
  func `revenue decodes to the bucket that contains it`(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<100 {
      let drawn = RandomModel(using: &random)
      let model = try Self.load(drawn)
      let window = try #require(model.window(drawn.window))
      let fine = window.fineValues.compactMap { window.meaning(fine: $0) }
      for meaning in fine + CoarseValue.allCases.compactMap({ window.meaning(coarse: $0) }) {
        let revenue = try #require(meaning.revenue)
        #expect(revenue.estimate >= revenue.minimum)
        if let maximum = revenue.maximum, maximum > revenue.minimum { #expect(revenue.estimate < maximum) }
        for event in meaning.events {
          #expect(event.estimatedCount >= Amount(event.minimumCount))
          #expect(event.maximumCount.map { event.estimatedCount <= Amount($0) } ?? true)
        }
      }
      guard drawn.isMonotonic, drawn.window == 0, let earner = drawn.earner else { continue }
      for (value, meaning) in fine.enumerated() {
        func told(_ revenue: Amount) -> Int? {
          model.encode(Activity(counts: [earner: 1], revenue: revenue), window: 0)?.fine
        }
        let revenue = try #require(meaning.revenue)
        #expect(told(revenue.minimum) == value)
        if let maximum = revenue.maximum { #expect(told(maximum) == value + 1) }
      }
    }
  }

  /// Unusual tables: with gaps, overlaps, exact amounts and closed upper limits.
  @Test(arguments: 300..<304 as Range<UInt64>)
  func `an exact encoding contains the activity, and any other one is below it`(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    var exact = 0
    for _ in 0..<100 {
      let rows = (0..<8).filter { _ in Bool.random(using: &random) }.map { value in
        let events = ["a", "b", "c"].filter { _ in Int.random(in: 0..<3, using: &random) == 0 }.map { name in
          let least = Int.random(in: 1...3, using: &random)
          let most = Bool.random(using: &random) ? "null" : "\(least + Int.random(in: 0...2, using: &random))"
          let start = Int.random(in: 0...5, using: &random)
          let revenue = #","min_revenue":\#(start),"max_revenue":\#(start + Int.random(in: 0...3, using: &random))"#
          return #"{"event":"\#(name)","min_count":\#(least),"max_count":\#(most)\#(name == "c" ? "" : revenue)}"#
        }
        return #""\#(value)":[\#(events.joined(separator: ","))]"#
      }
      let window =
        #"{"postback_sequence_index":0,"coarse_from":{"medium":3,"high":6},"fine":{\#(rows.joined(separator: ","))}}"#
      guard !rows.isEmpty else { continue }
      let model = try #require(try ModelText.load(ModelText.model(windows: window)).models(for: 1).first)
      for _ in 0..<50 {
        var activity = Activity(revenue: Amount(Int.random(in: 0...9, using: &random)))
        for name in ["a", "b", "c"] { activity.counts[name] = Int.random(in: 1...5, using: &random) }
        let encoding = try #require(model.encode(activity, window: 0))
        guard let fine = encoding.fine, let meaning = model.meaning(window: 0, fine: fine, coarse: nil) else {
          continue
        }
        let tells = model.windows[0].fineValues.contains {
          model.meaning(window: 0, fine: $0, coarse: nil)?.revenue.map { $0 != .zero } ?? false
        }
        if encoding.isExact, tells {
          exact += 1
          #expect(Self.holds(meaning, of: activity), "\(window) \(activity)")
        }
        #expect(meaning.events.allSatisfy { activity.counts[$0.name] ?? 0 >= $0.minimumCount })
      }
    }
    #expect(exact > 100)
  }
}
