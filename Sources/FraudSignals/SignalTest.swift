package import ConversionModel
package import LookupTables
package import Statistics

/// The kinds of tests, by what a small p-value tells.
package enum SignalKind: String, Sendable {
  /// Something is wrong that audiences, apps and countries do not explain.
  case suspicion
  /// A party differs from others, or from its own past. That need not be wrong.
  case difference
}

/// The comparisons that a test can rest on.
package enum SignalBasis: String, CaseIterable, Sendable {
  /// The copies of one postback.
  case copies
  /// The postbacks of one campaign that came through another sender.
  case sameCampaign = "same_campaign"
  /// A rule of Apple's.
  case rule
  /// The countries that a campaign targets.
  case targets
  /// The campaigns of other parties.
  case campaigns
  /// The postbacks of other parties.
  case parties
  /// The same party before.
  case past

  /// The kind of a test on this basis.
  package var kind: SignalKind {
    switch self {
    case .copies, .sameCampaign, .rule, .targets: .suspicion
    case .campaigns, .parties, .past: .difference
    }
  }
}

extension SignalName {
  /// The basis of the test where it compares rates.
  var basisOfRates: SignalBasis {
    switch self {
    case .raisedValues, .raisedRevenue, .loweredValues, .addedValues, .inventedNulls, .changedCountries,
      .deviceCopiesDisagree, .missingForwarded, .withheld, .heldBack, .selfConflicts:
      .copies
    case .impossibleFields, .invalidSignatures, .reusedTransactions, .sharedTransactions: .rule
    case .countries: .targets
    // The customer has written the dates of campaigns, a dump may have come late, and history may have been sent again.
    case .lateCopies, .resends, .unknownCampaigns, .inactiveCampaigns: .parties
    case .fineValues, .coarseValues, .redownloads, .viewThrough: .campaigns
    case .bursts: .past
    }
  }
}

/// The methods of the tests.
package enum SignalMethod: String, Sendable {
  /// A comparison of a party's campaigns with those of all others, with the variance between campaigns.
  case campaigns = "campaign_contrast"
  /// The same comparison among all divisions of the campaigns between the party and the others.
  case permutation = "campaign_permutation"
  /// Likelihood ratios of a party's rate, by day, against that of all others and against the tolerated rate; the lesser
  /// evidence counts.
  case rates = "sequential_rates"
  /// Likelihood ratios of a party's values, by day, among those of the same campaign, window, model and form.
  case strata = "sequential_strata"
  /// A bound for the sum of gains, given the revenue of the devices' values and the others' share (Bentkus).
  case revenue = "revenue_bound"
  /// A step in the values of a party, less those of others, among steps by chance.
  case change = "change_point"
  /// A count of an hour among those of the other days, with their dispersion.
  case counts = "dispersed_counts"

  /// Indicates that the p-value holds on whichever day one looks, and however often.
  package var isValidAtAnyTime: Bool { self == .rates || self == .strata }

  /// The least corrected p-value that the test may claim. What others gain is estimated from few and rare gains, so that the
  /// bound of revenue cannot be trusted to be smaller: 2 of 240 generated sets without a fraud had one below 1 in 1000.
  var leastCorrectedPValue: Double { self == .revenue ? 0.005 : 0 }
}

/// A test of one party's postbacks.
package struct SignalTest: Sendable {
  /// The test.
  package let name: SignalName
  /// The comparison that it rests on.
  package let basis: SignalBasis
  package let method: SignalMethod
  package let party: SignalParty
  /// The advertised app whose postbacks are compared; nil for all apps.
  package var app: String?
  /// The value whose share is compared, such as a country; nil if the test says it.
  package var value: String?
  /// The party's rate, and that of all others: for values, of the highest ones; for changes, after and before the change.
  package let own: Rate
  package let others: Rate
  /// The size of the effect: for rates and shares, the difference of both; for values, by how much the chance that a value of
  /// the party is higher than one of the others exceeds the chance that it is lower.
  package let effect: Double
  /// The numbers of campaigns that were compared; nil if the test compares rates.
  package var campaigns: (own: Int, others: Int)?
  /// The p-value of this test alone.
  package internal(set) var pValue: Double
  /// Indicates that values of one other party were compared, so that either of both may have changed them.
  package var isOfOnePair = false
  /// The p-value, corrected for all tests of its kind (Holm).
  package internal(set) var correctedPValue = 1.0
  /// The days from which on there is more of the property; nil if the test knows none, or the share did not change.
  package var since: SignalOnset?
  /// Indicates that the share was looked at by day, and did not rise or was too high before, so that the property is there in the whole
  /// period.
  package internal(set) var isThroughout = false
  /// The change that was made most often; nil if the test knows none.
  package var change: SignalChange?
  /// The sum by which the forwarded values mean more revenue than the devices' own copies, by currency.
  package var money: [String: Amount] = [:]

  /// The comparison of revenue; nil if the test is not about revenue.
  package internal(set) var revenue: SignalRevenue?
  /// The number of postbacks that the comparison leaves out, because copies of devices contradict each other or may have lost the field, a
  /// value cannot be read or its meaning is not known; nil if the test leaves none out.
  package internal(set) var leftOut: Int?
  /// The least share of any other party with enough records; nil if it does not count.
  var leastOther: Double?
  /// The evidence of each day; nil if the p-value does not hold at any time.
  var course: EvidenceCourse?
  /// The day, since 1970, on which the evidence of an earlier alarm had fallen below its bound; nil if there was no alarm, or
  /// it stands.
  package internal(set) var withdrawnOn: Int32?

  /// The share of a forwarder's postbacks whose copies of devices contradict each other from which on they are reported in any
  /// case, because they are missing in its comparisons.
  package static let largestLeftOutShare = 0.05

  /// The largest corrected p-value of an alarm.
  package static let level = 0.05

  /// The kind of the test.
  package var kind: SignalKind { isOfOnePair ? .difference : basis.kind }

  /// Indicates that the test is a suspicion that raises an alarm.
  package var isAlarm: Bool { kind == .suspicion && isSignificant }

  /// Indicates that the test is significant after the correction, and the rate is at least half as large again as that of the
  /// others, by the last day.
  package var isSignificant: Bool {
    if name == .deviceCopiesDisagree, party.kind == .forwarder, own.share ?? 0 > Self.largestLeftOutShare {
      return true
    }
    guard correctedPValue < Self.level, withdrawnOn == nil else { return false }
    if let revenue { return revenue.isFarAboveOthers }
    return isFarAbove(own, others)
  }

  /// Tells if a rate of the party is at least half as large again as that of the others, if the test is about that. It is enough if
  /// it is so far above what no honest noise is, and above one other party: several may do the same.
  func isFarAbove(_ own: Rate, _ others: Rate) -> Bool {
    guard method == .rates, name.comparesWithOthers, others.total >= SignalRates.leastRecords else { return true }
    guard let own = own.share, let others = others.share, own < 1.5 * others else { return true }
    guard let limit = name.limit, let leastOther else { return false }
    return own >= 1.5 * max(limit, leastOther)
  }
}

/// The day from which on there is more of a property, with the interval that it is in with a chance of 95 %. All days count from
/// 1970.
package struct SignalOnset: Equatable, Sendable {
  package let day, low, high: Int32
  /// Indicates that all records with the property are of this day.
  package var isOnlyDay = false
}

/// A change of a field from the device's own copy to the forwarder's.
package struct SignalChange: Hashable, Sendable {
  /// The field, by the name of its column.
  package let field: String
  /// The device's value, and the forwarder's.
  package let from, to: String
  /// The number of postbacks with the change.
  package var count = 0
}
