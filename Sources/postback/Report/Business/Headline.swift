internal import Analysis
internal import Base
internal import ConversionModel
internal import Reporting

/// The findings at the top of a report: at most five sentences, each with its number and a link to its section.
struct Headline {
  /// A sentence with the section that has its numbers.
  struct Finding {
    let sentence: String
    /// The id of the section, and its name in the link.
    let section: (id: String, name: String)
  }

  private static let most = 5
  /// The smallest number of first postbacks of which a network's null rate is a finding.
  private static let fewest = 50

  let findings: [Finding]

  init(_ business: BusinessSection?, _ trust: TrustTable, _ report: Report) {
    var findings: [Finding] = []
    if let business {
      findings += [Self.returns(business), Self.worst(business), Self.nulls(business), Self.openDays(business)]
        .compactMap(\.self)
    }
    findings += [Self.differences(trust) ?? Self.contradictions(report), Self.rejects(report)].compactMap(\.self)
    self.findings = Array(findings.prefix(Self.most))
  }

  var html: HTML {
    guard !findings.isEmpty else { return "" }
    let items = findings.map { finding -> HTML in
      "<li>\(finding.sentence) <a href=\"#\(finding.section.id)\">\(finding.section.name)</a></li>\n"
    }
    return "<ul class=\"findings\" id=\"findings\">\n\(items)</ul>"
  }

  private static func returns(_ business: BusinessSection) -> Finding? {
    let (total, currency) = (business.business.total, business.business.currency)
    let section = (id: "revenue-by-day", name: "Revenue")
    guard let cost = total.cost, cost > .zero else {
      guard total.installs > 0 else { return nil }
      let revenue =
        currency.map { " and brought \(Numbers.money(total.revenue, $0)) in the first window" } ?? ""
      return Finding(
        sentence: "\(Numbers.grouped(total.installs)) installs are attributed\(revenue); no costs are known.",
        section: section
      )
    }
    let (least, most) = (total.least.approximation, total.most.approximation)
    let high = total.isOpenEnded ? "or more" : "to \(Numbers.ratio(most / cost.approximation))"
    return Finding(
      sentence: """
        \(Numbers.money(cost, currency)) bought \(Numbers.grouped(total.installs)) installs and brought \
        \(Numbers.money(total.revenue, currency)) back in the first window: a return of \
        \(Numbers.ratio(total.revenue.approximation / cost.approximation)), with the ranges of values and \
        modelled null postbacks \(Numbers.ratio(least / cost.approximation)) \(high).
        """,
      section: section
    )
  }

  private static func worst(_ business: BusinessSection) -> Finding? {
    let currency = business.business.currency
    let lines = business.campaigns.filter { $0.cost != nil }
    let losing = lines.filter { $0.judgement == "below 1" }
    if let worst = losing.first {
      let cost = losing.reduce(Amount.zero) { $0 + ($1.cost ?? .zero) }
      let return_ = worst.roas.map { Numbers.ratio($0.high) } ?? ""
      return Finding(
        sentence: """
          \(losing.count) of \(lines.count) campaigns with a cost \(losing.count == 1 ? "does" : "do") not pay \
          it back in the first window, at the upper \
          limit of their values and modelled null postbacks: \(Numbers.money(cost, currency)) in all. The largest is \
          \(worst.label), with a return of at most \(return_).
          """,
        section: (id: "campaigns", name: "Campaigns")
      )
    }
    guard let best = lines.first(where: { $0.judgement == "above 1" }), let roas = best.roas else { return nil }
    return Finding(
      sentence:
        "\(best.label) pays its cost back in the first window, with a return of at least \(Numbers.ratio(roas.low)).",
      section: (id: "campaigns", name: "Campaigns")
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
      section: (id: "null-rates", name: "Null rates")
    )
  }

  private static func openDays(_ business: BusinessSection) -> Finding? {
    let open = business.business.status.filter { $0.value == .open }.keys
    guard let first = open.min(), let last = open.max(), first < last else { return nil }
    let share = business.business.expectedShare[last].map {
      " of the last one \(Numbers.percent($0.approximation)) of the first postbacks are to be expected by now"
    }
    return Finding(
      sentence: """
        The install days from \(Timestamp.name(ofDay: first)) to \(Timestamp.name(ofDay: last)) are not complete\
        \(share.map { ":\($0)" } ?? "").
        """,
      section: (id: "completeness", name: "Completeness")
    )
  }

  private static func differences(_ trust: TrustTable) -> Finding? {
    guard let worst = trust.worst else { return nil }
    let effect = worst.effect.filter { $0.value != .zero }.sorted { $0.key < $1.key }
      .map { Numbers.money($0.value, $0.key) }.joined(separator: ", ")
    let name = worst.forwarder ?? "A forwarder without a name"
    return Finding(
      sentence: """
        \(name) has another conversion value than the device in \(Numbers.grouped(worst.compared - worst.agreeing)) of \
        \(Numbers.grouped(worst.compared)) values that were compared\(effect.isEmpty ? "" : ", worth \(effect)").
        """,
      section: (id: "trust", name: "Trust")
    )
  }

  private static func contradictions(_ report: Report) -> Finding? {
    guard let worst = report.forwarders.max(by: { $0.contradicted < $1.contradicted }), worst.contradicted > 0 else {
      return nil
    }
    return Finding(
      sentence: """
        Devices contradict \(Numbers.grouped(worst.contradicted)) accepted postbacks of the forwarder \
        \(worst.name ?? "without a name"), of \(Numbers.grouped(worst.read)).
        """,
      section: (id: "trust", name: "Trust")
    )
  }

  private static func rejects(_ report: Report) -> Finding? {
    guard let (code, tally) = report.codes.first, let read = report.funnel.first?.count else { return nil }
    return Finding(
      sentence: """
        \(Share(report.rejectCount, of: read)) of \(Numbers.grouped(read)) records are rejected, most often with \(code): \
        \(Numbers.grouped(tally.count)).
        """,
      section: (id: "rejects-by-code", name: "Rejects")
    )
  }
}
