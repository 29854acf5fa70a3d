internal import Analysis
internal import ConversionModel
internal import PostbackPipeline
internal import TableReading

extension Report {
  private static let shownSenders = 12
  private static let listedSenders = 1000
  private static let shownRevenues = 16

  /// The name of records without a forwarder.
  static let noForwarder = "no forwarder (devices)"

  /// Rejects by ad network.
  var networksFigure: HTML {
    Self.figure(
      "networks",
      "Rejects by ad network",
      "ad network",
      networks,
      unnamed: "unknown",
      note: "Unsigned fields can be invented: the network of a forged postback is only a claim."
    )
  }

  /// Rejects by forwarder.
  var forwardersFigure: HTML {
    Self.figure(
      "forwarders",
      "Rejects by forwarder",
      "forwarder",
      forwarders,
      unnamed: Self.noForwarder,
      note:
        "Copies that devices sent themselves have no forwarder. If copies of a postback differ and one came from a device "
        + "itself, the sender of the other one is counted, whichever came first: an accepted postback that such a copy "
        + "contradicts counts for its forwarder, and the copy for nobody. Copies of two forwarders that differ, without a "
        + "device's own, are unresolved, and count against neither."
    )
  }

  private static func figure(
    _ id: String,
    _ title: String,
    _ kind: String,
    _ senders: [Sender],
    unnamed: String,
    note: String
  ) -> HTML {
    func share(_ count: Int, _ sender: Sender) -> Double { sender.read > 0 ? Double(count) / Double(sender.read) : 0 }
    func share(_ sender: Sender) -> Double { share(sender.faults, sender) }
    let shown = senders.prefix(shownSenders)
      .sorted { (share($1), $1.read, $0.name ?? "") < (share($0), $0.read, $1.name ?? "") }
    var drawing = Drawing(width: 760, height: shown.count * 30 + 58)
    var table = NumberTable(
      title,
      [
        kind, "suspicious", "contradicted", "read", "share", "noise", "copies", "unresolved copies",
        "most frequent suspicious code",
      ]
    )
    func percent(_ count: Int, _ sender: Sender) -> Double { 100 * share(count, sender) }
    let ticks = Ticks(to: shown.map { percent($0.faults + $0.rejects.noise, $0) }.max() ?? 0)
    let bottom = Double(shown.count * 30 + 20)
    for value in ticks.values {
      let x = 230 + 280 * value / ticks.end
      drawing.line(x, 18, x, bottom, .grid)
      drawing.text("\(Numbers.short(value)) %", x: x, y: bottom + 14, .middle, .axis)
    }
    drawing.text("suspicious, then noise, of all records of the \(kind)", x: 370, y: bottom + 31, .middle, .axis)
    let (faults, read) = (senders.reduce(0) { $0 + $1.faults }, senders.reduce(0) { $0 + $1.read })
    if senders.count > 1, read > 0 {
      let mean = 100 * Double(faults) / Double(read)
      drawing.mean(x: 230 + 280 * mean / ticks.end, bottom: bottom, "all \(Share(faults, of: read))")
    }
    for (index, sender) in shown.enumerated() {
      let y = Double(index * 30 + 14)
      let width = 280 * percent(sender.faults, sender) / ticks.end
      let noise = 280 * percent(sender.rejects.noise, sender) / ticks.end
      drawing.text((sender.name ?? unnamed).shortened(to: 23), x: 222, y: y + 20, .end)
      drawing.bar(
        x: 230,
        y: y + 7,
        width: width,
        height: 18,
        .bad,
        title: "suspicious: \(sender.faults) of \(sender.read)"
      )
      if sender.rejects.noise > 0 {
        drawing.bar(
          x: 230 + width,
          y: y + 7,
          width: noise,
          height: 18,
          .none,
          title: "noise: \(sender.rejects.noise) of \(sender.read)"
        )
      }
      drawing.text(
        "\(Share(sender.faults, of: sender.read)): \(Numbers.grouped(sender.faults)) of \(Numbers.grouped(sender.read))",
        x: 236 + width + noise,
        y: y + 20,
        .start,
        .value
      )
    }
    for sender in shown + senders.dropFirst(shown.count).prefix(listedSenders - shown.count) {
      table.add(
        sender.name ?? unnamed,
        .number(sender.rejects.suspicious),
        .number(sender.contradicted),
        .number(sender.read),
        .share(sender.faults, of: sender.read),
        .number(sender.rejects.noise),
        .number(sender.rejects.copies),
        .number(sender.unresolved),
        .text(sender.mostFrequentCode ?? "")
      )
    }
    let more =
      senders.count > shown.count
      ? " These are the \(shown.count) with the most suspicious records of \(senders.count)." : ""
    return drawing.figure(
      title,
      id: id,
      description:
        "The share and the number of its records that are suspicious, the highest share first; the broken line is the share of "
        + "all. Dotted is noise: broken, unknown or test records. Further copies of accepted postbacks are harmless, and are "
        + "in the numbers alone.\(more) \(note)",
      numbers: table.html
    )
  }

