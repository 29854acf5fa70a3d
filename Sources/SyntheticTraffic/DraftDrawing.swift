internal import SKAdNetwork

extension Mix {
  /// Draws a postback of that format as Apple could have sent it, with no field that Apple's data tiers exclude.
  func draft(_ format: PostbackFormat, _ audience: Audience, _ random: inout SeededGenerator) -> PostbackDraft {
    var draft = PostbackDraft(format)
    draft[format.adNetwork] = .text(audience.network(format, &random))
    draft[format.app] = .integer(random.pick(audience.apps))
    draft[format.transaction] = .text(random.transactionID())
    addConversion(to: &draft, &random)
    if format.hasWindows {
      addWindow(to: &draft, audience, &random)
      // Tier 0 has no marketplace, and a postback without a conversion value and a source app looks like one of tier 0.
      if draft.hasFormOfTier0 { draft[.marketplaceIdentifier] = nil }
    } else {
      addCampaign(to: &draft, audience, &random)
    }
    return draft
  }

  /// Adds the conversion type, the ad interaction, and the win or loss.
  private func addConversion(to draft: inout PostbackDraft, _ random: inout SeededGenerator) {
    let isView = random.chance(ofHundred: 30)
    let isRedownload = random.chance(ofHundred: 15)
    if draft.format.tellsLosers { draft[.didWin] = .boolean(!random.chance(ofHundred: 10)) }
    switch draft.format {
    case .skAdNetwork(let version):
      // Old devices send no version at all.
      if version > .v1_0 || random.chance(ofHundred: 50) { draft[.version] = .text(version.rawValue) }
      if version > .v1_0 || random.chance(ofHundred: 30) { draft[.redownload] = .boolean(isRedownload) }
      if version >= .v2_2 { draft[.fidelityType] = .integer(isView ? 0 : 1) }
    case .adAttributionKit:
      draft[.conversionType] = .text(isRedownload ? random.pick(["redownload", "re-engagement"]) : "download")
      draft[.impressionType] = .text("app-impression")
      draft[.marketplaceIdentifier] = .text(Audience.marketplaces[random.chance(ofHundred: 5) ? 1 : 0])
      if random.chance(ofHundred: 60) {
        let type: AdInteractionType = isView ? .view : .click
        draft[.adInteractionType] = .text(type.rawValue)
      }
    }
  }

  /// Adds the fields of versions before 4.0: a campaign, and for large crowds a source app and a conversion value.
  private func addCampaign(to draft: inout PostbackDraft, _ audience: Audience, _ random: inout SeededGenerator) {
    draft[.campaignID] = .integer(random.integer(in: 1...100))
    guard draft.isWin, draft.format.hasConversionValue, random.chance(ofHundred: 70) else { return }
    if random.chance(ofHundred: 80) { draft[.sourceAppID] = .integer(audience.sourceApp(&random)) }
    if random.chance(ofHundred: 80) { draft[.conversionValue] = fineValue(&random) }
  }

  /// Adds the fields of 4.0 and AdAttributionKit that the conversion window and the data tier allow.
  ///
  /// Source: Apple, "Receiving postbacks in multiple conversion windows".
  private func addWindow(to draft: inout PostbackDraft, _ audience: Audience, _ random: inout SeededGenerator) {
    let window = draft.isWin ? windows.pick(&random) : 0
    let tier = tiers.pick(&random)
    draft[.postbackSequenceIndex] = .integer(window)
    guard window == 0, tier >= 2 else {
      draft[.sourceIdentifier] = .text(random.digits(2))
      // Later windows have a coarse value or none. Tier 0 has none in any window.
      let tells = window > 0 ? random.chance(ofHundred: 90) : tier > 0
      if draft.isWin, tells { draft[.coarseConversionValue] = coarseValue(&random) }
      return
    }
    draft[.sourceIdentifier] = .text(random.digits(tier == 3 ? 4 : 2 + random.below(3)))
    guard draft.isWin else { return }
    if random.chance(ofHundred: 90) { draft[.conversionValue] = fineValue(&random) }
    guard tier == 3 else { return }
    if random.chance(ofHundred: 50) { draft[.countryCode] = .text(random.pick(Audience.countries)) }
    switch random.below(10) {
    case 0 where draft.format == .skAdNetwork(.v4_0): draft[.sourceDomain] = .text(random.pick(Audience.domains))
    case 0 where draft.format == .adAttributionKit: draft[.impressionType] = .text("web-impression")
    default: draft[draft.format.sourceApp] = .integer(audience.sourceApp(&random))
    }
  }

  /// Draws a fine value. Small values are frequent, because most people do little.
  private func fineValue(_ random: inout SeededGenerator) -> DraftValue {
    .integer(Int64(random.below(random.below(64) + 1)))
  }

  private func coarseValue(_ random: inout SeededGenerator) -> DraftValue {
    .text(random.pick([.low, .low, .medium, CoarseConversionValue.high]).rawValue)
  }
}

extension PostbackDraft {
  /// Indicates that the postback looks like one of tier 0: first window, two digits of source identifier, and no source
  /// app, conversion value or country.
  var hasFormOfTier0: Bool {
    self[.postbackSequenceIndex] == .integer(0) && self[.sourceIdentifier]?.text.count == 2
      && [format.sourceApp, .conversionValue, .coarseConversionValue, .countryCode].allSatisfy { self[$0] == nil }
  }
}
