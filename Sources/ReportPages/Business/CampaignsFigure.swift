internal import Answers
internal import ConversionModel
internal import Reporting
internal import PageMarkup

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

  /// The cost, if it is known and above 0.
  var cost: Amount? { sums.unpriced > 0 ? nil : sums.cost.flatMap { $0 > .zero ? $0 : nil } }

  /// The return on ad spend: observed, the least that ranges allow if null postbacks are worth nothing, as in what is observed,
  /// and the most that ranges and the model allow; nil if an amount is in another currency.
  var roas: (observed: Double, low: Double, high: Double)? {
    guard let cost = cost?.approximation, let revenue = sums.revenue, let least = sums.minimum, let most = sums.most,
      sums.others.rows == 0
    else { return nil }
    return (revenue.approximation / cost, least.approximation / cost, most.approximation / cost)
  }

  /// The judgement that the whole range of the return allows.
  var judgement: CampaignJudgement {
    if roas == nil, cost != nil || sums.unpriced > 0 { return .undecided }
    return CampaignJudgement(
      range: roas.map { ($0.low, $0.high) },
      isOpenEnded: sums.isOpenEnded,
      hasCredit: sums.cost.map { $0 < .zero } ?? false,
      hasOtherCost: sums.others.costRows > 0
    )
  }
}

/// The judgement of a campaign: its code is that of the page's JSON. The page's script judges the same for a choice of the
/// filters, and a test holds both to the same results.
enum CampaignJudgement: String, CaseIterable {
  case noCost = "no_cost"
  /// A cost is in another currency than that of the page.
  case otherCurrency = "other_currency"
  /// The cost is below 0, so that there is no return on it.
  case credit
  /// The cost comes back even at the lower limit.
  case above
  /// The cost does not come back even at the upper limit.
  case below
  case undecided

  /// Judges a return on ad spend by its lower and upper limit; nil without a cost above 0 in the currency of the page. Open-ended
  /// ranges have no upper limit.
  init(range: (low: Double, high: Double)?, isOpenEnded: Bool, hasCredit: Bool, hasOtherCost: Bool) {
    self =
      if let range {
        range.low >= 1 ? .above : range.high < 1 && !isOpenEnded ? .below : .undecided
      } else {
        hasOtherCost ? .otherCurrency : hasCredit ? .credit : .noCost
      }
  }

  /// The judgement in the table.
  var words: String {
    switch self {
    case .noCost: "no cost"
    case .otherCurrency: "cost in another currency"
    case .credit: "credits exceed costs"
    case .above: "above 1"
    case .below: "below 1"
    case .undecided: "undecided"
    }
  }
}

extension BusinessSection {
  /// The campaigns with the largest cost first, and those without a cost by their installs.
  var campaigns: [CampaignLine] {
    business.sums { [$0.network, $0.campaign] }
      .map { key, sums in
        CampaignLine(
          network: key[0],
          campaign: key[1],
          name: business.campaignNames[key],
          sums: sums.withoutForeignZeros
        )
      }
      .sorted { one, other in
        let (left, right) = (one.sums.cost ?? .zero, other.sums.cost ?? .zero)
        if left != right { return left > right }
        return (other.sums.installs, one.label) < (one.sums.installs, other.label)
      }
  }

  private static let shown = 16

  /// Indicates that the daily report has costs, also if they are 0 or in another currency.
  var hasCosts: Bool {
    let total = business.total
    return total.cost != nil || total.hasCost
  }

  /// The return on ad spend of the campaigns with the largest cost, the highest return first.
  var campaignsFigure: HTML {
    let campaigns = campaigns
    let priced = campaigns.count { $0.cost != nil }
    guard priced > 0 else {
      let reason: HTML =
        hasCosts
        ? "No campaign has a cost above 0 in the currency of the page, so that there is no return on one."
        : """
        No costs are known, so that there is no return on them. Give a file of costs: <code>postback daily OUT --lookups DIR \
        --cost FILE</code>
        """
      return """
        <figure id="campaigns" class="wide"><figcaption>Campaigns</figcaption><p class="note">\(reason)</p>\
        \(Self.table(campaigns))</figure>
        """
    }
    let drawn = campaigns.count { $0.roas != nil }
    let more =
      drawn > Self.shown
      ? " Of the \(drawn) with a return at most the \(Self.shown) with the largest cost are drawn." : ""
    return Figure(
      title: "Campaigns by their return",
      id: "campaigns",
      chart: .campaigns,
      isWide: true,
      description: """
        A dot is the revenue of the first window that was observed, divided by the cost. The line goes from the least that the \
        ranges of the values allow, with nothing for null postbacks, to the most that they and the interval for null postbacks \
        allow. The broken line is the return of all campaigns shown. ⚠ marks campaigns whose values a suspicion concerns: look at it \
        before you move a budget to them. Confirmed is the revenue of values that devices confirm. The return of all windows grows until a day is 51 days old and the last \
        postbacks of window 2 have come. The cost of a campaign is all that names it, whether the file of costs divides it by \
        app, country and the like or not.\(more)
        """,
      numbers: Self.table(campaigns)
    ).html
  }

  private static func table(_ campaigns: [CampaignLine]) -> HTML {
    HTML.longTable(
      "Campaigns, the largest cost first",
      [
        "campaign", "id", "cost", "installs", "cost of an install", "revenue", "return", "from", "to",
        "return of all windows",
        "nulls", "judgement", "confirmed revenue", "suspicions",
      ],
      campaigns
    ) { line, table in
      let (sums, cost) = (line.sums, line.cost?.approximation)
      func ratio(_ value: Double?) -> NumberTable.Cell { .amount(value.map(Numbers.ratio) ?? "") }
      let perInstall = sums.installs > 0 && sums.others.costRows == 0 ? cost.map { $0 / Double(sums.installs) } : nil
      table.add(
        line.label,
        .time(line.campaign ?? ""),
        .amount((sums.unpriced > 0 ? nil : sums.cost).map(Numbers.plain) ?? ""),
        .number(sums.installs),
        ratio(perInstall),
        .amount(sums.revenue.map(Numbers.plain) ?? ""),
        ratio(line.roas?.observed),
        ratio(line.roas?.low),
        .amount(line.roas.map { sums.isOpenEnded ? "open" : Numbers.ratio($0.high) } ?? ""),
        ratio(sums.others.rows > 0 ? nil : cost.flatMap { cost in sums.allWindows.map { $0.approximation / cost } }),
        .share(sums.nulls, of: sums.nulls + sums.values),
        .text(line.judgement.words),
        .amount(sums.confirmedOfAll.map(Numbers.plain) ?? ""),
        .text(line.suspicions)
      )
    }
  }
}
