internal import Answers
internal import Analysis
internal import ConversionModel
internal import JSON
internal import PageMarkup

/// The revenue of the conversion windows 0, 1 and 2, one after the other.
struct WindowRevenue {
  let report: RejectReport

  var html: HTML {
    guard let cells = report.cube.revenue, !cells.isEmpty else { return "" }
    let classes = report.cube.classes
    var weights: [String: Int] = [:]
    for (_, one) in cells { weights[classes[one.classIndex].currency, default: 0] += one.sum.postbacks }
    guard let currency = weights.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { return "" }
    var table = NumberTable(
      "Revenue by conversion window in \(currency)",
      [
        "window", "postbacks", "estimate", "at least", "below", "of a postback",
        "postbacks whose window includes the earlier ones",
      ]
    )
    let windows = (0...2).map { window -> JSONValue in
      let own = cells.map(\.revenue).filter { $0.window == window && classes[$0.classIndex].currency == currency }
        .map(\.sum)
      let estimate = own.reduce(Amount.zero) { $0 + $1.estimate }
      let least = own.reduce(Amount.zero) { $0 + $1.minimum }
      let most = own.reduce(Amount.zero) { $0 + $1.closedMaximum }
      let (postbacks, open) = (own.reduce(0) { $0 + $1.postbacks }, own.reduce(0) { $0 + $1.openEnded })
      let cumulative = own.filter(\.isCumulative).reduce(0) { $0 + $1.postbacks }
      table.add(
        "\(window)",
        .number(postbacks),
        .amount(Numbers.plain(estimate)),
        .amount(Numbers.plain(least)),
        .amount(open > 0 ? "open" : Numbers.plain(most)),
        .amount(postbacks > 0 ? Numbers.ratio(estimate.approximation / Double(postbacks)) : ""),
        .number(cumulative)
      )
      return .object([
        .init("estimate", .string("\(estimate)")),
        .init("least", .string("\(least)")),
        .init("most", .string("\(max(most, estimate))")),
        .init("isOpen", .bool(open > 0)),
      ])
    }
    return Figure(
      title: "Revenue over the windows",
      id: "revenue-by-window",
      chart: .windowRevenue,
      description: """
        The decoded revenue of the windows 0 (days 0 to 2), 1 (3 to 7) and 2 (8 to 35), with its range. If a model says that a \
        window includes the earlier ones, its bar does, too. Other currencies and the filters do not change this chart.
        """,
      data: .object([.init("currency", .shown(currency)), .init("windows", .array(windows))]),
      numbers: table.html
    ).html
  }
}
