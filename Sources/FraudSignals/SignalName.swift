internal import Base

/// The tests of signals. The raw values are the names in output.
package enum SignalName: String, CaseIterable, Sendable {
  /// The fine conversion values of a party are higher than those of others, or than before.
  case fineValues = "fine_values"
  /// The coarse conversion values of a party are higher than those of others, or than before, over all windows.
  case coarseValues = "coarse_values"
  /// More of a party's postbacks are redownloads.
  case redownloads
  /// More of a party's postbacks are of views, not of clicks.
  case viewThrough = "view_through"
  /// More of a party's postbacks are of one country, or of countries that the campaign does not target.
  case countries
  /// More of a network's postbacks came from devices alone, without the copy that it should forward.
  case missingForwarded = "missing_forwarded"
  /// The devices' values of the postbacks that a network did not forward differ from those that it forwarded.
  case withheld
  /// A forwarder's first copy comes long after another sender's of the same postback.
  case heldBack = "held_back"
  /// A forwarder's copies have higher values than the devices' own copies of the same postbacks.
  case raisedValues = "raised_values"
  /// A forwarder's values mean more revenue than the devices' own copies of the same postbacks.
  case raisedRevenue = "raised_revenue"
  /// A forwarder's copies have lower values than the devices' own copies of the same postbacks, or none.
  case loweredValues = "lowered_values"
  /// A forwarder's copies have values where the devices' own copies of the same postbacks have none of either kind.
  case addedValues = "added_values"
  /// More of a party's postbacks have no conversion value.
  case inventedNulls = "invented_nulls"
  /// A forwarder's copies have other countries than the devices' own copies of the same postbacks.
  case changedCountries = "changed_countries"
  /// Copies of a postback that came as a device's own contradict each other.
  case deviceCopiesDisagree = "device_copies_disagree"
  /// Accepted postbacks have fields that Apple's data tiers rule out.
  case impossibleFields = "impossible_fields"
  /// A forwarder sends a postback again with other values.
  case selfConflicts = "self_conflicts"
  /// Copies come long after the forwarder's own first one.
  case lateCopies = "late_copies"
  /// A forwarder sends the same postback again.
  case resends
  /// More postbacks of one campaign come in an hour than on its other days.
  case bursts
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

  /// The share of records with the property that is no reason for an alarm, whatever the others' share is.
  package var tolerance: Double {
    switch self {
    case .lateCopies, .sharedTransactions, .heldBack: 0.002
    case .impossibleFields, .selfConflicts: 0.005
    case .raisedValues, .raisedRevenue, .loweredValues, .addedValues, .inventedNulls, .changedCountries,
      .deviceCopiesDisagree, .invalidSignatures:
      0.01
    case .reusedTransactions: 0.02
    case .resends, .unknownCampaigns, .inactiveCampaigns, .countries, .missingForwarded: 0.05
    case .fineValues, .coarseValues, .redownloads, .viewThrough, .withheld, .bursts: 0
    }
  }

  /// The tolerated share of a party that can be compared with no other, so that it is not known what is usual.
  ///
  /// The usual losses of a network are only known from others, so that alone it is never an alarm.
  package var toleranceAlone: Double {
    guard comparesWithOthers else { return tolerance }
    return self == .missingForwarded ? 1 : limit ?? max(tolerance, 0.05)
  }

  /// The share of postbacks in which a forwarder's copy may differ from the device's that is too large for honest noise, even if
  /// some others have as much; nil for other tests. Honest forwarders change up to 3 %.
  var limit: Double? { leavesOut ? 0.04 : nil }

  /// Indicates that the party is responsible for the property. Whoever posts as a device is not known.
  package var isAboutParty: Bool { self != .deviceCopiesDisagree }

  /// Indicates that the others' rate tells what is usual. What strangers post to one party tells nothing about another, and
  /// a copy is held back by the forwarder's own usual delay. What others' delays tell is tolerated of it.
  var comparesWithOthers: Bool { self != .deviceCopiesDisagree && self != .heldBack }

  /// The number of days on which a part of a party may have failed without a gap in all that it forwards, and without which
  /// the evidence must hold, too. Delays have no outages of a network in them, so that one day is enough for them.
  var outageDays: Int {
    switch self {
    case .missingForwarded: 2
    case .heldBack: 1
    default: 0
    }
  }

  /// The longest time in days in which a part of a party may have failed, if nearly all that is missing is of this time.
  var longestPartOutage: Int32 { self == .missingForwarded ? 14 : 0 }

  /// Indicates that the test leaves out postbacks whose copies of devices contradict each other, cannot be read, or never have the
  /// field.
  var leavesOut: Bool {
    switch self {
    case .raisedValues, .loweredValues, .addedValues, .inventedNulls, .changedCountries, .raisedRevenue: true
    default: false
    }
  }
}

extension SignalName {
  // Several rates of each postback are found by a name.
  package func hash(into hasher: inout Hasher) { hasher.combine(case: self) }
}
