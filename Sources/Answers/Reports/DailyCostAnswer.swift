internal import ConversionModel
internal import DailyReports

/// The costs of a daily report as text: the campaigns with the highest costs, and costs that are of no campaign's row.
struct DailyCostAnswer {
  let summary: DailySummary

  /// The greatest number of campaigns that are listed.
  private static let most = 20

  /// The parts of the text; none if there are no costs.
  var parts: [String] {
    let campaigns = summary.campaigns
    guard !campaigns.isEmpty else { return [] }
    // Copies may not have been compared, and mostly there is no suspicion.
    let marks = [("confirmed", confirmed), ("suspicions", suspicions)].filter { mark in
      campaigns.prefix(Self.most).contains { !mark.1($0).isEmpty }
    }
    var table = TextTable(
      ["network", "campaign", "name", "cost", "installs", "eCPI", "values", "ROAS", "least", "most", "scaled"]
        + marks.map(\.0),
      numbersIn: Set(3...(marks.first?.0 == "confirmed" ? 11 : 10))
    )
    for campaign in campaigns.prefix(Self.most) { table.add(row(campaign) + marks.map { $0.1(campaign) }) }
    let title = "campaigns by cost, with the revenue of window 0 for each unit of cost"
    let rest = campaigns.count - Self.most
    let suspected = campaigns.count { !$0.metrics.suspicions.isEmpty }
    let advice = """
      \(suspected) of \(campaigns.count) campaigns have values that a suspicion concerns. Look at them with postback rejects \
      --signals before you move a budget to them.
      """
    return [rest > 0 ? "\(title); \(rest) more are not listed" : title, table.text(indent: 2)]
      + (suspected == 0 ? [] : [advice])
  }

  /// The rows for the findings: totals and costs that need attention.
  var findings: [(title: String, value: String)] {
    var findings = summary.cost.amounts.sorted { $0.key < $1.key }.map { ("cost in \($0.key)", "\($0.value)") }
    for (currency, amount) in summary.parentCost.amounts.sorted(by: { $0.key < $1.key }) {
      findings.append(("of these, not of all dimensions of the rows, in \(currency)", "\(amount)"))
    }
    let unconverted = summary.unconverted
    if unconverted > 0 { findings.append(("amounts without a rate, in their own currency", "\(unconverted)")) }
    if summary.changesObstacle == nil {
      findings.append(("changes since the earlier report", "\(summary.changes.values.reduce(0, +))"))
    }
    return findings
  }

  private func row(_ campaign: CampaignTotals) -> [String] {
    let ratios = campaign.ratios
    let cost = campaign.singleCost.map { "\($0.cost.hundredths) \($0.currency)" } ?? "several currencies"
    // Without a limit, the greatest ratio is at least the estimated one.
    let closed = max(ratios.roas ?? .zero, ratios.roasMaxClosed ?? .zero)
    let most = ratios.roasMax?.hundredths ?? (ratios.roas == nil ? "" : "\(closed.hundredths) or more")
    return [
      campaign.key.network ?? "", campaign.key.campaign ?? "", campaign.name ?? "", cost,
      "\(campaign.metrics.installs)", ratios.ecpi?.hundredths ?? "", "\(campaign.metrics.values)",
      ratios.roas?.hundredths ?? "", ratios.roasMin?.hundredths ?? "", most, ratios.roasScaled?.hundredths ?? "",
    ]
  }
}

extension DailyCostAnswer {
  /// The parties whose alarms concern values of a campaign.
  private func suspicions(_ campaign: CampaignTotals) -> String {
    let parties = campaign.metrics.suspicions.map { $0.split(separator: " of ", maxSplits: 1).last ?? "" }
    return Set(parties).sorted().joined(separator: "; ")
  }

  /// The revenue of values that devices confirm, beside all of it.
  private func confirmed(_ campaign: CampaignTotals) -> String {
    guard campaign.metrics.settled > 0 else { return "" }
    return campaign.metrics.revenue.sorted { $0.key < $1.key }.map { currency, revenue in
      "\(revenue.confirmed.hundredths) of \(revenue.estimate.hundredths) \(currency)"
    }.joined(separator: ", ")
  }
}

extension Amount {
  /// The amount with two fraction digits, rounded half to even.
  fileprivate var hundredths: String {
    let (whole, rest) = roundedHundredths.magnitude.quotientAndRemainder(dividingBy: 100)
    return "\(roundedHundredths < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
