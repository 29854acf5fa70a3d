/// The cost of a campaign in a country on a day.
struct CampaignCost: Sendable {
  let cell: CampaignCell
  /// The cost in hundredths of the network's currency.
  let cents: Int
  let impressions: Int
  let clicks: Int
}

extension CampaignTraffic {
  /// Returns the costs of all campaigns whose network reports some, by day, campaign and country.
  ///
  /// The cost follows from the conversions that are to be expected, at a price that differs a little each day.
  func costs(lineCount: Int) -> [CampaignCost] {
    var costs: [CampaignCost] = []
    // A conversion has about two lines.
    let conversionsPerDay = Double(lineCount) / 2 / Double(plan.days)
    for day in 0..<plan.days {
      let cells = plan.campaigns.indices.flatMap { campaign in
        plan.campaigns[campaign].countries.choices.sorted().map {
          CampaignCell(campaign: campaign, country: $0, day: day)
        }
      }
      let volumes = cells.map(plan.volume)
      let total = volumes.reduce(0, +)
      for (cell, volume) in zip(cells, volumes) where volume > 0 {
        let campaign = plan.campaigns[cell.campaign]
        guard plan.networks[campaign.network].currency != nil else { continue }
        let line = (cell.campaign * Audience.countries.count + cell.country) * 4096 + cell.day
        var random = SeededGenerator(seed: seed, line: line, .cost)
        let expected = conversionsPerDay * volume / total
        let cents = expected * Double(campaign.centsPerConversion) * (0.8 + 0.4 * random.fraction())
        let clicks = Int(expected * (5 + 25 * random.fraction())) + 1
        let impressions = clicks * (20 + random.below(60))
        costs.append(CampaignCost(cell: cell, cents: Int(cents) + 1, impressions: impressions, clicks: clicks))
      }
    }
    return costs
  }
}

extension TrueTotals {
  /// Adds the costs of all campaigns.
  package mutating func addCosts(of traffic: CampaignTraffic, lineCount: Int) {
    guard traffic.settings.hasCosts else { return }
    for cost in traffic.costs(lineCount: lineCount) { add(cents: cost.cents, cost.cell, in: traffic) }
  }
}
