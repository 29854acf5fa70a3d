internal import ConversionModel
internal import JSON

/// A column of the sums of campaigns.
struct CampaignColumn: Sendable {
  /// The kind of a value, which decides on its format.
  enum Kind: String, Sendable {
    case text, day, count, amount, ratio, share
  }

  /// A value of a column.
  enum Value: Sendable {
    case text(String?)
    case count(Int64?)
    /// An exact number with digits after the point.
    case amount(Amount?)

    /// The value as JSON: counts are numbers, and amounts are strings with all digits.
    var json: JSONValue {
      switch self {
      case .text(let text): .text(text)
      case .count(let count): .integer(count)
      case .amount(let amount): .text(amount?.description)
      }
    }

    /// The value as a cell of CSV; nil if it is null.
    var cell: (text: String, isText: Bool)? {
      switch self {
      case .text(let text): text.map { ($0, true) }
      case .count(let count): count.map { ("\($0)", false) }
      case .amount(let amount): amount.map { ($0.description, false) }
      }
    }

    /// The number by which rows are sorted; nil for text and null.
    var number: Int128? {
      switch self {
      case .text: nil
      case .count(let count): count.map { Int128($0) * 10_000_000 }
      case .amount(let amount): amount?.units
      }
    }
  }

  let name: String
  let kind: Kind
  let description: String
  /// Indicates that the column is one of money, or follows from money.
  var isOfMoney = false
  let value: @Sendable (CampaignSums) -> Value

  /// The columns of sums, in the order of the answer.
  static let all: [CampaignColumn] = [
    counted("postbacks", "The accepted postbacks."),
    counted("installs", "New installs."),
    counted("redownloads", "Installs of an app that the account had before."),
    counted("reengagements", "Opens of an app that was installed."),
    counted("conversions", "Installs, redownloads and re-engagements."),
    counted("values", "Conversions with a conversion value."),
    counted("nulls", "Conversions without a value that could have one."),
    CampaignColumn(name: "null_rate", kind: .share, description: "The share of nulls among nulls and values.") { sums in
      guard let nulls = sums.count("nulls"), let values = sums.count("values"), nulls + values > 0 else {
        return .amount(nil)
      }
      return .amount(.quotient(Amount(Int(nulls)), by: Amount(Int(nulls + values))))
    },
    money("revenue", "The decoded revenue.") { $0.amount("revenue") },
    money("revenue_min", "The least possible decoded revenue.") { $0.amount("revenue_min") },
    money("revenue_max", "The greatest possible decoded revenue; none if a value has no upper limit.") { sums in
      sums.count("revenue_max_open") ?? 0 > 0 ? nil : sums.amount("revenue_max_closed")
    },
    money("modelled_revenue", "The revenue with an estimate for nulls.") { $0.modelled?.estimate },
    money("modelled_low", "The lower end of the interval of the modelled revenue.") { $0.modelled?.low },
    money("modelled_high", "The upper end of the interval of the modelled revenue.") { $0.modelled?.high },
    money(
      "revenue_all_windows",
      "The revenue of the windows 0 to 2 of the same install dates, whatever window is chosen."
    ) { $0.amount("revenue_all_windows") },
    money("cost", "The cost of the ads.") { $0.amount("cost") },
    money("ecpi", "The cost of an install, of campaigns with a cost in the row.", .ratio) { sums in
      sums.count("installs").flatMap { installs in
        sums.cost.flatMap { .quotient($0, by: Amount(Int(installs))) }
      }
    },
    money("roas", "The revenue by the cost, of campaigns with a cost in the row.", .ratio) {
      $0.overCost($0.amount("revenue"))
    },
    money("roas_min", "The least possible revenue by the cost, of campaigns with a cost in the row.", .ratio) {
      $0.overCost($0.amount("revenue_min"))
    },
    money("roas_max", "The greatest possible revenue by the cost, of campaigns with a cost in the row.", .ratio) {
      sums in
      sums.overCost(sums.count("revenue_max_open") ?? 0 > 0 ? nil : sums.amount("revenue_max_closed"))
    },
    counted("impressions", "The impressions, as the cost file has them."),
    counted("clicks", "The clicks, as the cost file has them."),
    counted("network_installs", "The installs that the ad network counts, as the cost file has them."),
    counted("undecoded", "The postbacks with a value that is not decoded."),
    CampaignColumn(
      name: "unconverted_rows",
      kind: .count,
      description: "The decoded postbacks with revenue for which there is no exchange rate.",
      isOfMoney: true
    ) { .count($0.count("unconverted_rows")) },
    CampaignColumn(name: "status", kind: .text, description: "The state of the least complete day.") { sums in
      .text(sums.state >= 0 ? DailyStore.stateWords[Int(sums.state)] : nil)
    },
    CampaignColumn(
      name: "expected_share",
      kind: .share,
      description: "The share of postbacks that should have come, of the least complete day; 1 if all days are final."
    ) { sums in
      if sums.share >= 0 { return .amount(Amount(units: Int128(sums.share) * 10)) }
      return .amount(sums.state == 2 ? Amount(1) : nil)
    },
  ]

  private static func counted(_ name: String, _ description: String) -> CampaignColumn {
    CampaignColumn(name: name, kind: .count, description: description) { .count($0.count(name)) }
  }

  private static func money(
    _ name: String,
    _ description: String,
    _ kind: Kind = .amount,
    _ value: @escaping @Sendable (CampaignSums) -> Amount?
  ) -> CampaignColumn {
    CampaignColumn(name: name, kind: kind, description: description, isOfMoney: true) { .amount(value($0)) }
  }
}
