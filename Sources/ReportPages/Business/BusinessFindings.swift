internal import Answers
internal import Analysis
internal import Base
internal import ConversionModel
internal import FraudSignals
internal import Reporting
internal import SKAdNetwork
internal import Statistics
internal import TableReading

/// The findings about installs, revenue, costs and outcomes, which no test is needed for.
enum BusinessFindings {
  /// The smallest number of first postbacks of which a network's null rate is a finding.
  private static let fewest = 50

  /// All findings of a report, in no particular order. `suspects` are forwarders that another finding is about.
  static func all(
    _ business: BusinessSection?,
    _ trust: AgreementTable,
    _ report: RejectReport,
    suspects: Set<String>
  ) -> [Finding] {
    var findings: [Finding?] = []
    // Costs without a counted postback say nothing about campaigns.
    if let business, business.business.nothingCounted == nil {
      findings += [returns(business), worst(business), nulls(business), openDays(business)]
    }
    findings += [differences(trust, suspects) ?? contradictions(report, suspects), rejects(report)]
    return findings.compactMap(\.self)
  }

  /// The return on the costs, of the campaigns that have one; without costs the installs and their revenue.
  static func returns(_ business: BusinessSection) -> Finding? {
    let (total, currency) = (business.business.total, business.business.currency)
    let section = Finding.Section(id: "revenue-by-day", name: "Revenue")
    // What is not known of all rows is no finding. The section names what is missing.
    guard let all = total.revenue, total.unpriced == 0 else { return nil }
    // No cost bought the installs of campaigns without one.
    let campaigns = business.campaigns.filter(\.sums.hasCost)
    let sums = campaigns.reduce(into: BusinessReport.Sums()) { $0 += $1.sums }
    guard let cost = sums.cost, cost > .zero else {
      guard total.installs > 0 else { return nil }
      let revenue = currency.map { " and brought \(Numbers.money(all, $0)) in the first window" } ?? ""
      let costs = business.hasCosts ? "" : "; no costs are known"
      return Finding(
        sentence: "\(Numbers.grouped(total.installs)) installs are attributed\(revenue)\(costs).",
        section: section,
        money: all.approximation,
        rows: total.installs
      )
    }
    let line = CampaignLine(network: nil, campaign: nil, name: nil, sums: sums)
    guard let roas = line.roas, let back = sums.revenue else { return nil }
    let suspected = campaigns.filter(\.isSuspected)
    let revenue = suspected.reduce(Amount.zero) { $0 + ($1.sums.revenue ?? .zero) }
    let confirmed = sums.confirmedOfAll.map { " Devices confirm \(Numbers.money($0, currency)) of the revenue." } ?? ""
    let suspicion =
      suspected.isEmpty
      ? ""
      : """
       A suspicion concerns the values of \(suspected.count) campaigns with \(Numbers.money(revenue, currency)).\(confirmed)
      """
    let high = sums.isOpenEnded ? "or more" : "to \(Numbers.ratio(roas.high))"
    let others = total.installs - sums.installs
    let priced = others > 0 ? " of the campaigns with a cost" : ""
    let rest = others > 0 ? "; \(Numbers.grouped(others)) installs are of campaigns without a cost" : ""
    return Finding(
      sentence: """
        \(Numbers.money(cost, currency)) bought \(Numbers.grouped(sums.installs)) installs\(priced) and brought \
        \(Numbers.money(back, currency)) back in the first window: a return of \
        \(Numbers.ratio(roas.observed)), with the ranges of values and \
        modelled null postbacks \(Numbers.ratio(roas.low)) \(high)\(rest).\(suspicion)
        """,
      section: section,
      money: max(cost, back).approximation,
      rows: sums.installs
    )
  }

  /// The campaigns that do not pay their cost back; without one the first that does.
  static func worst(_ business: BusinessSection) -> Finding? {
    let currency = business.business.currency
    let lines = business.campaigns.filter { $0.cost != nil }
    let losing = lines.filter { $0.judgement == .below }
    // Costs of 0 or less and in other currencies are none of these.
    let isAll = lines.count == business.campaigns.count(where: \.sums.hasCost)
    let priced = isAll ? "a cost" : "a cost above 0\(currency.map { " in \($0)" } ?? "")"
    if let worst = losing.first {
      let cost = losing.reduce(Amount.zero) { $0 + ($1.cost ?? .zero) }
      let return_ = worst.roas.map { Numbers.ratio($0.high) } ?? ""
      return Finding(
        sentence: """
          \(losing.count) of \(lines.count) campaigns with \(priced) \(losing.count == 1 ? "does" : "do") not pay \
          it back in the first window, at the upper \
          limit of their values and modelled null postbacks: \(Numbers.money(cost, currency)) in all. The largest is \
          \(worst.label), with a return of at most \(return_).
          """,
        section: Finding.Section(id: "campaigns", name: "Campaigns"),
        money: cost.approximation,
        rows: losing.reduce(0) { $0 + $1.sums.installs }
      )
    }
    guard let best = lines.first(where: { $0.judgement == .above && !$0.isSuspected }), let roas = best.roas else {
      return nil
    }
    return Finding(
      sentence:
        "\(best.label) pays its cost back in the first window, with a return of at least \(Numbers.ratio(roas.low)).",
      section: Finding.Section(id: "campaigns", name: "Campaigns"),
      money: best.cost?.approximation ?? 0,
      rows: best.sums.installs
    )
  }

