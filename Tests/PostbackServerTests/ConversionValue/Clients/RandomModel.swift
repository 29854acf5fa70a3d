import TestSupport

/// Kinds of models that an API without state can serve without loss: counts rise in single steps, the last one is
/// open-ended, and a cumulative window needs nothing but the values of the windows before it.
enum RandomModel: String, CaseIterable {
  case revenue, counts, order, days, mixed, kinds

  /// Returns the text of a random model of this kind.
  func text(version: Int, from: String, to: String, _ random: inout SplitMix) -> String {
    // The rows of the kind `kinds` mean purchases, so ads must not count.
    let kind = self == .kinds ? "iap" : ["iap", "admon", "all"].randomElement(using: &random) ?? "all"
    return ModelFile.model(
      version: version,
      from: from,
      to: to,
      keys: #""revenue_kind":"\#(kind)","#,
      windows(&random)
    )
  }

  private func windows(_ random: inout SplitMix) -> [String] {
    let fine: [String]
    let coarse: [[String]]
    switch self {
    case .revenue:
      fine = Self.revenues(.random(in: 2...64, using: &random), &random)
      coarse = (0..<3).map { _ in Self.revenues(3, &random) }
    case .counts:
      fine = Self.counts("level", .random(in: 4...64, using: &random))
      coarse = (0..<3).map { _ in Self.counts("level", 3) }
    case .order:
      fine = ["", "signup", "level", "subscribe", "purchase"].map(Self.happened)
      // Only the fine value of window 0 is known later.
      coarse = (0..<3).map { window in
        let first = window == 0 ? "subscribe" : "signup"
        let second = window == 0 ? "purchase" : ["subscribe", "purchase"].randomElement(using: &random) ?? ""
        return ["", first, second].map(Self.happened)
      }
    case .days:
      fine = ["", day(1, 1), day(2, nil)]
      coarse = [["", day(1, 1), day(2, nil)], ["", day(2, 4), day(5, nil)], ["", day(8, 20), day(21, nil)]]
    case .mixed:
      let buckets = Self.revenues(.random(in: 2...16, using: &random), &random)
      fine = ["", "signup", "subscribe", "signup subscribe"].flatMap { names in
        buckets.map { bucket in
          ([bucket] + names.split(separator: " ").map { Self.happened(String($0)) }).joined(separator: ",")
        }
      }
      coarse = (0..<3).map { _ in ["", "signup", "subscribe"].map(Self.happened) }
    case .kinds:
      return Self.kinds(&random)
    }
    let keys = (0..<3).map { index in
      (index > 0 && self != .order && Bool.random(using: &random) ? #""cumulative":true,"# : "")
        + (Int.random(in: 0..<3, using: &random) == 0 ? #""lock_window":true,"# : "")
    }
    return [
      ModelFile.window0(fine, coarse: coarse[0], keys: keys[0]), ModelFile.window(1, coarse[1], keys: keys[1]),
      ModelFile.window(2, coarse[2], keys: keys[2]),
    ]
  }

  /// Returns windows that name a kind instead of rows. The coarse values of window 0 follow from the fine ones.
  private static func kinds(_ random: inout SplitMix) -> [String] {
    let rule = ["false", "true", #"{"event":"subscribe"}"#, #"{"coarse_value":"high"}"#].randomElement(using: &random)
    let count = Int.random(in: 2...15, using: &random)
    return [
      #"{"postback_sequence_index":0,"kind":"mixed","lock_window":\#(rule ?? "false"),"parts":["#
        + #"{"bits":2,"kind":"events","as":"bits","events":["subscribe","signup"]},"#
        + #"{"bits":4,"kind":"revenue","event":"purchase","buckets":"#
        + #"{"count":\#(count),"min":0.99,"max":99.99,"scale":"logarithmic"},"open_value":150}]}"#,
      #"{"postback_sequence_index":1,"kind":"events","events":["signup","subscribe"]}"#,
      #"{"postback_sequence_index":2,"kind":"retention","days":[8,21]}"#,
    ]
  }

  private func day(_ minimum: Int, _ maximum: Int?) -> String { ModelFile.event("last_active_day", minimum, maximum) }

  private static func happened(_ event: String) -> String { event.isEmpty ? "" : ModelFile.event(event, 1, nil) }

  /// Returns rows for no occurrence, one, two and so on; the last row is open-ended.
  private static func counts(_ event: String, _ rows: Int) -> [String] {
    (0..<rows).map { $0 == 0 ? "" : ModelFile.event(event, $0, $0 == rows - 1 ? nil : $0) }
  }

  /// Returns rows with ranges of revenue from 0 to any amount.
  private static func revenues(_ rows: Int, _ random: inout SplitMix) -> [String] {
    var limits: Set<Int> = []
    while limits.count < rows - 1 { limits.insert(.random(in: 1...10_000, using: &random)) }
    let sorted = [0] + limits.sorted()
    return sorted.indices.map { index in
      let next = sorted.indices.contains(index + 1) ? "\(sorted[index + 1])e-2" : nil
      return ModelFile.revenue("\(sorted[index])e-2", next)
    }
  }
}
