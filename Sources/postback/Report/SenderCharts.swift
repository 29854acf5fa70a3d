internal import Analysis
internal import ConversionModel

extension Report {
  private static let shownSenders = 12
  private static let listedSenders = 1000
  private static let shownRevenues = 16

  /// Rejects by ad network.
  var networksFigure: HTML { Self.figure("Rejects by ad network", "ad network", networks) }

  /// Rejects by forwarder.
  var forwardersFigure: HTML { Self.figure("Rejects by forwarder", "forwarder", forwarders) }

  private static func figure(_ title: String, _ kind: String, _ senders: [Sender]) -> HTML {
    let shown = senders.prefix(shownSenders)
    var drawing = Drawing(width: 760, height: shown.count * 30 + 44)
    var table = NumberTable(title, [kind, "rejects", "read", "share", "most frequent code"])
    let ticks = Ticks(to: shown.map { $0.read > 0 ? 100 * Double($0.rejects) / Double($0.read) : 0 }.max() ?? 0)
    let bottom = Double(shown.count * 30 + 6)
    for value in ticks.values {
      let x = 230 + 280 * value / ticks.end
      drawing.line(x, 4, x, bottom, .grid)
      drawing.text("\(Numbers.short(value)) %", x: x, y: bottom + 14, .middle, .axis)
    }
    drawing.text("rejected, of all records of the \(kind)", x: 370, y: bottom + 31, .middle, .axis)
    for (index, sender) in shown.enumerated() {
      let y = Double(index * 30)
      let share = sender.read > 0 ? 100 * Double(sender.rejects) / Double(sender.read) : 0
      drawing.text((sender.name ?? "not said").shortened(to: 25), x: 222, y: y + 20, .end)
      drawing.bar(
        x: 230,
        y: y + 7,
        width: 280 * share / ticks.end,
        height: 18,
        .bad,
        title: "\(sender.rejects) of \(sender.read)"
      )
      drawing.text(
        "\(Share(sender.rejects, of: sender.read)): \(Numbers.grouped(sender.rejects)) of \(Numbers.grouped(sender.read))",
        x: 236 + 280 * share / ticks.end,
        y: y + 20,
        .start,
        .value
      )
    }
    for sender in senders.prefix(listedSenders) {
      table.add(
        sender.name ?? "not said",
        .number(sender.rejects),
        .number(sender.read),
        .share(sender.rejects, of: sender.read),
        .text(sender.mostFrequentCode ?? "")
      )
    }
    let more = senders.count > shown.count ? " The \(shown.count) with the most rejects of \(senders.count)." : ""
    return drawing.figure(
      title,
      description:
        "The share of its records that were rejected, and how many.\(more) What is not signed can be invented: of a forged "
        + "postback the network is only what it claims.",
      numbers: table.html
    )
  }

  /// Decoded revenue by app, from the least that it can be to the most.
  var revenueFigure: HTML {
    guard !revenue.isEmpty else {
      return
        "<figure><figcaption>Decoded revenue</figcaption><p class=\"note\">No accepted postback decodes to revenue.</p></figure>"
    }
    let shown = revenue.prefix(Self.shownRevenues)
    var drawing = Drawing(width: 760, height: shown.count * 50 + 44)
    var table = NumberTable(
      "Decoded revenue by app",
      ["app", "currency", "postbacks", "estimate", "at least", "below", "without a limit"]
    )
    let bottom = Double(shown.count * 50 + 6)
    // An amount of one currency says nothing beside one of another.
    var scales: [String: Ticks] = [:]
    for range in shown {
      let largest = max(range.maximum.approximate, range.estimate.approximate, scales[range.currency]?.end ?? 0)
      scales[range.currency] = Ticks(to: largest, isWhole: false)
    }
    let isOneCurrency = scales.count == 1
    if isOneCurrency, let (currency, ticks) = scales.first {
      for value in ticks.values {
        let x = 190 + 540 * value / ticks.end
        drawing.line(x, 4, x, bottom, .grid)
        drawing.text(Numbers.short(value), x: x, y: bottom + 14, .middle, .axis)
      }
      drawing.text("revenue, \(currency)", x: 460, y: bottom + 31, .middle, .axis)
    } else {
      drawing.text("revenue, each currency on its own scale", x: 460, y: bottom + 20, .middle, .axis)
    }
    for (index, range) in shown.enumerated() {
      let y = Double(index * 50 + 36)
      let end = scales[range.currency]?.end ?? 1
      func x(_ amount: Amount) -> Double { 190 + 540 * amount.approximate / end }
      drawing.text("app \(range.app)".shortened(to: 24), x: 180, y: y + 4, .end)
      drawing.line(x(range.minimum), y, x(range.maximum), y, .whisker)
      for amount in [range.minimum, range.maximum] { drawing.line(x(amount), y - 6, x(amount), y + 6, .whisker) }
      drawing.dot(x: x(range.estimate), y: y)
      let openEnded = range.openEnded > 0 ? " or more" : ""
      drawing.text(
        "\(range.estimate) (\(range.minimum) to \(range.maximum)\(openEnded)) \(range.currency)",
        x: 190,
        y: y - 14,
        .start,
        .value
      )
      table.add(
        range.app,
        .text(range.currency),
        .number(range.postbacks),
        .text("\(range.estimate)"),
        .text("\(range.minimum)"),
        .text("\(range.maximum)"),
        .number(range.openEnded)
      )
    }
    let more = revenue.count > shown.count ? " The \(shown.count) largest of \(revenue.count)." : ""
    return drawing.figure(
      "Decoded revenue, with its range",
      description:
        "What the conversion models make of the values of accepted postbacks: a dot for the estimate, and a line from the least to "
        + "the most. Where a value has no upper limit its estimate stands for one.\(more)",
      numbers: table.html
    )
  }
}

extension Amount {
  /// Near enough to draw.
  fileprivate var approximate: Double { Double("\(self)") ?? 0 }
}
