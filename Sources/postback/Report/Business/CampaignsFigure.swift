internal import ConversionModel
internal import Reporting

/// A campaign with its sums.
struct CampaignLine {
  let network: String?
  let campaign: String?
  let name: String?
  let sums: BusinessReport.Sums

  /// The name that people know the campaign by.
  var label: String {
    let own = name ?? campaign ?? "unknown campaign"
    let label = network.map { "\($0): \(own)" } ?? own
    return isSuspected ? "⚠ \(label)" : label
  }

  /// Indicates that a suspicion concerns values of the campaign.
  var isSuspected: Bool { !sums.suspicions.isEmpty }

  /// The suspicions about values of the campaign, in words.
  var suspicions: String { sums.suspicions.sorted().joined(separator: "; ") }

  /// The cost, if it is above 0.
  var cost: Amount? { sums.cost.flatMap { $0 > .zero ? $0 : nil } }

  /// The return on ad spend: observed, and the least and the most that ranges and the model allow.
  var roas: (observed: Double, low: Double, high: Double)? {
    guard let cost = cost?.approximation else { return nil }
    return (sums.revenue.approximation / cost, sums.least.approximation / cost, sums.most.approximation / cost)
  }

  /// The judgement that the whole range of the return allows.
  var judgement: String {
    guard let roas else { return "no cost" }
    if roas.low >= 1 { return "above 1" }
    if roas.high < 1, !sums.isOpenEnded { return "below 1" }
    return "undecided"
  }
}

extension BusinessSection {
  /// The campaigns with the largest cost first, and those without a cost by their installs.
  var campaigns: [CampaignLine] {
    business.sums { [$0.network, $0.campaign] }
      .map { key, sums in
        CampaignLine(network: key[0], campaign: key[1], name: business.campaignNames[key], sums: sums)
      }
      .sorted { one, other in
        let (left, right) = (one.sums.cost ?? .zero, other.sums.cost ?? .zero)
        if left != right { return left > right }
        return (other.sums.installs, one.label) < (one.sums.installs, other.label)
      }
  }

  private static let shown = 16

  /// The return on ad spend of the campaigns with the largest cost, the highest return first.
  var campaignsFigure: HTML {
    let campaigns = campaigns
    let shown = campaigns.filter { $0.cost != nil }.prefix(Self.shown)
      .sorted { ($1.roas?.observed ?? 0, $0.label) < ($0.roas?.observed ?? 0, $1.label) }
    guard !shown.isEmpty else {
      return """
        <figure id="campaigns" class="wide"><figcaption>Campaigns</figcaption><p class="note">No costs are known, so that there \
        is no return on them. Give a file of costs: <code>postback daily OUT --lookups DIR --cost FILE</code></p>\
        \(Self.table(campaigns))</figure>
        """
    }
    var drawing = Drawing(width: 760, height: shown.count * 28 + 60)
    let ticks = Ticks(to: min(shown.compactMap { $0.roas?.high }.max() ?? 1, 10), isWhole: false)
    let bottom = Double(shown.count * 28 + 18)
    func x(_ ratio: Double) -> Double { 250 + 236 * min(max(ratio, 0), ticks.end) / ticks.end }
    for value in ticks.values {
      drawing.line(x(value), 16, x(value), bottom, .grid)
      drawing.text(Numbers.short(value), x: x(value), y: bottom + 14, .middle, .axis)
    }
    drawing.line(x(1), 16, x(1), bottom, .axis)
    drawing.text("return on ad spend; 1 pays the cost back", x: 368, y: bottom + 33, .middle, .axis)
    if shown.count > 1 {
      let cost = shown.reduce(0) { $0 + ($1.cost?.approximation ?? 0) }
      let mean = shown.reduce(0) { $0 + $1.sums.revenue.approximation } / cost
      drawing.mean(x: x(mean), bottom: bottom, "all of these \(Numbers.ratio(mean))")
    }
    for (index, line) in shown.enumerated() {
      let y = Double(index * 28 + 34)
      drawing.text(line.label.shortened(to: 24), x: 242, y: y + 5, .end)
      guard let roas = line.roas else { continue }
      drawing.line(x(roas.low), y, x(roas.high), y, .whisker)
      drawing.line(x(roas.low), y - 5, x(roas.low), y + 5, .whisker)
      let drop = line.sums.isOpenEnded ? 5.0 : 0
      drawing.line(x(roas.high) - drop, y - 5, x(roas.high), y, .whisker)
      drawing.line(x(roas.high) - drop, y + 5, x(roas.high), y, .whisker)
      drawing.dot(x: x(roas.observed), y: y)
      let cost = Numbers.money(line.sums.cost ?? .zero, business.currency)
      drawing.text(
        "\(cost): \(Numbers.ratio(roas.observed)) (\(Numbers.ratio(roas.low)) \(line.sums.isOpenEnded ? "or more" : "– \(Numbers.ratio(roas.high))"))",
        x: 502,
        y: y + 5,
        .start,
        .axis
      )
    }
    let undivided =
      business.undividedCost > .zero
      ? " \(Numbers.money(business.undividedCost, business.currency)) of cost belongs to no single row and is in none of them."
      : ""
    let more =
      campaigns.count > shown.count ? " These are the \(shown.count) with the largest cost of \(campaigns.count)." : ""
    return drawing.figure(
      "Campaigns by their return",
      id: "campaigns",
      isWide: true,
      description: """
        A dot is the revenue of the first window that was observed, divided by the cost. The line goes from the least to the \
        most that the ranges of the values and the interval for null postbacks allow. The broken line is the return of all campaigns shown. ⚠ marks campaigns whose values a suspicion concerns: look at it \
        before you move a budget to them. Confirmed is the revenue of values that devices confirm.\(undivided)\(more)
        """,
      numbers: Self.table(campaigns)
    )
  }

  private static func table(_ campaigns: [CampaignLine]) -> HTML {
    HTML.longTable(
      "Campaigns, the largest cost first",
      [
        "campaign", "id", "cost", "installs", "cost of an install", "revenue", "return", "from", "to",
        "return of all windows",
        "nulls", "judgement", "confirmed revenue", "suspicions",
      ],
      campaigns.count
    ) { index, table in
      let line = campaigns[index]
      let (sums, cost) = (line.sums, line.cost?.approximation)
      func ratio(_ value: Double?) -> NumberTable.Cell { .amount(value.map(Numbers.ratio) ?? "") }
      let perInstall = sums.installs > 0 ? cost.map { $0 / Double(sums.installs) } : nil
      table.add(
        line.label,
        .time(line.campaign ?? ""),
        .amount(sums.cost.map(Numbers.plain) ?? ""),
        .number(sums.installs),
        ratio(perInstall),
        .amount(Numbers.plain(sums.revenue)),
        ratio(line.roas?.observed),
        ratio(line.roas?.low),
        .amount(line.roas.map { sums.isOpenEnded ? "open" : Numbers.ratio($0.high) } ?? ""),
        ratio(cost.map { sums.allWindows.approximation / $0 }),
        .share(sums.nulls, of: sums.nulls + sums.values),
        .text(line.judgement),
        .amount(sums.confirmed.map(Numbers.plain) ?? ""),
        .text(line.suspicions)
      )
    }
  }
}
