internal import Base
internal import ConversionModel
internal import SKAdNetwork

/// The postbacks of planned campaigns: conversions on all days, and the copies in which their postbacks arrive.
package struct CampaignTraffic: Sendable {
  let plan: MediaPlan
  let mix: Mix
  let settings: CampaignSettings
  let seed: UInt64
  private let bounds: CrowdBounds
  /// The values by app and by model.
  private let values: [[AppValues]]
  /// The times of conversions; nil if they are uniform.
  private let calendar: Calendar?
  /// The middle crowd of all conversions.
  private let middleCrowd: Double

  private static let millisecondsPerDay: Int64 = 86_400_000

  /// Draws the campaigns of a seed.
  package init(_ settings: CampaignSettings, _ mix: Mix, seed: UInt64) {
    let plan = MediaPlan(settings, seed: seed)
    self.settings = settings
    self.mix = mix
    self.seed = seed
    self.plan = plan
    values = settings.apps.map { app in settings.models.models(for: app).map(AppValues.init) }
    var random = SeededGenerator(seed: seed, line: 0, .crowd)
    let crowds = (0..<20_000).map { _ in plan.volume(plan.cell(day: random.below(plan.days), &random)) }
    bounds = CrowdBounds(of: crowds, mix.tiers)
    middleCrowd = crowds.sorted()[crowds.count / 2]
    let world = settings.world
    calendar =
      world.hasCycles || world.changesMidweek
      ? Calendar(firstDay: plan.firstDay, volumes: (0..<plan.days).map(plan.volume(ofDay:)), hasCycles: world.hasCycles)
      : nil
  }

  /// The values of an app under a model, by window, for installs and for re-engagements.
  private struct AppValues: Sendable {
    let span: EffectiveSpan
    let installs: [ReachableValues?]
    let reEngagements: [ReachableValues?]

    init(_ model: ConversionModel) {
      span = model.span
      installs = (0...2).map { model.window($0, .install).flatMap(ReachableValues.init) }
      reEngagements = (0...2).map { model.window($0, .reEngagement).flatMap(ReachableValues.init) }
    }
  }

  /// Returns the values that users of a conversion reach, by window.
  func values(app: Int, at time: Int64, _ kind: Conversion.Kind) -> [ReachableValues?] {
    let time = Timestamp(milliseconds: time)
    guard let values = values[app].first(where: { $0.span.contains(time) }) else { return [nil, nil, nil] }
    return kind == .reEngagement ? values.reEngagements : values.installs
  }

  /// Draws a conversion in a part of the install days; the part is of 1.
  ///
  /// If `isSingle` is true, it is one that has a single postback: one that lost the attribution, or of a version with
  /// one window.
  func conversion(
    in part: Range<Double>,
    isSingle: Bool,
    _ random: inout SeededGenerator
  ) -> Conversion {
    let place = part.lowerBound + random.fraction() * (part.upperBound - part.lowerBound)
    let sinceStart = min(
      calendar?.time(of: place) ?? Int64(place * Double(plan.days) * Double(Self.millisecondsPerDay)),
      Int64(plan.days) * Self.millisecondsPerDay - 1
    )
    let time = plan.firstDay * Self.millisecondsPerDay + sinceStart
    let cell = plan.cell(day: Int(sinceStart / Self.millisecondsPerDay), &random)
    let campaign = plan.campaigns[cell.campaign]
    let crowd = plan.volume(cell)
    let format = mix.formats.pick(&random)
    let redownloads = settings.world.redownloads
    let kind = Self.kind(format, redownloads: redownloads[campaign.network % redownloads.count], &random)
    let isLost = random.chance(ofHundred: 4) || isSingle
    let payerRate = payerRate(campaign, cell, crowd: crowd)
    let isView = random.chance(ofHundred: campaign.viewsOfHundred)
    let isPayer = random.fraction() < payerRate
    let values = trueValues(
      format,
      campaign,
      values(app: campaign.app, at: time, kind),
      isPayer: isPayer,
      payerRate: payerRate,
      &random
    )
    let hasSmallCrowd = hasSmallCrowd(isPayer: isPayer, &random)
    return Conversion(
      cell: cell,
      time: time,
      format: format,
      kind: kind,
      isWin: !(format.tellsLosers && isLost),
      isView: isView,
      tier: hasSmallCrowd ? 0 : bounds.tier(of: crowd),
      digits: hasSmallCrowd ? 2 : bounds.digits(of: crowd),
      values: values
    )
  }

  /// Returns the share of users of a campaign, a country and a day who pay in window 0.
  private func payerRate(_ campaign: PlannedCampaign, _ cell: CampaignCell, crowd: Double) -> Double {
    let world = settings.world
    var rate = world.payerRate ?? campaign.payerRate
    rate *= world.payersByNetwork[campaign.network % world.payersByNetwork.count]
    // From half to twice the rate.
    if world.payersFollowCountry { rate *= [2, 1.5, 1.8, 0.6, 1.2, 1, 0.5, 1.4, 0.7, 1.3][cell.country] }
    if world.payersFollowCrowd { rate *= min(max((crowd / middleCrowd).squareRoot().squareRoot(), 0.5), 2) }
    for _ in 0..<(world.weeklyDrift == 1 ? 0 : cell.day / 7) { rate *= world.weeklyDrift }
    return min(rate, 0.9)
  }

  /// Draws if the crowd of a user is smaller than that of the campaign.
  private func hasSmallCrowd(isPayer: Bool, _ random: inout SeededGenerator) -> Bool {
    let world = settings.world
    return world.smallCrowds > 0
      && random.fraction() < world.smallCrowds * (isPayer ? world.smallCrowdsOfPayers : 1)
  }

  private static func kind(
    _ format: PostbackFormat,
    redownloads: Int,
    _ random: inout SeededGenerator
  ) -> Conversion.Kind {
    switch random.below(100) {
    case 0..<redownloads: .redownload
    case redownloads..<redownloads + 4 where format == .adAttributionKit: .reEngagement
    default: .install
    }
  }

  /// Draws the values of a user in all windows. Users are active in window 1 with the chance 0.45 and in window 2 with
  /// 0.25; of payers, seven and five in ten.
  private func trueValues(
    _ format: PostbackFormat,
    _ campaign: PlannedCampaign,
    _ values: [ReachableValues?],
    isPayer: Bool,
    payerRate: Double,
    _ random: inout SeededGenerator
  ) -> [TrueValue?] {
    values.indices.map { window in
      let isActive = window == 0 || random.chance(ofHundred: (isPayer ? [100, 70, 50] : [100, 45, 25])[window])
      let paysAgain = random.fraction() < (isPayer ? 0.4 : payerRate / 2)
      guard isActive, window == 0 || format.hasWindows else { return nil }
      let value = values[window]?.draw(
        isPayer: window == 0 ? isPayer : paysAgain,
        continuation: campaign.continuation,
        spending: settings.world.spending,
        // From 1 to 11.
        scale: 1 + (campaign.continuation - 0.6) * 40,
        &random
      )
      // Without a fine value in window 0 the versions before 4.0 have none.
      return format.hasWindows || value?.fine != nil ? value : nil
    }
  }

  /// Returns the revenue that a value means in a postback, and the estimated time of the conversion, by the
  /// model; the revenue is nil if the value has no meaning that is certain.
  func decode(
    _ value: SentValue,
    of conversion: Conversion,
    window: Int,
    receivedAt: Int64
  ) -> (revenue: Amount?, conversionTime: Int64?) {
    let received = ReceivedConversion(
      appID: plan.apps[plan.campaigns[conversion.cell.campaign].app].id,
      family: conversion.format == .adAttributionKit
        ? .adAttributionKit : conversion.format.hasWindows ? .skadnetwork4 : .skadnetwork3OrEarlier,
      window: window,
      conversionType: conversion.kind == .reEngagement ? .reEngagement : .install,
      fineValue: value.fine,
      coarseValue: value.coarse,
      receivedAt: Timestamp(milliseconds: receivedAt),
      won: conversion.isWin
    )
    let decoding = settings.models.decode(received)
    return (decoding.revenue?.estimate, decoding.interval.estimated?.milliseconds)
  }

  /// The start of a day of the plan, in milliseconds since 1970.
  func start(ofDay day: Int) -> Int64 { (plan.firstDay + Int64(day)) * Self.millisecondsPerDay }
}
