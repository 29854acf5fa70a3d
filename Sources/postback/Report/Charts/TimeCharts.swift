internal import Analysis
internal import Base

extension Report {
  private static let shownCodes = 8

  /// Rejects over time: a row of bars for each code, over one axis of time.
  var timelineFigure: HTML {
    let shown = timeline.series.prefix(Self.shownCodes)
    let (left, width, rowHeight) = (226.0, 520.0, 62.0)
    var drawing = Drawing(width: 760, height: shown.count * Int(rowHeight) + 40)
    var table = NumberTable("Rejects by code and time of receipt (UTC)", ["from"] + timeline.series.map(\.code))
    let step = width / Double(max(timeline.count, 1))
    for (row, series) in shown.enumerated() {
      let bottom = Double(row) * rowHeight + 52
      let largest = series.counts.max() ?? 0
      let ticks = Ticks(to: Double(largest), count: 2)
      drawing.text(series.code, x: left - 44, y: bottom - 19, .end)
      let sum = series.counts.reduce(0, +)
      let mean = Double(sum) / Double(max(series.counts.count, 1))
      drawing.text(
        "\(Numbers.grouped(sum)) in all, mean \(Numbers.short(mean))",
        x: left - 44,
        y: bottom - 1,
        .end,
        .axis
      )
      for value in [0, ticks.end] {
        let y = bottom - 38 * value / ticks.end
        drawing.line(left, y, left + width, y, .grid)
        drawing.text(Numbers.short(value), x: left - 6, y: y + 4, .end, .axis)
      }
      for (index, count) in series.counts.enumerated() where count > 0 {
        let height = max(38 * Double(count) / ticks.end, 1)
        drawing.bar(
          x: left + Double(index) * step + step * 0.08,
          y: bottom - height,
          width: step * 0.84,
          height: height,
          .bad,
          title: "\(series.code), \(timeline.label(index)): \(count)"
        )
      }
      drawing.line(left, bottom - 38 * mean / ticks.end, left + width, bottom - 38 * mean / ticks.end, .mean)
    }
    let axis = Double(shown.count) * rowHeight + 8
    for index in Self.labelled(timeline.count) {
      let anchor: Drawing.Anchor = index == 0 ? .start : index == timeline.count - 1 ? .end : .middle
      let x = index == 0 ? left : index == timeline.count - 1 ? left + width : left + (Double(index) + 0.5) * step
      drawing.text(timeline.label(index), x: x, y: axis + 12, anchor, .axis)
    }
    drawing.text(
      "time of receipt, UTC; rejects \(timeline.stepName)",
      x: left + width / 2,
      y: axis + 29,
      .middle,
      .axis
    )
    for index in 0..<timeline.count where timeline.series.contains(where: { $0.counts[index] > 0 }) {
      table.add(timeline.label(index), cells: timeline.series.map { .number($0.counts[index]) })
    }
    let omitted =
      timeline.series.count > shown.count ? " The \(shown.count) most frequent codes; the numbers have all." : ""
    let undated =
      timeline.undated > 0
      ? " \(Numbers.grouped(timeline.undated)) rejects outside of this span, or without a time of their own, are not drawn."
      : ""
    return drawing.figure(
      "Rejects over time, by code",
      id: "timeline",
      description:
        "Rejects \(timeline.stepName). Each code has its own scale; the broken line is its mean.\(omitted)\(undated)",
      numbers: table.html
    )
  }

  /// Installs by estimated date, with the certain and the possible number for each day.
  var installsFigure: HTML {
    var table = NumberTable("Installs by day (UTC)", ["day", "estimated", "at least", "at most"])
    let bars = installs.map { day -> DayChart.Bar in
      let name = Timestamp.name(ofDay: day.day)
      if day.possible > 0 {
        table.add(name, .number(day.estimated), .number(day.certain), .number(day.possible))
      }
      return DayChart.Bar(
        name: name,
        parts: [(.bar, Double(day.estimated))],
        range: (Double(day.certain), Double(day.possible)),
        title: "\(name): about \(day.estimated), at least \(day.certain), at most \(day.possible)"
      )
    }
    let unit = "estimated day of the install, UTC; installs per day"
    let others = otherInstalls > 0 ? " \(Numbers.grouped(otherInstalls)) further installs are not drawn." : ""
    return DayChart(bars: bars, unit: unit, isWhole: true).drawing.figure(
      "Installs by estimated date",
      id: "installs",
      description:
        "First postbacks of won attributions, without redownloads and re-engagements. A bar is the estimate; the line over it goes from the "
        + "installs that are certain for that day to those that are possible, because a postback hides the day.\(others)",
      numbers: table.html
    )
  }

  /// The indexes along an axis that get a label: both ends, and the middle if there are more than three.
  private static func labelled(_ count: Int) -> [Int] {
    count > 3 ? [0, count / 2, count - 1] : Array(0..<count)
  }
}

extension Timeline {
  /// The label of a step: the time at which it begins.
  fileprivate func label(_ index: Int) -> String {
    let text = "\(Timestamp(milliseconds: Int64(start + index * stepHours) * 3_600_000))"
    return stepHours < 24 ? String(text.prefix(13)) + "h" : String(text.prefix(10))
  }

  /// The length of a step in words, such as "per day".
  fileprivate var stepName: String {
    switch stepHours {
    case 1: "per hour"
    case ..<24: "per \(stepHours) hours"
    case 24: "per day"
    default: "per \(stepHours / 24) days"
    }
  }
}

extension TimeOrigin {
  /// The origin as the end of "dated …".
  var words: String {
    switch self {
    case .ownTime: "by their envelopes"
    case .option: "by --received-at"
    case .file: "by the time of their file"
    }
  }
}
