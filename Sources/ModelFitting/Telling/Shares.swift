/// The assumptions about postbacks.
package struct Assumptions: Sendable {
  /// The shares of postbacks of data tiers 0 to 3.
  package var tiers: [Double] = [0.25, 0.25, 0.25, 0.25]
  /// The installs of a campaign whose revenue is to be known.
  package var campaignInstalls = 1000
  /// The number of folds of users.
  package var folds = 5
  /// The seed of folds, intervals and drawn campaigns.
  package var seed: UInt64 = 1
  /// The price of a day, in the currency of the revenue, for the data of a campaign.
  package var dayWorth = 0.0
  /// The pairs of campaigns that are drawn for the error of ranks.
  package var pairs = 2000

  package init() {}

  /// The share of postbacks of each kind of value.
  func share(_ kind: ToldKind) -> Double {
    switch kind {
    case .nothing: tiers[0]
    case .coarse: tiers[1]
    case .fine: tiers[2] + tiers[3]
    }
  }
}

/// The kinds of values that a postback of the first window has.
enum ToldKind: Int, CaseIterable, Sendable {
  case nothing, coarse, fine
}
