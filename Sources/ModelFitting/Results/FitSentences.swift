extension Estimate {
  /// The limits of the interval: `1.2 to 3.4`.
  package var intervalText: String { "\(RoundedText.significant(low)) to \(RoundedText.significant(high))" }

  /// The limits of the interval as shares.
  package var percentIntervalText: String { "\(RoundedText.percent(low)) to \(RoundedText.percent(high))" }
}

extension FitReport {
  /// The distinct amounts of revenue in the first window.
  var amounts: AmountCounts {
    AmountCounts(population.revenue[0]) { population.weights[0][$0] }
  }

  /// The assumptions of all numbers, as sentences.
  package var assumptionSentences: [String] {
    let shares = assumptions.tiers.map { "\(RoundedText.short($0 * 100)) %" }
    let aim =
      switch objective {
      case .squared: "the squared error of the revenue of campaigns"
      case .rank:
        "the share of pairs of campaigns in the wrong order, among the fits for the revenue to the power of "
          + "\(ModelFit.powers.map(RoundedText.short).joined(separator: ", ")); "
          + "\(RoundedText.short(power)) is chosen"
      }
    return [
      "Fitted for \(aim).",
      "Assumed: campaigns of \(assumptions.campaignInstalls) independent installs, like those of the events; data tiers 0 to 3 "
        + "for \(shares.joined(separator: ", ")) of the postbacks. Tier 0 has no value, tier 1 a coarse one, tiers 2 and 3 a "
        + "fine one; windows 1 and 2 have coarse values from tier 1 on. A postback without a value counts as the mean.",
      "Errors are of users in \(assumptions.folds) folds, each by values learnt from the others. Intervals are of 95 % if users "
        + "to come pay like those that were seen, also the largest amounts: of errors by \(GroupSamples.count) samples of groups "
        + "of users, of orders by \(assumptions.pairs) pairs of drawn campaigns.",
    ]
  }

  /// The largest user's share of the squared error from which on the interval is said to be too narrow.
  private static let largeUserShare = 0.1
  /// The paying users below which it is.
  private static let fewPayers = 50
  /// The multiple of a campaign's installs below which the part of the error is named that comes from learning.
  private static let fewCampaigns = 10

  /// The reasons for which the error of the fitted model is uncertain, as sentences.
  package var cautionSentences: [String] {
    guard let fitted = errors.first else { return [] }
    var sentences: [String] = []
    let installs = population.installs(windows.count - 1)
    if installs < Self.fewCampaigns * assumptions.campaignInstalls {
      sentences.append(
        "The fitted values are worth the means of \(installs) installs, which are few beside the \(assumptions.campaignInstalls) "
          + "of a campaign. The error has a part of \(RoundedText.significant(fitted.parts.learning.squareRoot())) "
          + "\(population.currency) from that (squares of parts add up). It has the same sign in all campaigns, and only more "
          + "installs lower it."
      )
    }
    let payers = population.payersOfAnyWindow
    var reasons: [String] = []
    if fitted.largestUserShare >= Self.largeUserShare {
      reasons.append("one user has \(RoundedText.percent(fitted.largestUserShare)) of the squared error")
    }
    if payers < Self.fewPayers { reasons.append("only \(payers == 1 ? "1 user" : "\(payers) users") paid") }
    if !reasons.isEmpty {
      sentences.append(
        "The error is probably too low, and its interval too narrow, because \(reasons.joined(separator: ", and ")). Both know "
          + "only payments that were seen, and larger ones of users to come would raise them."
      )
    }
    return sentences
  }

  /// The reason for the chosen locks.
  package var lockSentence: String {
    guard assumptions.dayWorth > 0 else {
      return
        "Without --day-worth no window is locked, because a lock only loses revenue that comes after it. A lock is worth it "
        + "where a day of earlier data of a campaign is worth more than the last column says."
    }
    return "A day of earlier data of a campaign is worth \(RoundedText.short(assumptions.dayWorth)) "
      + "\(population.currency), so the lock is chosen whose days are worth most above the error that it adds."
  }

  /// The rows and users that are left out, as sentences.
  package var leftOutSentences: [String] {
    let left = population.leftOut
    var sentences: [String] = []
    func add(_ count: Int, _ one: String, _ many: String) {
      if count > 0 { sentences.append(count == 1 ? "1 \(one)." : "\(count) \(many).") }
    }
    let first = left.firstBadRow.map { "; the first is \($0)" } ?? ""
    let noDot = first.hasSuffix(".") ? String(first.dropLast()) : first
    add(
      left.badRows,
      "row is left out, because it cannot be read\(noDot)",
      "rows are left out, because they cannot be read\(noDot)"
    )
    add(left.otherAppRows, "row is of another app", "rows are of other apps")
    add(
      left.otherCurrencyUsers,
      "user is left out, with revenue in another currency than \(population.currency)",
      "users are left out, with revenue in another currency than \(population.currency)"
    )
    add(
      left.earlierUsers,
      "user is left out, who installed the app more than a day before the first row",
      "users are left out, who installed the app more than a day before the first row"
    )
    add(
      left.unfinishedUsers,
      "user is left out, whose first 48 hours had not ended at the last row",
      "users are left out, whose first 48 hours had not ended at the last row"
    )
    if left.refundedWindows > 0 {
      let amount = RoundedText.significant(Double(-left.refundedMillionths) / millionths)
      sentences.append(
        "Refunds exceed the revenue of a user in \(left.refundedWindows) windows, by \(amount) \(population.currency) "
          + "together; they count as 0."
      )
    }
    return sentences
  }
}
