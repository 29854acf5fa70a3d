internal import Base
internal import ConversionModel

/// A postback of a conversion, and the copies in which it arrives.
struct SentPostback: Sendable {
  let conversion: Conversion
  let window: Int
  /// The postback as Apple sends it.
  let draft: PostbackDraft
  /// The copies in the order of their arrival; at least one.
  let copies: [GeneratedCopy]
}

/// A copy of a postback as it arrives.
struct GeneratedCopy: Sendable {
  /// The time of receipt, in milliseconds since 1970.
  let receivedAt: Int64
  /// The forwarder; nil if the device sent the copy.
  let forwarder: GeneratedForwarder?
  /// The conversion value in the copy.
  let value: SentValue
  /// The change that the forwarder made to the conversion value; nil if it made none.
  let edit: ForwarderEdit?
}

/// A change that a forwarder makes to a conversion value. The raw values are those of the truth file.
enum ForwarderEdit: String, Sendable {
  case changed, dropped, added
  case zeroForNull = "zero_for_null"
}

extension CampaignTraffic {
  /// Draws the postbacks of a conversion with their copies. If `isSingle` is true, there is one copy.
  func postbacks(
    of conversion: Conversion,
    isSingle: Bool,
    _ random: inout SeededGenerator
  ) -> [SentPostback] {
    (0...2).filter(conversion.sends).compactMap { window in
      let draft = conversion.draft(window: window, plan, &random)
      let sentAt = conversion.sendingTime(window: window, &random)
      let copies = copies(of: draft, conversion, window: window, sentAt: sentAt, isSingle: isSingle, &random)
      guard !copies.isEmpty else { return nil }
      return SentPostback(conversion: conversion, window: window, draft: draft, copies: copies)
    }
  }

  /// Draws the copies. Of the wins of apps whose releases send copies, a tenth arrives from the device alone, and a third
  /// through a forwarder alone.
  private func copies(
    of draft: PostbackDraft,
    _ conversion: Conversion,
    window: Int,
    sentAt: Int64,
    isSingle: Bool,
    _ random: inout SeededGenerator
  ) -> [GeneratedCopy] {
    let campaign = plan.campaigns[conversion.cell.campaign]
    let way = sendsCopies(conversion, campaign, at: sentAt) ? settings.world.hasBothCopies ? 50 : random.below(100) : 99
    var copies: [GeneratedCopy] = []
    if way < 65 {
      // Some copies of devices are repeated hours later, and arrive after those of forwarders.
      let isLate = random.chance(ofHundred: 20)
      let delay = isLate ? random.integer(in: 25_200_000...72_000_000) : random.integer(in: 100...50_000)
      copies.append(GeneratedCopy(receivedAt: sentAt + delay, forwarder: nil, value: draft.sentValue, edit: nil))
      if isSingle { return copies }
    }
    if way >= 10 {
      let network = plan.networks[campaign.network]
      for forwarder in [network.forwarder, network.partner].compactMap({ $0 }) {
        let (value, edit) = edited(draft.sentValue, conversion, window: window, network, &random)
        let ways = settings.world.forwarding(of: campaign.network) ?? World.Forwarding(network: campaign.network)
        guard let time = forwardingTime(ways, sentAt: sentAt, &random) else { continue }
        copies.append(GeneratedCopy(receivedAt: time, forwarder: forwarder, value: value, edit: edit))
        if isSingle { return copies }
        guard ways.resends > 0, random.fraction() < ways.resends else { continue }
        // Within two days.
        for _ in 0...random.below(World.mostResends) {
          let again = time + random.integer(in: 60_000...172_800_000)
          copies.append(GeneratedCopy(receivedAt: again, forwarder: forwarder, value: value, edit: edit))
        }
      }
    }
    return copies.sorted { $0.receivedAt < $1.receivedAt }
  }

  /// Tells if the device sends copies of a conversion's postbacks to the developer.
  private func sendsCopies(_ conversion: Conversion, _ campaign: PlannedCampaign, at time: Int64) -> Bool {
    let copiesSince = plan.apps[campaign.app].directCopiesSince ?? .max
    guard conversion.isWin, Timestamp(milliseconds: time).daysSince1970 >= copiesSince else { return false }
    return switch settings.world.deviceCopies {
    case .someApps, .all, .none: true
    case .networks(let networks): networks.contains(campaign.network)
    case .laterVersions: conversion.format.hasWindows
    }
  }

  /// Draws the time at which a forwarder's copy arrives; nil if it sends none.
  private func forwardingTime(
    _ ways: World.Forwarding,
    sentAt: Int64,
    _ random: inout SeededGenerator
  ) -> Int64? {
    let time = sentAt + random.integer(in: ways.delay.lowerBound * 60_000...ways.delay.upperBound * 60_000)
    if time < start(ofDay: ways.firstDay) { return nil }
    guard time >= start(ofDay: ways.outage.lowerBound), time < start(ofDay: ways.outage.upperBound) else { return time }
    return ways.losesOutage ? nil : start(ofDay: ways.outage.upperBound) + random.integer(in: 60_000...21_600_000)
  }

  /// Draws the value that a forwarder hands on.
  private func edited(
    _ value: SentValue,
    _ conversion: Conversion,
    window: Int,
    _ network: PlannedNetwork,
    _ random: inout SeededGenerator
  ) -> (SentValue, ForwarderEdit?) {
    let isEdited = random.fraction() < settings.forwarderEdits
    let choice = random.below(4)
    guard conversion.isWin, conversion.format.hasConversionValue else { return (value, nil) }
    let campaign = plan.campaigns[conversion.cell.campaign]
    let values = values(app: campaign.app, at: conversion.time, conversion.kind)[window]
    if value.isNull {
      guard window == 0 else { return (value, nil) }
      if network.writesNullAsZero || isEdited && choice == 0 { return (SentValue(fine: 0), .zeroForNull) }
      guard isEdited, let fine = values?.otherFine(than: 0, &random) else { return (value, nil) }
      return (SentValue(fine: fine), .added)
    }
    guard isEdited else { return (value, nil) }
    if choice == 0 { return (SentValue(), .dropped) }
    if let fine = value.fine {
      guard let other = values?.otherFine(than: fine, &random) else { return (value, nil) }
      return (SentValue(fine: other), .changed)
    }
    let others = CoarseValue.allCases.filter { $0 != value.coarse }
    return (SentValue(coarse: random.pick(others)), .changed)
  }
}
