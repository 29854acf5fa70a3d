internal import Answers
internal import Analysis
internal import ConversionModel
internal import JSON
internal import PageMarkup

extension RejectReport {
  /// The figure of the funnel: read → parsed → verified → unique → decoded.
  var funnelFigure: HTML {
    var table = NumberTable("Records after each stage", ["stage", "records", "of read", "lost here"])
    let read = funnel.first?.count ?? 0
    var before = read
    for step in funnel {
      table.add(step.name, .number(step.count), .share(step.count, of: read), .number(before - step.count))
      before = step.count
    }
    let unique = undecoded.reduce(before) { $0 + $1.count }
    var statuses = NumberTable(
      "Unique postbacks that are not decoded",
      ["decode_status", "postbacks", "of unique", "meaning"]
    )
    for (status, count) in undecoded {
      statuses.add(status.rawValue, .number(count), .share(count, of: unique), .text(status.meaning))
    }
    return Figure(
      title: "From read to decoded",
      id: "funnel",
      chart: .funnel,
      description:
        "Records that are left after each stage, of \(Numbers.grouped(read)) read. Below: unique postbacks that are not decoded, "
        + "with the reason; the tables hold them too.",
      data: .object([
        .init("steps", .array(funnel.map { .array([.string($0.name), .integer($0.count)]) })),
        .init(
          "undecoded",
          .array(
            undecoded.map { .array([.string($0.status.rawValue), .integer($0.count), .string($0.status.meaning)]) }
          )
        ),
      ]),
      numbers: "\(table.html)\(statuses.html)"
    ).html
  }

  /// Won postbacks of each window by kind of conversion value: fine, coarse, null.
  var windowsFigure: HTML {
    var table = NumberTable(
      "Won postbacks by window and value",
      ["window", "fine value", "coarse value", "null", "null share"]
    )
    for window in windows {
      table.add(
        "\(window.index)",
        .number(window.fine),
        .number(window.coarse),
        .number(window.none),
        .share(window.none, of: window.fine + window.coarse + window.none)
      )
    }
    return Figure(
      title: "Null values by window",
      id: "windows",
      chart: .windows,
      description: "Won postbacks of each conversion window: those with a fine value, a coarse one, and none (null). "
        + "Apple withholds values of small crowds.",
      data: .object([
        .init("windows", .array(windows.map { .integers([$0.fine, $0.coarse, $0.none]) }))
      ]),
      numbers: table.html
    ).html
  }
}

extension DecodeStatus {
  /// A short explanation of the status, for analysts.
  fileprivate var meaning: String {
    switch self {
    case .decoded: "the model says what the value means"
    case .null: "no conversion value, which is not 0"
    case .unmapped: "a value that the model does not list"
    case .noModel: "no model of the app for that time"
    case .ambiguous: "the models of the possible install dates disagree"
    case .notWon: "a lost attribution, which is never decoded"
    }
  }
}
