internal import Analysis
internal import ConversionModel
internal import PostbackPipeline

extension Report {
  /// The figure of the funnel: read → parsed → verified → unique → decoded, as bars.
  var funnelFigure: HTML {
    let missing = undecoded.filter { $0.count > 0 }
    var drawing = Drawing(width: 760, height: funnel.count * 40 + missing.count * 28 + 8)
    var table = NumberTable("Records after each stage", ["stage", "records", "of read", "lost here"])
    let read = funnel.first?.count ?? 0
    var before = read
    for (index, step) in funnel.enumerated() {
      let y = Double(index * 40)
      let width = read > 0 ? 420 * Double(step.count) / Double(read) : 0
      drawing.text(step.name, x: 90, y: y + 24, .end)
      drawing.bar(x: 100, y: y + 6, width: 420, height: 28, .track)
      drawing.bar(x: 100, y: y + 6, width: width, height: 28, .bar, title: "\(step.name): \(step.count)")
      let lost = before - step.count
      let loss = lost > 0 ? ", −\(Numbers.grouped(lost))" : ""
      drawing.text(
        "\(Numbers.grouped(step.count)) (\(Share(step.count, of: read)))\(loss)",
        x: 530,
        y: y + 24,
        .start,
        .value
      )
      table.add(step.name, .number(step.count), .share(step.count, of: read), .number(lost))
      before = step.count
    }
    let unique = undecoded.reduce(before) { $0 + $1.count }
    for (index, step) in missing.enumerated() {
      let y = Double(funnel.count * 40 + index * 28)
      let width = read > 0 ? 420 * Double(step.count) / Double(read) : 0
      drawing.text(step.status.words, x: 90, y: y + 19, .end, .axis)
      drawing.bar(x: 100, y: y + 6, width: width, height: 16, .none, title: "\(step.status.words): \(step.count)")
      drawing.text(
        "\(Numbers.grouped(step.count)) (\(Share(step.count, of: unique)) of unique)",
        x: 530,
        y: y + 19,
        .start,
        .axis
      )
    }
    var statuses = NumberTable(
      "Unique postbacks that are not decoded",
      ["decode_status", "postbacks", "of unique", "meaning"]
    )
    for (status, count) in undecoded {
      statuses.add(status.rawValue, .number(count), .share(count, of: unique), .text(status.meaning))
    }
    return drawing.figure(
      "From read to decoded",
      id: "funnel",
      description:
        "Records that are left after each stage, of \(Numbers.grouped(read)) read. Below: unique postbacks that are not decoded, "
        + "with the reason; the tables hold them too.",
      numbers: "\(table.html)\(statuses.html)"
    )
  }

  /// Won postbacks of each window by kind of conversion value (fine, coarse, null), as parts of a bar.
  var windowsFigure: HTML {
    var drawing = Drawing(width: 760, height: 216)
    var table = NumberTable(
      "Won postbacks by window and value",
      ["window", "fine value", "coarse value", "null", "null share"]
    )
    for (index, window) in windows.enumerated() {
      let y = Double(index * 56 + 6)
      let total = window.fine + window.coarse + window.none
      drawing.text("window \(window.index)", x: 90, y: y + 20, .end)
      drawing.bar(x: 100, y: y, width: 480, height: 28, .track)
      var x = 100.0
      for (style, count, name) in [
        (Drawing.Style.fine, window.fine, "fine"), (.coarse, window.coarse, "coarse"), (.none, window.none, "null"),
      ] where count > 0 {
        let width = 480 * Double(count) / Double(total)
        drawing.bar(x: x, y: y, width: width, height: 28, style, title: "\(name): \(count)")
        if width > 110 {
          drawing.text("\(name) \(Share(count, of: total))", x: x + width / 2, y: y + 45, .middle, .axis)
        }
        x += width
      }
      drawing.text(
        total == 0 ? "no postbacks" : "\(Share(window.none, of: total)) null of \(Numbers.grouped(total))",
        x: 590,
        y: y + 19,
        .start,
        .value
      )
      table.add(
        "\(window.index)",
        .number(window.fine),
        .number(window.coarse),
        .number(window.none),
        .share(window.none, of: total)
      )
    }
    for (index, (style, name)) in [(Drawing.Style.fine, "fine value"), (.coarse, "coarse value"), (.none, "null")]
      .enumerated()
    {
      let x = Double(100 + index * 150)
      drawing.bar(x: x, y: 184, width: 26, height: 18, style)
      drawing.text(name, x: x + 34, y: 199)
    }
    return drawing.figure(
      "Null values by window",
      id: "windows",
      description: "Won postbacks of each conversion window: those with a fine value, a coarse one, and none (null). "
        + "Apple withholds values of small crowds.",
      numbers: table.html
    )
  }
}

extension DecodeStatus {
  /// The status beside a bar.
  fileprivate var words: String {
    switch self {
    case .decoded: "decoded"
    case .null: "null"
    case .unmapped: "unmapped"
    case .noModel: "no model"
    case .ambiguous: "ambiguous"
    case .notWon: "not won"
    }
  }

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
