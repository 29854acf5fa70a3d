/// A model file whose window has a random kind, with the facts that tests need.
package struct RandomModel {
  /// The model file.
  package let text: String
  /// The window of the model.
  package let window: Int
  /// True if more activity never encodes to a lower value.
  package let isMonotonic: Bool
  /// The events of the window.
  package let events: [String]
  /// The event with revenue; nil if the window has none.
  package let earner: String?

  package init(using random: inout SplitMix) {
    let kinds = ["revenue", "events", "bits", "engagement", "retention", "funnel", "mixed"]
    window = Int.random(in: 0...2, using: &random)
    let capacity = window == 0 ? 64 : 3
    var kind = kinds.randomElement(using: &random) ?? "revenue"
    if window > 0, kind == "mixed" { kind = "revenue" }
    var writer = KindWriter(random: random)
    let members = kind == "mixed" ? writer.mixed() : writer.kind(kind, prefix: "e", capacity: capacity)
    random = writer.random
    isMonotonic = kind != "mixed" && kind != "bits"
    events = writer.events
    earner = writer.earner
    text = """
      {"app_id":1,"model_id":"random","version":1,"effective_from":null,"currency":"USD",\
      "windows":[{"postback_sequence_index":\(window),\(members)}]}
      """
  }

  /// The activity of a random user. Revenue comes with at least one event that has revenue.
  package func activity(using random: inout SplitMix) -> RandomActivity {
    var counts: [String: Int] = [:]
    for event in events where Bool.random(using: &random) {
      let limit = [1, 3, 40, 2_000_000_000].randomElement(using: &random) ?? 1
      counts[event] = Int.random(in: 0...limit, using: &random)
    }
    var micros = 0
    if let earner, Bool.random(using: &random) {
      let limit = [10_000, 1_000_000, 100_000_000, 1_000_000_000_000].randomElement(using: &random) ?? 1
      micros = Int.random(in: 1...limit, using: &random)
      counts[earner] = max(counts[earner] ?? 0, 1)
    }
    return RandomActivity(counts: counts, micros: micros)
  }
}

/// The activity of a user.
package struct RandomActivity {
  package var counts: [String: Int]
  /// Revenue in millionths.
  package var micros: Int

  /// The revenue as a JSON number.
  package var revenue: String { decimal(micros) }

  /// The union of both activities.
  package static func + (left: Self, right: Self) -> Self {
    RandomActivity(
      counts: left.counts.merging(right.counts, uniquingKeysWith: +),
      micros: left.micros + right.micros
    )
  }
}

/// Millionths as a JSON number.
package func decimal(_ micros: Int) -> String {
  let fraction = String(micros % 1_000_000)
  return "\(micros / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
}

/// Writes random kinds as JSON members.
private struct KindWriter {
  var random: SplitMix
  var events: [String] = []
  var earner: String?

  mutating func kind(_ kind: String, prefix: String, capacity: Int) -> String {
    switch kind {
    case "revenue": return revenue(prefix + "purchase", capacity)
    case "engagement":
      let event = named(prefix + "level")
      if capacity > 3, Bool.random(using: &random) {
        let first = Int.random(in: 20...50, using: &random)
        return #""kind":"engagement","event":"\#(event)",\#(buckets("\(first)", "\(first * 1000)", capacity))"#
      }
      return #""kind":"engagement","event":"\#(event)","counts":[\#(steps(capacity - 1, upTo: 30, from: 1))]"#
    case "retention":
      _ = named("last_active_day")
      return #""kind":"retention","days":[\#(steps(min(capacity - 1, 7), upTo: 5, from: 1))]"#
    case "funnel": return #""kind":"funnel","steps":[\#(names(prefix, min(capacity - 1, 20)))]"#
    case "bits":
      let bits = capacity.bitWidth - 1 - capacity.leadingZeroBitCount
      return #""kind":"events","as":"bits","events":[\#(names(prefix, bits))]"#
    default: return #""kind":"events","events":[\#(names(prefix, min(capacity - 1, 20)))]"#
    }
  }

  /// Two or three parts, with at most one of revenue and one of retention.
  mutating func mixed() -> String {
    let bits = [[3, 3], [4, 2], [1, 5], [2, 2, 2], [1, 1]].randomElement(using: &random) ?? [3, 3]
    var left = ["revenue", "retention", "events", "bits", "engagement", "funnel"].shuffled(using: &random)
    let parts = bits.enumerated().map { index, bits in
      #"{"bits":\#(bits),\#(kind(left.removeFirst(), prefix: "p\(index)", capacity: 1 << bits))}"#
    }
    return #""kind":"mixed","parts":[\#(parts.joined(separator: ","))]"#
  }

  private mutating func revenue(_ event: String, _ capacity: Int) -> String {
    earner = named(event)
    let head = #""kind":"revenue","event":"\#(event)""#
    if capacity > 3, Bool.random(using: &random) {
      let cents = Int.random(in: 50...500, using: &random)
      return "\(head),\(buckets(decimal(cents * 10_000), decimal(cents * 10_000_000), capacity))"
    }
    let startsAt0 = Bool.random(using: &random)
    var micros = startsAt0 ? 0 : Int.random(in: 1...10_000_000, using: &random)
    var thresholds: [String] = []
    for _ in 0..<Int.random(in: 1...(capacity - (startsAt0 ? 0 : 1)), using: &random) {
      thresholds.append(decimal(micros))
      micros += Int.random(in: 1...20_000_000, using: &random)
    }
    let open = Bool.random(using: &random) ? #","open_value":\#(decimal(micros))"# : ""
    return #"\#(head),"thresholds":[\#(thresholds.joined(separator: ","))]\#(open)"#
  }

  private mutating func buckets(_ first: String, _ last: String, _ capacity: Int) -> String {
    let scale = Bool.random(using: &random) ? "linear" : "logarithmic"
    let count = Int.random(in: 2...(capacity - 1), using: &random)
    return #""buckets":{"count":\#(count),"min":\#(first),"max":\#(last),"scale":"\#(scale)"}"#
  }

  private mutating func steps(_ most: Int, upTo difference: Int, from first: Int) -> String {
    var step = first - 1
    let steps = (0..<Int.random(in: 1...most, using: &random)).map { _ in
      step += Int.random(in: 1...difference, using: &random)
      return "\(step)"
    }
    return steps.joined(separator: ",")
  }

  private mutating func names(_ prefix: String, _ most: Int) -> String {
    let names = (0..<Int.random(in: 1...most, using: &random)).map { named("\(prefix)\($0)") }
    return names.map { "\"\($0)\"" }.joined(separator: ",")
  }

  private mutating func named(_ event: String) -> String {
    events.append(event)
    return event
  }
}
