internal import ConversionModel
internal import SKAdNetwork

/// A conversion of a campaign: a user who came through an ad, and what the user did in each conversion window.
struct Conversion: Sendable {
  /// The kind of a conversion. The raw values are those of the truth file.
  enum Kind: String, Sendable {
    case install, redownload
    case reEngagement = "re-engagement"
  }

  let cell: CampaignCell
  /// The time of the conversion, in milliseconds since 1970.
  let time: Int64
  let format: PostbackFormat
  let kind: Kind
  let isWin: Bool
  let isView: Bool
  /// Apple's data tier, 0 to 3.
  let tier: Int
  /// The number of digits of the source identifier in the first window.
  let digits: Int
  /// The values by window; nil for a window in which the user was not active, or that the format does not have.
  let values: [TrueValue?]

  /// Indicates that Apple sends a postback for a window.
  func sends(window: Int) -> Bool {
    window == 0 || isWin && format.hasWindows && tier > 0 && values[window]?.coarse != nil
  }

  /// The value in the postback of a window, after the data tier.
  func sentValue(window: Int) -> SentValue {
    guard isWin, format.hasConversionValue, let value = values[window] else { return SentValue() }
    if !format.hasWindows || window == 0 && tier >= 2 {
      return tier >= 2 ? SentValue(fine: value.fine, coarse: value.fine == nil ? value.coarse : nil) : SentValue()
    }
    return tier == 0 ? SentValue() : SentValue(coarse: value.coarse)
  }
}

/// The conversion value in a postback.
struct SentValue: Equatable, Sendable {
  var fine: Int?
  var coarse: CoarseValue?

  /// Indicates that there is no value.
  var isNull: Bool { fine == nil && coarse == nil }
}

extension PostbackDraft {
  /// The conversion value.
  var sentValue: SentValue {
    get {
      var value = SentValue()
      if case .integer(let fine) = self[.conversionValue] { value.fine = Int(fine) }
      value.coarse = self[.coarseConversionValue].flatMap { CoarseValue(rawValue: $0.text) }
      return value
    }
    set {
      self[.conversionValue] = newValue.fine.map { .integer(Int64($0)) }
      self[.coarseConversionValue] = newValue.coarse.map { .text($0.rawValue) }
    }
  }
}

extension Conversion {
  private static let hour: Int64 = 3_600_000

  /// Draws the time at which Apple's device sends the postback of a window, in milliseconds since 1970.
  ///
  /// One in fifty is repeated some days later, because the receiver did not answer.
  ///
  /// Sources: Apple, "Receiving postbacks in multiple conversion windows", "Receiving ad attributions and postbacks".
  func sendingTime(window: Int, _ random: inout SeededGenerator) -> Int64 {
    func hours(_ range: Range<Int64>) -> Int64 {
      random.integer(in: range.lowerBound * Self.hour...range.upperBound * Self.hour - 1)
    }
    var time = self.time
    if format.hasWindows {
      time += hours([72..<96, 192..<312, 864..<984][window])
    } else {
      // Each update of the value restarts a timer of 24 hours.
      if let value = values[0]?.fine, value > 0 { time += hours(0..<24) }
      time += hours(24..<48)
    }
    if random.chance(ofHundred: 2) { time += hours(24..<192) }
    return time
  }

  /// Draws the postback of a window, as Apple sends it.
  func draft(window: Int, _ plan: MediaPlan, _ random: inout SeededGenerator) -> PostbackDraft {
    let campaign = plan.campaigns[cell.campaign]
    var draft = PostbackDraft(format)
    let ending = format == .adAttributionKit ? ".adattributionkit" : ".skadnetwork"
    draft[format.adNetwork] = .text(plan.networks[campaign.network].id + ending)
    draft[format.app] = .integer(plan.apps[campaign.app].id)
    draft[format.transaction] = .text(random.transactionID())
    if format.tellsLosers { draft[.didWin] = .boolean(isWin) }
    draft.sentValue = sentValue(window: window)
    let tellsPublisher = isWin && (format.hasWindows ? window == 0 && tier == 3 : tier >= 2)
    if tellsPublisher, format.hasConversionValue { draft[format.sourceApp] = .integer(random.pick(plan.sourceApps)) }
    if format.hasWindows {
      draft[.postbackSequenceIndex] = .integer(Int64(window))
      draft[.sourceIdentifier] = .text(String(campaign.sourceIdentifier.suffix(window == 0 ? digits : 2)))
      if tellsPublisher, random.chance(ofHundred: 80) {
        draft[.countryCode] = .text(Audience.countries[cell.country])
      }
    } else {
      draft[.campaignID] = .integer(campaign.campaignNumber)
    }
    addType(to: &draft, &random)
    return draft
  }

  /// Adds the version, the type of the conversion and the kind of the ad.
  private func addType(to draft: inout PostbackDraft, _ random: inout SeededGenerator) {
    switch format {
    case .skAdNetwork(let version):
      let isRedownload = kind == .redownload
      if version > .v1_0 || random.chance(ofHundred: 50) { draft[.version] = .text(version.rawValue) }
      if version > .v1_0 || isRedownload || random.chance(ofHundred: 30) { draft[.redownload] = .boolean(isRedownload) }
      if version >= .v2_2 { draft[.fidelityType] = .integer(isView ? 0 : 1) }
    case .adAttributionKit:
      draft[.conversionType] = .text(kind == .install ? "download" : kind.rawValue)
      draft[.impressionType] = .text("app-impression")
      let type: AdInteractionType = isView ? .view : .click
      draft[.adInteractionType] = .text(type.rawValue)
      if !draft.hasFormOfTier0 { draft[.marketplaceIdentifier] = .text(Audience.marketplaces[0]) }
    }
  }
}