  /// Decoded revenue by app, with its lower and upper limits.
  var revenueFigure: HTML {
    guard !revenue.isEmpty else {
      return
        "<figure id=\"revenue\"><figcaption>Decoded revenue</figcaption><p class=\"note\">No accepted postback decodes to revenue.</p></figure>"
    }
    let shown = revenue.prefix(Self.shownRevenues)
    var drawing = Drawing(width: 760, height: shown.count * 50 + 44)
    var table = NumberTable(
      "Decoded revenue by app",
      ["app", "currency", "postbacks", "windows", "estimate", "at least", "below", "without a limit"]
    )
    let bottom = Double(shown.count * 50 + 6)
    // Amounts in different currencies cannot be compared, so each currency has its own scale.
    var scales: [String: Ticks] = [:]
    for range in shown {
      let largest = max(range.farthest.approximation, scales[range.currency]?.end ?? 0)
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
      func x(_ amount: Amount) -> Double { 190 + 540 * amount.approximation / end }
      drawing.text("app \(range.app)".shortened(to: 24), x: 180, y: y + 4, .end)
      drawing.line(x(range.minimum), y, x(range.farthest), y, .whisker)
      drawing.line(x(range.minimum), y - 6, x(range.minimum), y + 6, .whisker)
      if range.maximum == nil {
        // An arrow shows that there is no upper limit.
        drawing.line(x(range.farthest), y, x(range.farthest) - 7, y - 5, .whisker)
        drawing.line(x(range.farthest), y, x(range.farthest) - 7, y + 5, .whisker)
      } else {
        drawing.line(x(range.farthest), y - 6, x(range.farthest), y + 6, .whisker)
      }
      drawing.dot(x: x(range.estimate), y: y)
      let limit = range.maximum.map { "to \($0)" } ?? "or more"
      drawing.text(
        "\(range.estimate) (\(range.minimum) \(limit)) \(range.currency)",
        x: 190,
        y: y - 14,
        .start,
        .value
      )
      table.add(
        range.app,
        .text(range.currency),
        .number(range.postbacks),
        .text(range.basis.words),
        .text("\(range.estimate)"),
        .text("\(range.minimum)"),
        .text(range.maximum.map { "\($0)" } ?? "open"),
        .number(range.openEnded)
      )
    }
    let more = revenue.count > shown.count ? " The first \(shown.count) of \(revenue.count)." : ""
    let largest =
      revenue.contains { $0.basis == .largest }
      ? " A cumulative window, which includes those before it, is not added to them, because nothing tells which postbacks are "
        + "of one user: of both sums the larger is taken, which is never too high." : ""
    return drawing.figure(
      "Decoded revenue, with its range",
      id: "revenue",
      description:
        "The revenue that the conversion models derive from the copies that were accepted first, before any settlement: a dot for the estimate, and a line from the lower "
        + "to the upper limit; an arrow if there is no upper limit. Currencies are never added.\(largest)\(more)",
      numbers: table.html
    )
  }
}

extension Report.RevenueRange {
  /// The right end of the revenue's line: the upper limit. Without one it is the largest known amount: the limit of the
  /// postbacks that have one, or the estimate.
  fileprivate var farthest: Amount { maximum ?? max(closedMaximum, estimate) }
}

extension Report.RevenueRange.Basis {
  /// The basis in words.
  fileprivate var words: String {
    switch self {
    case .oneWindow: "one"
    case .sum: "added"
    case .largest: "not added, cumulative"
    }
  }
}
