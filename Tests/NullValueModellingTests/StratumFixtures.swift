import ConversionModel

@testable import NullValueModelling

extension StratumCounts {
  /// Adds the postbacks of a stratum: so many with each of `amounts`, and so many nulls.
  mutating func add(
    _ stratum: Stratum,
    _ counts: [Int],
    worth amounts: [Int],
    nulls: Int,
    window: Int = 0,
    day: Int64 = 20_520
  ) {
    for (code, (count, amount)) in zip(counts, amounts).enumerated() where count > 0 {
      let value = ReportedValue.worth(amount, code: code)
      add(.decoded(value), stratum, window: window, installDay: day, count: count)
    }
    if nulls > 0 { add(.null, stratum, window: window, installDay: day, count: nulls) }
  }
}

extension ReportedValue {
  /// A value that is worth an exact amount, and that means a purchase if it is not 0.
  static func worth(_ amount: Int, code: Int, currency: String = "USD") -> ReportedValue {
    var value = ReportedValue(modelID: "m", modelVersion: 1, fine: code)
    (value.estimate, value.minimum, value.maximum) = (Amount(amount), Amount(amount), Amount(amount))
    value.currency = currency
    value.events = amount > 0 ? ["purchase"] : []
    return value
  }
}

extension Stratum {
  /// A stratum of a network of an app.
  static func campaign(_ number: Int, app: Int64 = 7, network: String = "Network") -> Stratum {
    Stratum(app: app, network: network, .source(number))
  }
}

extension ModelMeanings {
  /// The model of app 7 with exact amounts in the windows 0 and 1.
  static func fixture(worth amounts: [Int], isOpen: Bool = false) throws -> ModelMeanings {
    func event(_ amount: Int, isOpen: Bool = false) -> String {
      let maximum = isOpen ? "null, \"value\": \(amount)" : "\(amount)"
      return amount == 0 ? "[]" : "[{\"event\": \"purchase\", \"min_revenue\": \(amount), \"max_revenue\": \(maximum)}]"
    }
    let fine = amounts.enumerated().map { "\"\($0)\": \(event($1, isOpen: isOpen && $0 == amounts.count - 1))" }
    let text = """
      {"app_id": 7, "model_id": "m", "version": 1, "effective_from": null, "effective_to": null, "currency": "USD",
       "windows": [{"postback_sequence_index": 0, "fine": {\(fine.joined(separator: ","))}},
         {"postback_sequence_index": 1, "coarse": {"low": [], "high": \(event(amounts.last ?? 0))}}]}
      """
    return ModelMeanings(try Models(parsing: Array(text.utf8)).all)
  }

  /// A model of app 7 whose values 0 to 3 are no revenue, 1 to below 5, 5 to below 20, and 20 or more; its coarse values
  /// are low for 0 and 1, medium for 2, and high for 3.
  static func buckets() throws -> ModelMeanings {
    ModelMeanings(
      try Models(
        parsing: Array(
          """
          {"app_id": 7, "model_id": "m", "version": 1, "effective_from": null, "effective_to": null, "currency": "USD",
           "windows": [{"postback_sequence_index": 0, "coarse_from": {"medium": 2, "high": 3},
             "fine": {"0": [], "1": [{"event": "purchase", "min_revenue": 1, "max_revenue": 5}],
               "2": [{"event": "purchase", "min_revenue": 5, "max_revenue": 20}],
               "3": [{"event": "purchase", "min_revenue": 20, "max_revenue": null, "value": 30}]}}]}
          """.utf8
        )
      ).all
    )
  }
}

extension ReportedValue {
  /// A fine value of the model with buckets, in a postback of a tier.
  static func bucket(_ value: Int, tier: Int = 2) -> ReportedValue {
    let ends: [(estimate: Int, minimum: Int, maximum: Int?)] = [(0, 0, 0), (3, 1, 5), (12, 5, 20), (30, 20, nil)]
    var reported = ReportedValue(modelID: "m", modelVersion: 1, fine: value)
    reported.set(ends[value].estimate, ends[value].minimum, ends[value].maximum)
    reported.tier = tier
    return reported
  }

  /// A coarse value of that model, with the means of its classes' buckets.
  static func coarse(_ value: CoarseValue) -> ReportedValue {
    var reported = ReportedValue(modelID: "m", modelVersion: 1, coarse: value)
    switch value {
    case .low: reported.set(2, 0, 5)
    case .medium: reported.set(12, 5, 20)
    case .high: reported.set(30, 20, nil)
    }
    return reported
  }

  private mutating func set(_ estimate: Int, _ minimum: Int, _ maximum: Int?) {
    (self.estimate, self.minimum, self.maximum) = (Amount(estimate), Amount(minimum), maximum.map { Amount($0) })
    (currency, events) = ("USD", estimate > 0 ? ["purchase"] : [])
  }
}
