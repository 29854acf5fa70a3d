internal import Answers
internal import Analysis
internal import Base
internal import JSON
internal import FraudSignals
internal import Reporting
internal import SKAdNetwork
internal import Statistics
internal import PageMarkup

/// The charts of forwarders over time, and of the values that they send. They are those of all records, also for a
/// choice of the filters.
struct ForwarderCharts {
  let cube: ReportCube
  /// The values of `skan_settled` by forwarder; nil without that table.
  let values: [ForwardedValues]?
  /// The forwarders with an alarm about values, which are shown first.
  let suspects: Set<String>
  /// The days since which forwarders raise values, by the tests of signals.
  let onsets: [String: SignalOnset]

  private static let shown = 6
  private static let mostSteps = 60

  /// The share of suspicious records of each forwarder over time.
  var rates: HTML {
    guard let days = cube.days else { return "" }
    let length = [1, 7, 28, 364].first { days.count / $0 < Self.mostSteps } ?? 364
    func step(_ day: Int) -> Int { (day - days.lowerBound) / length }
    var rows: [Int: [Int: Rate]] = [:]
    for (place, outcome, count) in cube.counts {
      guard let day = place.day else { continue }
      let code = cube.outcomes[outcome].code
      let isSuspicious =
        code != RejectCode.duplicateConflict.rawValue
        && code.flatMap(RejectCode.init)?.rejectClass == .suspicious
      let rate = Rate(count: isSuspicious ? count : 0, total: count)
      rows[place.forwarder, default: [:]][step(day), default: Rate()] += rate
    }
    let named = cube.dimensions.forwarders.enumerated().prefix(Self.shown).map { index, value in
      ShareRows.Row(name: value.label(unnamed: RejectReport.noForwarder), rates: rows[index] ?? [:])
    }
    let labels = stride(from: days.lowerBound, through: days.upperBound, by: length).map(Timestamp.name(ofDay:))
    let unit = "time of receipt, UTC; suspicious, of all records of \(length == 1 ? "a day" : "\(length) days")"
    let chart = ShareRows(rows: named, labels: labels, unit: unit)
    return Figure(
      title: "Suspicious records by forwarder over time",
      id: "forwarders-over-time",
      chart: .shares,
      description: """
        A dot is the share of suspicious rejects in all records of a forwarder, the line its 95 % interval (Wilson), the broken \
        line the share over all days. Each row has its own scale. Copies with other values are not among them: the next chart \
        has those against devices' own copies. The filters do not change this chart.
        """,
      data: chart.json,
      numbers: chart.table("Suspicious records by forwarder and time", "forwarder")
    ).html
  }

  private var first: [ForwardedValues] {
    let all = values ?? []
    return all.filter { suspects.contains($0.forwarder) } + all.filter { !suspects.contains($0.forwarder) }
  }

  /// The share of values above the devices' own, by week.
  var raised: HTML {
    let shown = first.filter { $0.raised.total > 0 }.prefix(Self.shown)
    let weeks = shown.flatMap { $0.weeks.map(\.day) }
    guard let low = weeks.min(), let high = weeks.max() else { return "" }
    let start = max(low, high - 7 * (Self.mostSteps - 1))
    let rows = shown.map { values in
      var row = ShareRows.Row(name: values.forwarder, rates: [:])
      for week in values.weeks where week.day >= start { row.rates[(week.day - start) / 7] = week.raised }
      row.change = onsets[values.forwarder].map { max(0, (Int($0.day) - start) / 7) }
      return row
    }
    let labels = stride(from: start, through: high, by: 7).map(Timestamp.name(ofDay:))
    let unit = "week of receipt from Monday, UTC; raised, of postbacks with both copies"
    let chart = ShareRows(rows: rows, labels: labels, unit: unit)
    return Figure(
      title: "Values above the device's own, by week",
      id: "raised-by-week",
      chart: .shares,
      description: """
        The share of a forwarder's postbacks whose value is above that of the device's own copy, with its 95 % interval (Wilson). \
        The upright line is the week in which the share most likely changed, if there is an alarm about it; the sentence of the \
        alarm has the interval of the day. Postbacks that several forwarders sent are left out. The filters do not change this chart.
        """,
      data: chart.json,
      numbers: chart.table("Values above the device's own, by week", "forwarder")
    ).html
  }

  private static let shownHistograms = 3

  /// The values that a forwarder sends beside those of all others.
  var histograms: HTML {
    let shown = first.filter { $0.count > 0 }.prefix(Self.shownHistograms)
    guard !shown.isEmpty, let values else { return "" }
    let slots = (0..<64).map { "\($0)" } + ["low", "medium", "high"]
    var table = NumberTable("Values by forwarder", ["value"] + shown.flatMap { [$0.forwarder, "others"] })
    let shares = shown.map { own -> (own: [Double], others: [Double]) in
      let others = values.filter { $0.forwarder != own.forwarder }
      func sums(_ all: [ForwardedValues]) -> [Int] {
        all.reduce(into: [Int](repeating: 0, count: slots.count)) { sums, one in
          for (index, count) in (one.fine + one.coarse).enumerated() { sums[index] += count }
        }
      }
      // Fine and coarse values are of different windows, so that each kind is a whole.
      func parts(_ sums: [Int]) -> [Double] {
        let totals = [sums.prefix(64).reduce(0, +), sums.dropFirst(64).reduce(0, +)]
        return sums.enumerated().map { $1 == 0 ? 0 : Double($1) / Double(totals[$0 < 64 ? 0 : 1]) }
      }
      return (parts(sums([own])), parts(sums(others)))
    }
    for (index, slot) in slots.enumerated() {
      table.add(
        slot,
        cells: shares.flatMap { [.amount(Numbers.percent($0.own[index])), .amount(Numbers.percent($0.others[index]))] }
      )
    }
    let forwarders = zip(shown, shares).map { one, shares -> JSONValue in
      .object([
        .init("name", .shown(one.forwarder)),
        .init("count", .integer(one.count)),
        .init("own", .shares(shares.own)),
        .init("others", .shares(shares.others)),
      ])
    }
    return Figure(
      title: "Conversion values by forwarder, beside those of others",
      id: "histograms",
      chart: .histograms,
      description: """
        Bars are the shares of a forwarder's fine values 0 to 63, and of its coarse values; the short lines are those of all other \
        forwarders. Different campaigns have different values, so that a difference alone is no suspicion. The filters do not \
        change this chart.
        """,
      data: .object([
        .init("slots", .texts(slots)), .init("forwarders", .array(forwarders)),
      ]),
      numbers: table.html
    ).html
  }

  /// All charts.
  var html: HTML { "<div class=\"charts\">\(rates)\(raised)\(histograms)</div>" }
}

extension ReportCube.Value {
  /// The name of the value for people.
  func label(unnamed: String) -> String {
    switch self {
    case .named(let name): name
    case .none: unnamed
    case .others: "others"
    }
  }
}
