/// The kinds of fraud that a dump of campaigns can have. The raw values are those of the option and of the truth.
package enum FraudKind: String, CaseIterable, Sendable {
  /// A fine conversion value is replaced by one that means more revenue.
  case inflateFine = "inflate-fine"
  /// A coarse conversion value of `low` or `medium` is replaced by `high`.
  case inflateCoarse = "inflate-coarse"
  /// A lost attribution is presented as won.
  case flipWin = "flip-win"
  /// A postback is sent again more than 30 days later.
  case replayLate = "replay-late"
  /// The signature of another postback is put on an invented transaction.
  case stealSignature = "steal-signature"
  /// A transaction is invented, with a random signature.
  case fabricate
  /// The country is replaced by `US`.
  case changeCountry = "change-country"
  /// A postback is sent a second time with a higher value.
  case selfConflict = "self-conflict"
  /// A postback is not forwarded.
  case withhold

  /// Indicates that the fraud adds lines, and changes none.
  var addsLines: Bool {
    switch self {
    case .replayLate, .stealSignature, .fabricate, .selfConflict: true
    case .inflateFine, .inflateCoarse, .flipWin, .changeCountry, .withhold: false
    }
  }
}

/// A fraud in the forwarded postbacks of one party, from a time on.
package struct FraudScenario: Sendable {
  /// The party whose forwarded postbacks are affected.
  package enum Culprit: Sendable, Equatable {
    /// The forwarder with this name.
    case forwarder(String)
    /// All forwarders of the ad network with this name or id.
    case network(String)
    /// All forwarders of the advertised app.
    case app(Int64)
  }

  /// The number of the affected postbacks.
  package enum Extent: Sendable {
    /// A share of the postbacks that can be affected, from 0 to 1.
    case share(Double)
    /// A number of postbacks, spread evenly over the dump; fewer where not enough can be affected.
    case postbacks(Int)
  }

  /// The kind.
  package let kind: FraudKind
  /// The party; nil for the forwarder of the first network.
  package let culprit: Culprit?
  /// The number of the affected postbacks.
  package let extent: Extent
  /// The time of receipt from which postbacks are affected, in milliseconds since 1970; nil for all.
  package let since: Int64?

  /// A scenario with these properties.
  package init(_ kind: FraudKind, culprit: Culprit?, extent: Extent, since: Int64?) {
    (self.kind, self.culprit, self.extent, self.since) = (kind, culprit, extent, since)
  }
}

/// The mark of a line that a fraud made, changed or removed.
struct FraudMark: Sendable {
  let kind: FraudKind
  /// The change of a field; nil if the fraud changes none.
  var change: FieldChange?
}

extension CampaignTraffic {
  /// The parties that a fraud can name: the forwarders, the ad networks, and the advertised apps.
  package var parties: (forwarders: [String], networks: [String], apps: [Int64]) {
    var forwarders: [String] = []
    for network in plan.networks where !forwarders.contains(network.forwarder.name) {
      forwarders.append(network.forwarder.name)
    }
    return (forwarders, plan.networks.map(\.name), plan.apps.map(\.id))
  }

  /// Tells if a party is one of the dump.
  package func has(_ culprit: FraudScenario.Culprit) -> Bool {
    switch culprit {
    case .forwarder(let name): parties.forwarders.contains(name)
    case .network(let name): plan.networks.contains { $0.isNamed(name) }
    case .app(let id): parties.apps.contains(id)
    }
  }

  /// Tells if a line is a forwarded postback of the party.
  func isForwarded(_ line: LinePlan, by culprit: FraudScenario.Culprit?) -> Bool {
    guard let arrival = line.arrival, let forwarder = arrival.forwarder, let truth = arrival.truth else { return false }
    let campaign = plan.campaigns[truth.conversion.cell.campaign]
    switch culprit {
    case nil: return forwarder == plan.networks[0].forwarder.name
    case .forwarder(let name): return forwarder == name
    case .network(let name): return plan.networks[campaign.network].isNamed(name)
    case .app(let id): return plan.apps[campaign.app].id == id
    }
  }
}

extension PlannedNetwork {
  fileprivate func isNamed(_ text: String) -> Bool { text == name || text == id || text == id + ".skadnetwork" }
}
