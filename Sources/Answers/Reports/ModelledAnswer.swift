internal import Base
internal import ConversionModel
internal import NullValueModelling

/// The totals of modelled revenue as text.
struct ModelledAnswer {
  let totals: [ModelledRow]

  /// The number of totals that are shown.
  private static let most = 20

  /// A table with its title; nothing without a total.
  var parts: [String] {
    guard !totals.isEmpty else { return [] }
    return [
      "revenue with that of postbacks without a value, if values are missing at random within a campaign",
      table.text(indent: 2),
    ]
  }

  private var table: TextTable {
    var table = TextTable(
      ["app", "window", "until", "installs", "nulls", "observed", "modelled", "low", "high", "currency", "state"],
      numbersIn: Set([1]).union(3...8)
    )
    func text(_ amount: Amount?) -> String { amount.map { "\($0)" } ?? "" }
    for total in totals.prefix(Self.most) {
      table.add([
        "\(total.app)", "\(total.window)", total.period.map { Timestamp.name(ofDay: $0.upperBound) } ?? "",
        "\(total.conversions)", "\(total.nulls)", text(total.observed),
        text(total.revenue()), text(total.low), text(total.high), total.currency ?? "", total.status.word,
      ])
    }
    if totals.count > Self.most { table.add("\(totals.count - Self.most) more") }
    return table
  }
}
