import ConversionModel

@testable import Reporting

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
}