  private static func nulls(_ business: BusinessSection) -> Finding? {
    let total = business.business.total
    guard total.nulls > 0 else { return nil }
    let all = Numbers.percent(Double(total.nulls) / Double(total.nulls + total.values))
    let networks = business.nullRates.filter { $0.nulls + $0.values >= fewest }
    let worst = networks.max { ($0.rate.interval?.low ?? 0, $1.name) < ($1.rate.interval?.low ?? 0, $0.name) }
    var most = ""
    if networks.count > 1, let worst, let rate = worst.rate.rate, let interval = worst.rate.interval {
      most = """
        , and most often those of \(worst.name): \(Numbers.percent(rate)) \
        (\(Numbers.percent(interval.low)) to \(Numbers.percent(interval.high)))
        """
    }
    return Finding(
      sentence: "\(all) of the first postbacks come without a value\(most).",
      section: Finding.Section(id: "null-rates", name: "Null rates"),
      rows: total.nulls
    )
  }

  private static func openDays(_ business: BusinessSection) -> Finding? {
    let days = business.days
    let open = business.business.status.filter { $0.value == .open && $0.key <= days.last ?? .max }.keys
    guard let first = open.min(), let last = open.max(), first < last else { return nil }
    let share = business.business.expectedShare[last].map {
      " of the last one \(Numbers.percent($0.approximation)) of the first postbacks are to be expected by now"
    }
    return Finding(
      sentence: """
        The install days from \(Timestamp.name(ofDay: first)) to \(Timestamp.name(ofDay: last)) are not complete\
        \(share.map { ":\($0)" } ?? "").
        """,
      section: Finding.Section(id: "completeness", name: "Completeness"),
      rows: 0
    )
  }

  /// The differences of the forwarder with the most of them. What tests tolerate has no weight among the findings.
  static func differences(_ trust: AgreementTable, _ suspects: Set<String>) -> Finding? {
    guard let worst = trust.worst, !suspects.contains(worst.forwarder ?? "") else { return nil }
    let own = Rate(count: worst.compared - worst.agreeing, total: worst.compared)
    let all = (trust.forwarders ?? []).reduce(into: Rate()) {
      $0 += Rate(count: $1.compared - $1.agreeing, total: $1.compared)
    }
    let others = all - own
    let test = SignalName.raisedValues
    let tolerated = others.total >= SignalRates.leastRecords ? test.tolerance : test.toleranceAlone
    let isTolerated = own.share ?? 0 <= tolerated
    let ofOthers = others.share.map { "; others \(Numbers.percent($0))" } ?? ""
    let effect = Numbers.money(worst.effect.filter { $0.value != .zero })
    let name = worst.forwarder ?? "A forwarder without a name"
    return Finding(
      sentence: """
        \(name) has another conversion value than the device in \(Numbers.grouped(own.count)) of \
        \(Numbers.grouped(own.total)) values that were compared (\(Share(own.count, of: own.total))\(ofOthers))\
        \(effect.isEmpty ? "" : ", worth \(effect)"). \(isTolerated ? "This is no suspicion: up to" : "Of honest errors") \
        \(Numbers.percent(tolerated)) \(isTolerated ? "is" : "are") tolerated.
        """,
      certainty: WilsonRate(own.count, of: own.total).interval
        .map { "The 95 % interval is \(Numbers.percent($0.low)) to \(Numbers.percent($0.high))." },
      section: Finding.Section(id: "trust", name: "Trust"),
      money: isTolerated ? 0 : worst.effect.values.map(\.approximation.magnitude).max() ?? 0,
      rows: isTolerated ? -1 : own.count
    )
  }

  private static func contradictions(_ report: RejectReport, _ suspects: Set<String>) -> Finding? {
    let forwarders = report.forwarders.filter { !suspects.contains($0.name ?? "") }
    guard let worst = forwarders.max(by: { $0.contradicted < $1.contradicted }), worst.contradicted > 0 else {
      return nil
    }
    return Finding(
      sentence: """
        Devices contradict \(Numbers.grouped(worst.contradicted)) accepted postbacks of the forwarder \
        \(worst.name ?? "without a name"), of \(Numbers.grouped(worst.read)).
        """,
      section: Finding.Section(id: "trust", name: "Trust"),
      rows: worst.contradicted
    )
  }

  private static func rejects(_ report: RejectReport) -> Finding? {
    guard report.rejectCount > 0, let read = report.funnel.first?.count else { return nil }
    let counts = report.rejectCounts
    let first = report.codes.first { RejectCode(rawValue: $0.code)?.rejectClass == .suspicious }
    let most = first.map { ", most often with \($0.code) (\(Numbers.grouped($0.tally.count)))" } ?? ""
    return Finding(
      sentence: """
        \(Share(counts.suspicious, of: read)) of \(Numbers.grouped(read)) records are suspicious rejects\(most). Apart from \
        them \(Numbers.grouped(counts.copies)) are further copies of accepted postbacks, and \
        \(Numbers.grouped(counts.noise)) are noise.
        """,
      section: Finding.Section(id: "rejects-by-code", name: "Rejects"),
      rows: counts.suspicious
    )
  }
}
