internal import Base
internal import SKAdNetwork

/// The arrival of a line of campaign traffic at the receiver.
struct GeneratedArrival: Sendable {
  var receivedAt: Timestamp
  /// The name of the forwarder; nil if a device sent the postback.
  var forwarder: String?
  /// The keys that the forwarder adds.
  var inlineValues: [(name: String, value: DraftValue)] = []
  /// The truth of the postback; nil for a line that is none.
  var truth: PostbackTruth?
}

/// The truth of a postback, before Apple's data tier and before its forwarder.
struct PostbackTruth: Sendable {
  let conversion: Conversion
  let window: Int
  let campaignID: String
  let edit: ForwarderEdit?
}

extension CampaignTraffic {
  /// The greatest number of lines of a conversion: all copies in each of three windows.
  private var mostLines: Int { 3 * settings.world.mostCopies }

  /// Plans some consecutive lines of a dump with `count` lines, and sums up the conversions behind them. `planner` plans the
  /// lines that are not of campaigns.
  ///
  /// The conversions are those of the part of the install days that the lines are of all lines. The postbacks are in the
  /// order of their arrival.
  func lines(
    _ lines: ClosedRange<Int>,
    of count: Int,
    _ planner: LinePlanner
  ) -> (plans: [LinePlan], totals: TrueTotals) {
    var hasOriginal = false
    let shares = lines.map { line in
      let share = planner.share(of: line)
      if share == .duplicate, hasOriginal { return share }
      // There must be a postback to copy.
      let isPostback = share == nil || share == .zeroFilled || share == .duplicate
      hasOriginal = hasOriginal || isPostback
      return share == .duplicate ? nil : share
    }
    let places = shares.indices.filter { shares[$0] == nil || shares[$0] == .zeroFilled }
    let part = Double(lines.lowerBound - 1) / Double(count)..<Double(lines.upperBound) / Double(count)
    var random = SeededGenerator(seed: seed, line: lines.lowerBound, .conversion)
    let postbacks = postbacks(lineCount: places.count, in: part, &random)
    var arrivals: [(postback: Int, copy: Int, time: Int64)] = []
    for (index, postback) in postbacks.enumerated() {
      for (copy, arrival) in postback.copies.enumerated() { arrivals.append((index, copy, arrival.receivedAt)) }
    }
    arrivals.sort { ($0.time, $0.postback, $0.copy) < ($1.time, $1.postback, $1.copy) }

    var plans: [LinePlan] = []
    plans.reserveCapacity(lines.count)
    var firsts: [Int?] = Array(repeating: nil, count: postbacks.count)
    var candidates: [Int] = []
    var totals = TrueTotals()
    var next = 0
    for (place, line) in lines.enumerated() {
      let time = Timestamp(milliseconds: next > 0 ? arrivals[next - 1].time : arrivals.first?.time ?? start(ofDay: 0))
      switch shares[place] {
      case nil, .zeroFilled:
        let arrival = arrivals[next]
        next += 1
        let first = firsts[arrival.postback].map { plans[$0] }
        var plan = plan(line, postbacks[arrival.postback], copy: arrival.copy, first: first, &random)
        if shares[place] == .zeroFilled, postbacks[arrival.postback].canBeZeroFilled(mix) {
          planner.fillZeros(of: &plan, &random)
        }
        if first == nil {
          firsts[arrival.postback] = plans.count
          candidates.append(plans.count)
          totals.add(postbacks[arrival.postback], writtenAs: plan, in: self)
        }
        plans.append(plan)
      case .duplicate:
        plans.append(planner.repeated(plans[random.pick(candidates)], line: line, at: time, &random))
      case .forged, .edited, .malformed:
        var plan = planner.plan(line)
        let network = self.plan.networks[line % self.plan.networks.count]
        let forwarder = plan.style.isForwarded ? network.forwarder.name : nil
        plan.arrival = GeneratedArrival(receivedAt: time, forwarder: forwarder)
        plans.append(plan)
      }
    }
    for postback in postbacks where postback.window == 0 { totals.add(postback.conversion, in: self) }
    return (plans, totals)
  }

  /// Draws conversions until their postbacks have the wanted number of lines.
  private func postbacks(
    lineCount: Int,
    in part: Range<Double>,
    _ random: inout SeededGenerator
  ) -> [SentPostback] {
    var postbacks: [SentPostback] = []
    var left = lineCount
    while left > 0 {
      let isSingle = left < mostLines
      let conversion = conversion(in: part, isSingle: isSingle, &random)
      for postback in self.postbacks(of: conversion, isSingle: isSingle, &random) {
        postbacks.append(postback)
        left -= postback.copies.count
      }
    }
    return postbacks
  }

  /// Plans the line of a copy. `first` is the plan of the first copy; nil if this is the first.
  private func plan(
    _ line: Int,
    _ postback: SentPostback,
    copy number: Int,
    first: LinePlan?,
    _ random: inout SeededGenerator
  ) -> LinePlan {
    let copy = postback.copies[number]
    let campaign = self.plan.campaigns[postback.conversion.cell.campaign]
    let receivedAt = Timestamp(milliseconds: copy.receivedAt)
    var plan = LinePlan(line: line, postback.draft, ForwardingStyle(isForwarded: copy.forwarder != nil, &random))
    plan.draft.sentValue = copy.value
    var arrival = GeneratedArrival(receivedAt: receivedAt, forwarder: copy.forwarder?.name)
    let digits = plan.draft[.sourceIdentifier]?.text.utf8.count ?? 0
    let isTold = !postback.conversion.format.hasWindows || digits >= campaign.tellingDigits
    if isTold, let forwarder = copy.forwarder {
      arrival.inlineValues = forwarder.inlineValues(of: campaign, at: receivedAt)
      if !arrival.inlineValues.isEmpty { plan.style.timestamp = nil }
    }
    let (conversion, window) = (postback.conversion, postback.window)
    arrival.truth = PostbackTruth(conversion: conversion, window: window, campaignID: campaign.id, edit: copy.edit)
    plan.arrival = arrival
    plan.change = plan.draft.unsignedChange(from: first?.draft ?? postback.draft)
    if let first {
      plan.kind = plan.change == nil ? .duplicateIdentical : .duplicateConflict
      plan.originalLine = first.line
    } else if copy.edit != nil {
      plan.kind = .forwarderEdited
    }
    return plan
  }
}

extension SentPostback {
  /// Indicates that zeros can be added to the postback: a forwarder changed nothing else, and there is no other copy.
  fileprivate func canBeZeroFilled(_ mix: Mix) -> Bool {
    copies.count == 1 && copies[0].forwarder != nil && copies[0].edit == nil
      && mix.zeroFilledFormats.choices.contains(conversion.format)
  }
}
