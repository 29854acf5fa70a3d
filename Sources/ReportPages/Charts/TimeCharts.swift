internal import Answers
internal import Analysis
internal import Base
internal import JSON
internal import PageMarkup

extension RejectReport {
  private static let shownCodes = 8

  /// Rejects over time: a row of bars for each code, over one axis of time.
  var timelineFigure: HTML {
    var table = NumberTable("Rejects by code and time of receipt (UTC)", ["from"] + timeline.series.map(\.code))
    for index in 0..<timeline.count where timeline.series.contains(where: { $0.counts[index] > 0 }) {
      table.add(timeline.label(index), cells: timeline.series.map { .number($0.counts[index]) })
    }
    let omitted =
      timeline.series.count > Self.shownCodes
      ? " The \(Self.shownCodes) most frequent codes; the numbers have all." : ""
    let undated =
      timeline.undated > 0
      ? " \(Numbers.grouped(timeline.undated)) rejects outside of this span, or without a time of their own, are not drawn."
      : ""
    return Figure(
      title: "Rejects over time, by code",
      id: "timeline",
      chart: .timeline,
      description:
        "Rejects \(timeline.stepName). Each code has its own scale; the broken line is its mean.\(omitted)\(undated)",
      data: .object([
        .init("step", .string(timeline.stepName)),
        .init("labels", .array((0..<timeline.count).map { .string(timeline.label($0)) })),
        .init("series", .array(timeline.series.map { .array([.shown($0.code), .integers($0.counts)]) })),
      ]),
      numbers: table.html
    ).html
  }

  /// Installs by estimated date, with the certain and the possible number for each day.
  var installsFigure: HTML {
    var table = NumberTable("Installs by day (UTC)", ["day", "estimated", "at least", "at most"])
    for day in installs where day.possible > 0 {
      let name = Timestamp.name(ofDay: day.day)
      table.add(name, .number(day.estimated), .number(day.certain), .number(day.possible))
    }
    let others = otherInstalls > 0 ? " \(Numbers.grouped(otherInstalls)) further installs are not drawn." : ""
    return Figure(
      title: "Installs by estimated date",
      id: "installs",
      chart: .installs,
      description:
        "First postbacks of won attributions, without redownloads and re-engagements. A bar is the estimate; the line over it goes from the "
        + "installs that are certain for that day to those that are possible, because a postback hides the day.\(others)",
      data: .object([
        .init("days", .array(installs.map { .integers([$0.day, $0.estimated, $0.certain, $0.possible]) }))
      ]),
      numbers: table.html
    ).html
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
