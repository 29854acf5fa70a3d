internal import Base

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
  /// A conversion value without revenue is left out.
  case dropLow = "drop-low"
  /// A fine conversion value is replaced by 0.
  case zeroValues = "zero-values"
  /// Any conversion value is left out.
  case inventNulls = "invent-nulls"
  /// A postback of window 0 is forwarded some days later.
  case holdBack = "hold-back"
  /// Somebody else sends a copy as of the device, with a lower value than the forwarder's.
  case frame
  /// A forwarder raises a value, and sends a copy as of the device with the raised value first.
  case hide

  /// Indicates that the fraud adds lines.
  var addsLines: Bool {
    switch self {
    case .replayLate, .stealSignature, .fabricate, .selfConflict, .frame, .hide: true
    case .inflateFine, .inflateCoarse, .flipWin, .changeCountry, .withhold, .dropLow, .zeroValues, .inventNulls,
      .holdBack:
      false
    }
  }

  /// Indicates that the fraud changes, delays or removes lines.
  var changesLines: Bool { !addsLines || self == .hide }
}

/// A fraud in the forwarded postbacks of one party.
package struct FraudScenario: Sendable {
  /// The forwarded postbacks that can be affected: those that have all of these properties.
  package struct Target: Sendable {
    /// The names of the forwarders, who act together; empty for all of them.
    package var forwarders: [String] = []
    /// The name or the id of the ad network; nil for all.
    package var network: String?
    /// The advertised app; nil for all.
    package var app: Int64?
    /// The campaign; nil for all.
    package var campaign: String?
    /// The first time of receipt, in milliseconds since 1970; nil for all.
    package var since: Int64?
    /// The time of receipt from which on none are affected, in milliseconds since 1970; nil for all.
    package var until: Int64?

    /// All forwarded postbacks.
    package init() {}
  }

  /// The number of the affected postbacks.
  package enum Extent: Sendable {
    /// A share of the postbacks that can be affected, from 0 to 1.
    case share(Double)
    /// A number of postbacks, spread evenly over the dump; fewer where not enough can be affected.
    case postbacks(Int)
  }

  package let kind: FraudKind
  /// The postbacks; without any party those of the forwarder of the first network.
  package let target: Target
  /// The number of the affected postbacks.
  package let extent: Extent
  /// The number by which fine values are raised; nil for any higher value.
  package let step: Int?

  /// A scenario with these properties.
  package init(_ kind: FraudKind, target: Target, extent: Extent, step: Int? = nil) {
    (self.kind, self.target, self.extent, self.step) = (kind, target, extent, step)
  }
}

/// The mark of a line that a fraud made, changed or removed.
struct FraudMark: Sendable {
  let kind: FraudKind
  /// The change of a field; nil if the fraud changes none.
  var change: FieldChange?
}

extension CampaignTraffic {
  /// Returns the properties of a target that no postback of the dump has, each with those that it may have.
  package func unknown(in target: FraudScenario.Target) -> [(property: String, known: [String])] {
    var unknown: [(property: String, known: [String])] = []
    let forwarders = plan.networks.flatMap { [$0.forwarder.name, $0.partner?.name].compactMap { $0 } }
    let known = forwarders.indices.filter { !forwarders[..<$0].contains(forwarders[$0]) }.map { forwarders[$0] }
    for name in target.forwarders where !known.contains(name) { unknown.append(("forwarder \(name)", known)) }
    if let name = target.network, !plan.networks.contains(where: { $0.isNamed(name) }) {
      unknown.append(("network \(name)", plan.networks.map(\.name)))
    }
    if let id = target.app, !plan.apps.contains(where: { $0.id == id }) {
      unknown.append(("app \(id)", plan.apps.map { "\($0.id)" }))
    }
    if let id = target.campaign, !plan.campaigns.contains(where: { $0.id == id }) {
      unknown.append(("campaign \(id)", ["\(plan.campaigns[0].id) and those after it"]))
    }
    return unknown
  }

  /// Tells if a line is one of the target.
  func isForwarded(_ line: LinePlan, of target: FraudScenario.Target) -> Bool {
    guard let arrival = line.arrival, let forwarder = arrival.forwarder, let truth = arrival.truth else { return false }
    let campaign = plan.campaigns[truth.conversion.cell.campaign]
    let time = arrival.receivedAt.milliseconds
    guard time >= target.since ?? .min, time < target.until ?? .max else { return false }
    let namesNobody = target.forwarders.isEmpty && target.network == nil && target.app == nil && target.campaign == nil
    if namesNobody { return forwarder == plan.networks[0].forwarder.name }
    return (target.forwarders.isEmpty || target.forwarders.contains(forwarder))
      && target.network.map(plan.networks[campaign.network].isNamed) ?? true
      && target.app.map { $0 == plan.apps[campaign.app].id } ?? true
      && target.campaign.map { $0 == campaign.id } ?? true
  }
}

extension PlannedNetwork {
  fileprivate func isNamed(_ text: String) -> Bool { text == name || text == id || text == id + ".skadnetwork" }
}
