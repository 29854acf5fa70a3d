package import ConversionModel

/// The tests of signals. The raw values are the names in output.
package enum SignalName: String, CaseIterable, Sendable {
  /// The fine conversion values of a party's campaigns are higher than those of others.
  case fineValues = "fine_values"
  /// The coarse conversion values of a party's campaigns are higher than those of others, over all windows.
  case coarseValues = "coarse_values"
  /// More of a party's postbacks are redownloads.
  case redownloads
  /// More of a party's postbacks are of one country.
  case countries
  /// More of a network's postbacks came from devices alone, without the copy that it should forward.
  case missingForwarded = "missing_forwarded"
  /// A forwarder's copies have higher values than the devices' own copies of the same postbacks.
  case raisedValues = "raised_values"
  /// A forwarder's values mean more revenue than the devices' own copies of the same postbacks.
  case raisedRevenue = "raised_revenue"
  /// A forwarder's copies have lower values than the devices' own copies of the same postbacks, or none.
  case loweredValues = "lowered_values"
  /// A forwarder's copies have values where the devices' own copies of the same postbacks have none.
  case addedValues = "added_values"
  /// A forwarder's copies have other countries than the devices' own copies of the same postbacks.
  case changedCountries = "changed_countries"
  /// Copies of a postback that came as a device's own contradict each other.
  case deviceCopiesDisagree = "device_copies_disagree"
  /// Accepted postbacks have fields that Apple's data tiers rule out.
  case impossibleFields = "impossible_fields"
  /// A forwarder sends a postback again with other values.
  case selfConflicts = "self_conflicts"
  /// Copies come after Apple's last retry.
  case lateCopies = "late_copies"
  /// A forwarder sends the same postback again.
  case resends
  /// No trusted key signed what a forwarder sent.
  case invalidSignatures = "invalid_signatures"
  /// Postbacks have the transaction of another postback.
  case reusedTransactions = "reused_transactions"
  /// Several networks won the same transaction.
  case sharedTransactions = "shared_transactions"
  /// The lookup tables do not have the campaign.
  case unknownCampaigns = "unknown_campaigns"
  /// The campaign did not run at the time of the impression.
  case inactiveCampaigns = "inactive_campaigns"

  /// The method of the test.
  package var method: SignalMethod {
    switch self {
    case .fineValues, .coarseValues, .redownloads, .countries, .missingForwarded: .campaigns
    case .raisedRevenue: .revenue
    default: .rates
    }
  }

  /// The share of records with the property that is no reason for an alarm, whatever the others' share is.
  var tolerance: Double {
    switch self {
    case .lateCopies, .sharedTransactions: 0.002
    case .impossibleFields, .selfConflicts: 0.005
    case .raisedValues, .raisedRevenue, .loweredValues, .addedValues, .changedCountries, .deviceCopiesDisagree,
      .invalidSignatures:
      0.01
    case .reusedTransactions: 0.02
    case .resends, .unknownCampaigns, .inactiveCampaigns: 0.05
    case .fineValues, .coarseValues, .redownloads, .countries, .missingForwarded: 0
    }
  }

  /// Indicates that the party is responsible for the property. Whoever posts as a device is not known.
  package var isAboutParty: Bool { self != .deviceCopiesDisagree }

  /// Indicates that the others' rate tells what is usual. What strangers post to one party tells nothing about another.
  var comparesWithOthers: Bool { self != .deviceCopiesDisagree }

  /// Indicates that the test leaves out postbacks whose copies of devices contradict each other, or cannot be read.
  var leavesOut: Bool {
    switch self {
    case .raisedValues, .loweredValues, .addedValues, .changedCountries, .raisedRevenue: true
    default: false
    }
  }
}

/// The methods of the tests.
package enum SignalMethod: String, Sendable {
  /// A comparison of a party's campaigns with those of all others, with the variance between campaigns.
  case campaigns = "campaign_contrast"
  /// A comparison of a party's rate with that of all others (Fisher), and with the tolerated rate (binomial); the larger
  /// p-value counts.
  case rates = "exact_rates"
  /// A bound for the sum of gains, given the revenue of the devices' values and the others' share (Bentkus).
  case revenue = "revenue_bound"
}

/// A party whose postbacks are compared with those of all others.
package struct SignalParty: Hashable, Comparable, Sendable {
  /// The kinds of parties.
  package enum Kind: String, CaseIterable, Sendable {
    case forwarder, network, app
  }

  /// The kind.
  package let kind: Kind
  /// The name of the forwarder, the id of the network, or the id of the app.
  package let name: String

  package static func < (left: Self, right: Self) -> Bool {
    (left.kind.rawValue, left.name) < (right.kind.rawValue, right.name)
  }
}

/// A test of one party's postbacks against those of all others.
package struct SignalTest: Sendable {
  /// The test.
  package let name: SignalName
  /// The party.
  package let party: SignalParty
  /// The advertised app whose postbacks are compared; nil for all apps.
  package let app: String?
  /// The value whose share is compared, such as a country; nil if the test says it.
  package let value: String?
  /// The party's rate, and that of all others: for values, of the highest ones.
  package let own: Rate
  package let others: Rate
  /// The size of the effect: for rates and shares, the difference of both; for values, by how much the chance that a value of
  /// the party is higher than one of the others exceeds the chance that it is lower.
  package let effect: Double
  /// The numbers of campaigns that were compared; nil if the test compares rates.
  package let campaigns: (own: Int, others: Int)?
  /// The p-value of this test alone.
  package let pValue: Double
  /// The p-value, corrected for all tests (Holm).
  package internal(set) var correctedPValue = 1.0
  /// The time of receipt of the first record with the property; nil if the test compares campaigns, or it is not known.
  package var since: Int64?
  /// The change that was made most often; nil if the test knows none.
  package var change: SignalChange?
  /// The sum by which the forwarded values mean more revenue than the devices' own copies, by currency.
  package var money: [String: Amount] = [:]

  /// The comparison of revenue; nil if the test is not about revenue.
  package internal(set) var revenue: SignalRevenue?
  /// The number of postbacks that the comparison leaves out, because copies of devices contradict each other, a value cannot
  /// be read or its meaning is not known; nil if the test leaves none out.
  package internal(set) var leftOut: Int?

  /// The share of a forwarder's postbacks whose copies of devices contradict each other from which on they are reported in any
  /// case, because they are missing in its comparisons.
  package static let largestLeftOutShare = 0.05

  /// The largest corrected p-value of an alarm.
  package static let level = 0.05

  /// Indicates that the test raises an alarm: it is significant after the correction, and the rate is at least half as
  /// large again as that of the others.
  package var isAlarm: Bool {
    if name == .deviceCopiesDisagree, party.kind == .forwarder, own.share ?? 0 > Self.largestLeftOutShare {
      return true
    }
    guard correctedPValue < Self.level else { return false }
    if let revenue { return revenue.isFarAboveOthers }
    guard name.comparesWithOthers else { return true }
    guard name.method == .rates, let own = own.share, let others = others.share else { return true }
    return own >= 1.5 * others
  }
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
