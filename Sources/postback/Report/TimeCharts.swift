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
      drawing.text("\(Numbers.grouped(series.counts.reduce(0, +))) in all", x: left - 44, y: bottom - 1, .end, .axis)
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
      description: "Rejects \(timeline.stepName). Each code has its own scale.\(omitted)\(undated)",
      numbers: table.html
    )
  }

  /// Installs by estimated date, with the certain and the possible number for each day.
  var installsFigure: HTML {
    let (left, width, height) = (60.0, 680.0, 170.0)
    var drawing = Drawing(width: 760, height: 240)
    var table = NumberTable("Installs by day (UTC)", ["day", "estimated", "at least", "at most"])
    let ticks = Ticks(to: Double(installs.map { max($0.possible, $0.estimated) }.max() ?? 0))
    func y(_ value: Double) -> Double { 10 + height * (1 - value / ticks.end) }
    for value in ticks.values {
      drawing.line(left, y(value), left + width, y(value), .grid)
      drawing.text(Numbers.short(value), x: left - 6, y: y(value) + 4, .end, .axis)
    }
    let step = width / Double(max(installs.count, 1))
    for (index, day) in installs.enumerated() {
      let x = left + Double(index) * step
      let name = Timestamp.name(ofDay: day.day)
      let text = "\(name): about \(day.estimated), at least \(day.certain), at most \(day.possible)"
      let barWidth = min(step * 0.7, 44)
      let start = x + (step - barWidth) / 2
      drawing.bar(
        x: start,
        y: y(Double(day.estimated)),
        width: barWidth,
        height: y(0) - y(Double(day.estimated)),
        .bar,
        title: text
      )
      if day.possible > 0 {
        let (middle, cap) = (x + step / 2, min(step * 0.2, 6))
        drawing.line(middle, y(Double(day.possible)), middle, y(Double(day.certain)), .whisker)
        for value in [day.possible, day.certain] {
          drawing.line(middle - cap, y(Double(value)), middle + cap, y(Double(value)), .whisker)
        }
        table.add(name, .number(day.estimated), .number(day.certain), .number(day.possible))
      }
    }
    for index in Self.labelled(installs.count) {
      drawing.text(
        Timestamp.name(ofDay: installs[index].day),
        x: left + (Double(index) + 0.5) * step,
        y: height + 28,
        .middle,
        .axis
      )
    }
    drawing.text(
      "estimated day of the install, UTC; installs per day",
      x: left + width / 2,
      y: height + 48,
      .middle,
      .axis
    )
    let others = otherInstalls > 0 ? " \(Numbers.grouped(otherInstalls)) further installs are not drawn." : ""
    return drawing.figure(
      "Installs by estimated date",
      description:
        "First postbacks of won attributions, without redownloads. A bar is the estimate; the line over it goes from the "
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
