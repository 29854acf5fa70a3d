package import Analysis
internal import Base
package import JSON
internal import SKAdNetwork
internal import TableReading

/// The rejects of two periods, and the groups that changed, as text or JSON.
package struct ComparisonAnswer {
  let comparison: RejectComparison
  /// The maximum number of groups to print.
  let top: Int

  package init(comparison: RejectComparison, top: Int) { (self.comparison, self.top) = (comparison, top) }

  private var changes: ArraySlice<RejectComparison.Change> { comparison.changes.prefix(top) }

  /// One JSON object.
  package var json: JSONValue {
    .object([
      .init("before", json(comparison.periods.before, comparison.totals.before)),
      .init("after", json(comparison.periods.after, comparison.totals.after)),
      .init("changed_groups", .integer(comparison.changes.count)),
      .init("changes", .array(changes.map(json))),
    ])
  }

  private func json(_ period: RejectPeriod, _ totals: OutcomeCounts) -> JSONValue {
    .object([
      .init("period", .string(period.description)), .init("days", .integer(period.days.count)),
      .init("read", .integer(totals.total)), .init("accepted", .integer(totals.accepted)),
      .init("rejects_by_class", .counts(totals.rejects)),
    ])
  }

  private func json(_ change: RejectComparison.Change) -> JSONValue {
    func decimal(_ value: Double) -> JSONValue { .number("\((value * 1_000_000).rounded() / 1_000_000)") }
    return .object([
      .init("reject_code", .string(change.code)), .init("class", .string(change.rejectClass.rawValue)),
      .init("forwarder", .text(change.forwarder)), .init("ad_network_id", .text(change.network)),
      .init("app_id", .text(change.app)), .init("ad_networks", .integer(change.networks)),
      .init("apps", .integer(change.apps)), .init("before", .integer(change.before)),
      .init("after", .integer(change.after)), .init("difference", decimal(change.difference)),
      .init("share_of_change", decimal(change.share)), .init("is_clear", .bool(change.isClear)),
      .init("changed_on", .text(change.day.map { Timestamp.name(ofDay: $0) })),
      .init("per_day_before", decimal(change.rates.before)), .init("per_day_after", decimal(change.rates.after)),
      .init("source_identifier_before", .text(change.sources?.before)),
      .init("source_identifier_after", .text(change.sources?.after)),
    ])
  }

  /// The totals of both periods, and a table of the groups.
  package var text: String {
    let (before, after) = (comparison.totals.before, comparison.totals.after)
    var totals = TextTable(["", "\(comparison.periods.before)", "\(comparison.periods.after)"], numbersIn: [1, 2])
    totals.add("records read", "\(before.total)", "\(after.total)")
    totals.add("accepted", "\(before.accepted)", "\(after.accepted)")
    for one in RejectClass.allCases.reversed() {
      totals.add(one.words, "\(before.rejects[one])", "\(after.rejects[one])")
    }
    var parts = ["the two periods", totals.text(indent: 2)]
    guard !changes.isEmpty else { return (parts + ["no group of rejects changed"]).joined(separator: "\n\n") }
    var table = TextTable(
      [
        "reject_code", "class", "forwarder", "ad_network_id", "app_id", "before", "after", "of change", "a day",
        "since", "source identifier",
      ],
      numbersIn: [5, 6, 7]
    )
    for change in changes {
      table.add(
        change.code,
        change.rejectClass.rawValue,
        (change.forwarder ?? "-").shortened(to: 40),
        ChangeWords(change).network.shortened(to: 40),
        ChangeWords(change).app,
        "\(change.before)",
        "\(change.after)",
        Numbers.percent(change.share),
        ChangeWords(change).rates,
        ChangeWords(change).day ?? "",
        change.sources.map { "\($0.before) → \($0.after)" } ?? ""
      )
    }
    parts += [
      "the groups of rejects that changed, without copies; those with the largest part of the change first",
      table.text(indent: 2),
    ]
    let rest = comparison.changes.count - changes.count
    if rest > 0 { parts.append("and \(rest) further groups; --top N prints more") }
    return parts.joined(separator: "\n\n")
  }
}

/// A change in words.
package struct ChangeWords {
  private let change: RejectComparison.Change

  package init(_ change: RejectComparison.Change) { self.change = change }

  /// The first day of the change with its name, such as `Tuesday 2026-03-24`.
  package var day: String? {
    change.day.map { day in
      // 1970-01-01 was a Thursday.
      let names = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
      return "\(names[(day % 7 + 7) % 7]) \(Timestamp.name(ofDay: day))"
    }
  }

  /// The network, or the number of networks.
  package var network: String { change.networks > 1 ? "\(change.networks) networks" : change.network ?? "-" }

  /// The app, or the number of apps.
  package var app: String { change.apps > 1 ? "\(change.apps) apps" : change.app ?? "-" }

  /// The rejects of a day before and after.
  package var rates: String { "\(Self.number(change.rates.before)) → \(Self.number(change.rates.after))" }

  /// The factor of the change, such as `×4.0`; `new` if there were none before.
  var factor: String {
    change.rates.before > 0 ? "×\(Self.number(change.rates.after / change.rates.before))" : "new"
  }

  /// The change as a sentence.
  package var sentence: String {
    let sender = change.forwarder.map { "forwarder \($0)" } ?? "no forwarder"
    let network = change.networks > 1 ? ", \(network)" : change.network.map { ", network \($0)" } ?? ""
    let app = change.apps > 1 ? ", \(app)" : change.app.map { ", app \($0)" } ?? ""
    let sources =
      change.sources.map { ", most often with the source identifier \($0.after), before \($0.before)" } ?? ""
    return """
      \(day ?? "In the later period"): \(change.code) \(factor), \(rates) a day, \(sender)\(network)\(app)\(sources). This is \
      \(Numbers.percent(change.share)) of what changed in rejects.
      """
  }

  private static func number(_ value: Double) -> String {
    value >= 100 ? Numbers.grouped(Int(value.rounded())) : "\((value * 10).rounded() / 10)"
  }
}
