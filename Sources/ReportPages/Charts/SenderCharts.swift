internal import Analysis
internal import ConversionModel
internal import JSON
internal import TableReading
internal import PageMarkup

extension RejectReport {
  private static let shownSenders = 12
  private static let listedSenders = 1000
  private static let shownRevenues = 16

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
    func share(_ sender: Sender) -> Double { sender.read > 0 ? Double(sender.faults) / Double(sender.read) : 0 }
    func counts(_ suspicious: Int, _ read: Int) -> [JSONValue.Member] {
      [.init("suspicious", .integer(suspicious)), .init("read", .integer(read))]
    }
    let shown = senders.prefix(shownSenders)
      .sorted { (share($1), $1.read, $0.name ?? "") < (share($0), $0.read, $1.name ?? "") }
    var table = NumberTable(
      title,
      [
        kind, "suspicious", "contradicted", "read", "share", "noise", "copies", "unresolved copies",
        "most frequent suspicious code",
      ]
    )
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
    return Figure(
      title: title,
      id: id,
      chart: .senders,
      description:
        "The share and the number of its records that are suspicious, the highest share first; the broken line is the share of "
        + "all. Dotted is noise: broken, unknown or test records. Further copies of accepted postbacks are harmless, and are "
        + "in the numbers alone.\(more) \(note)",
      data: .object([
        .init("kind", .string(kind)),
        .init(
          "all",
          .object(counts(senders.reduce(0) { $0 + $1.faults }, senders.reduce(0) { $0 + $1.read }))
        ),
        .init(
          "senders",
          .array(
            shown.map { one in
              .object(
                counts(one.faults, one.read)
                  + [
                    .init("name", .shown(one.name ?? unnamed)), .init("noise", .integer(one.rejects.noise)),
                    .init("value", one.name.map { .shown($0) } ?? .null),
                  ]
              )
            }
          )
        ),
      ]),
      numbers: table.html
    ).html
  }

  /// Decoded revenue by app, with its lower and upper limits.
  var revenueFigure: HTML {
    guard !revenue.isEmpty else {
      return
        "<figure id=\"revenue\"><figcaption>Decoded revenue</figcaption><p class=\"note\">No accepted postback decodes to revenue.</p></figure>"
    }
    var table = NumberTable(
      "Decoded revenue by app",
      ["app", "currency", "postbacks", "windows", "estimate", "at least", "below", "without a limit"]
    )
    for range in revenue {
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
    let more = revenue.count > Self.shownRevenues ? " The first \(Self.shownRevenues) of \(revenue.count)." : ""
    let largest =
      revenue.contains { $0.basis == .largest }
      ? " A cumulative window, which includes those before it, is not added to them, because nothing tells which postbacks are "
        + "of one user: of both sums the larger is taken, which is never too high." : ""
    return Figure(
      title: "Decoded revenue, with its range",
      id: "revenue",
      chart: .revenue,
      description:
        "The revenue that the conversion models derive from the copies that were accepted first, before any settlement: a dot for the estimate, and a line from the lower "
        + "to the upper limit; an arrow if there is no upper limit. Currencies are never added.\(largest)\(more)",
      data: .object([.init("ranges", .array(revenue.prefix(Self.shownRevenues).map(\.json)))]),
      numbers: table.html
    ).html
  }
}

extension RejectReport.RevenueRange {
  /// The right end of the revenue's line: the upper limit. Without one it is the largest known amount: the limit of the
  /// postbacks that have one, or the estimate.
  private var farthest: Amount { maximum ?? max(closedMaximum, estimate) }

  /// The range for the chart; without an upper limit `maximum` is null.
  fileprivate var json: JSONValue {
    .object([
      .init("app", .shown(app)),
      .init("currency", .shown(currency)),
      .init("estimate", .string("\(estimate)")),
      .init("minimum", .string("\(minimum)")),
      .init("maximum", maximum.map { .string("\($0)") } ?? .null),
      .init("farthest", .string("\(farthest)")),
    ])
  }
}

extension RejectReport.RevenueRange.Basis {
  /// The basis in words.
  fileprivate var words: String {
    switch self {
    case .oneWindow: "one"
    case .sum: "added"
    case .largest: "not added, cumulative"
    }
  }
}
