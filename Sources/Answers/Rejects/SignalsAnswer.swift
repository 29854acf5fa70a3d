package import Analysis
internal import Base
internal import ConversionModel
package import FraudSignals
package import JSON
internal import LookupTables
internal import SKAdNetwork
internal import Statistics
package import VendorReports

/// Signals among accepted postbacks, as text or JSON.
package struct SignalsAnswer {
  let survey: SignalSurvey
  let report: SignalReport
  /// The counts of vendors' exports beside the postbacks, as the last daily report compared them.
  let vendors: [VendorReport]
  /// The maximum number of networks, and of comparisons, to print.
  let top: Int

  package init(survey: SignalSurvey, report: SignalReport, vendors: [VendorReport] = [], top: Int) {
    (self.survey, self.report, self.vendors, self.top) = (survey, report, vendors, top)
  }

  /// One JSON object.
  package var json: JSONValue {
    .object([
      .init(
        "networks",
        .array(survey.networks.prefix(top).map { json($0.network, $0.signals, lateReplays($0.network)) })
      ),
      .init("all_networks", json(nil, survey.total, lateReplays(nil))),
      .init("correction", .string("holm")),
      .init("level", .decimal(SignalTest.level)),
      .init("tests", .integer(report.tests.count)),
      .init("alarms", .array(report.alarms.map(Self.json))),
      .init("differences", .array(report.differences.map(Self.json))),
      .init("withdrawn", .array(report.withdrawn.map(Self.json))),
      .init("further_tests", .array(further.prefix(top).map(Self.json))),
      .init("not_tested", .array(report.omissions.map(Self.json))),
      .init("partly_tested", .array(report.partialOmissions.map(Self.json))),
      .init("vendors", .array(vendors.map(\.json))),
      .init("left_out", .integer(report.leftOut)),
      .init("uncounted_postbacks", .integer(survey.uncounted)),
      .init("unfollowed_copies", .integer(survey.unfollowedCopies)),
    ])
  }

  /// The tests that are neither alarms nor significant differences nor withdrawn.
  private var further: [SignalTest] { report.tests.filter { !$0.isSignificant && $0.withdrawnOn == nil } }

  /// A test that was not made, as an object.
  package static func json(_ omission: SignalReport.Omission) -> JSONValue {
    .object([.init("test", .string(omission.name.rawValue)), .init("reason", .string(omission.reason))])
  }

  /// The number of postbacks of a network, or of all, that a sender sent again long after its own first copy.
  private func lateReplays(_ network: String?) -> Int {
    network.map { report.lateReplays[$0] ?? 0 } ?? report.lateReplays.values.reduce(0, +)
  }

  private func json(_ network: String?, _ signals: NetworkSignals, _ lateReplays: Int) -> JSONValue {
    let flags = zip(TierFlags.names, signals.tierFlags).filter { $1 > 0 }
    return .object([
      .init("ad_network_id", .text(network)),
      .init("accepted", .integer(signals.accepted)),
      .init("tier_impossible", .integer(signals.flagged)),
      .init("tier_flags", .object(flags.map { .init($0.name, .integer($1)) })),
      .init("redownload", Self.json(signals.redownload)),
      .init("view_through", Self.json(signals.viewThrough)),
      .init("did_win", Self.json(signals.won)),
      .init("copies", .integer(signals.copies)),
      .init("copied_postbacks", .integer(signals.copied)),
      .init("most_copies_of_one", .integer(signals.mostCopies)),
      .init("late_replays", .integer(lateReplays)),
    ])
  }

  /// A test as an object.
  package static func json(_ test: SignalTest) -> JSONValue {
    let effect = test.money.sorted { $0.key < $1.key }.map {
      JSONValue.Member($0.key, .number($0.value.description))
    }
    let ofDevices = test.revenue.map { [JSONValue.Member($0.currency, .number($0.ofDevices.description))] }
    return .object([
      .init("test", .string(test.name.rawValue)),
      .init("kind", .string(test.kind.rawValue)),
      .init("basis", .string(test.basis.rawValue)),
      .init("method", .string(test.method.rawValue)),
      .init("party", .string(test.party.kind.rawValue)),
      .init("name", .string(test.party.name)),
      .init("app_id", .text(test.app)),
      .init("value", .text(test.value)),
      .init("own", json(test.own)),
      .init("others", json(test.others)),
      .init("effect", .decimal(test.effect)),
      .init("campaigns", .integer(test.campaigns?.own)),
      .init("campaigns_of_others", .integer(test.campaigns?.others)),
      .init("p_value", .number("\(test.pValue)")),
      .init("p_value_corrected", .number("\(test.correctedPValue)")),
      .init("valid_at_any_time", .bool(test.method.isValidAtAnyTime)),
      .init("alarm", .bool(test.isAlarm)),
      .init("withdrawn_on", test.withdrawnOn.map { .string(SignalSentence.date($0)) } ?? .null),
      .init("since", test.since.map(json) ?? .null),
      .init("whole_period", .bool(test.isThroughout)),
      .init("change", test.change.map(json) ?? .null),
      .init("revenue_effect", .object(effect)),
      .init("revenue_of_devices", .object(ofDevices ?? [])),
      .init("left_out", .integer(test.leftOut)),
      .init("summary", .string(SignalSentence(test: test).text)),
    ])
  }

  private static func json(_ since: SignalOnset) -> JSONValue {
    .object([
      .init("day", .string(SignalSentence.date(since.day))), .init("low", .string(SignalSentence.date(since.low))),
      .init("high", .string(SignalSentence.date(since.high))),
    ])
  }

  private static func json(_ change: SignalChange) -> JSONValue {
    .object([
      .init("field", .string(change.field)), .init("from", .string(change.from)), .init("to", .string(change.to)),
      .init("count", .integer(change.count)),
    ])
  }

  private static func json(_ rate: Rate) -> JSONValue {
    .object([
      .init("count", .integer(rate.count)), .init("of", .integer(rate.total)),
      .init("share", .share(rate.count, of: rate.total)),
    ])
  }

  /// Tables, each with a title.
  package var text: String {
    var parts = ["accepted postbacks by ad network (impossible: with fields that Apple's data tiers rule out)"]
    parts.append(networks.text(indent: 2))
    if survey.total.flagged > 0 { parts += ["impossible fields, by network", flags.text(indent: 2)] }
    parts.append(alarms)
    if !report.withdrawn.isEmpty {
      let lines = report.withdrawn.prefix(top).map { test in
        "  \(Self.sentence(test))\n    \(SignalSentence(test: test).certainty)"
      }
      parts.append("withdrawn alarms\n" + lines.joined(separator: "\n"))
    }
    if !report.differences.isEmpty {
      parts.append(
        "differences (parties differ in audience, apps and countries: these need not be wrong)\n"
          + report.differences.prefix(top).map(Self.line).joined(separator: "\n")
      )
    }
    if !further.isEmpty {
      parts += ["the other tests with the least p-values", tests.text(indent: 2)]
    }
    if !report.absent.isEmpty {
      let names = report.absent.map { "\($0.name.words) (\($0.name.rawValue))" }
      parts.append("looked for, and in no record of a party with a name\n  \(names.joined(separator: ", "))")
    }
    for (title, omissions) in [("not tested", report.untested), ("tested in part", report.partialOmissions)]
    where !omissions.isEmpty {
      let lines = omissions.map { "\($0.name.words) (\($0.name.rawValue)): \($0.reason)".withControlCharactersEscaped }
      parts.append("\(title)\n  " + lines.joined(separator: "\n  "))
    }
    parts += VendorAnswer(vendors: vendors).parts
    if let sentence = report.removalSentence { parts.append(sentence) }
    if report.leftOut > 0 { parts.append("\(report.leftOut) records were left out of the tests: there are too many.") }
    if survey.uncounted > 0 { parts.append("\(survey.uncounted) postbacks of further networks are not counted") }
    if survey.unfollowedCopies > 0 {
      parts.append("\(survey.unfollowedCopies) copies of further postbacks are not counted")
    }
    return parts.joined(separator: "\n\n")
  }

  private var networks: TextTable {
    var table = TextTable(
      [
        "network", "accepted", "impossible", "redownloads", "view-through", "won", "copies", "most of one",
        "late copies",
      ],
      numbersIn: [1, 2, 3, 4, 5, 6, 7, 8]
    )
    let rows: [(network: String?, signals: NetworkSignals)] = survey.networks.prefix(top).map {
      ($0.network, $0.signals)
    }
    for (network, signals) in rows + [(nil, survey.total)] {
      table.add(
        network ?? "all",
        "\(signals.accepted)",
        "\(Share(signals.flagged, of: signals.accepted))",
        "\(Share(signals.redownload.count, of: signals.redownload.total))",
        "\(Share(signals.viewThrough.count, of: signals.viewThrough.total))",
        "\(Share(signals.won.count, of: signals.won.total))",
        "\(signals.copies)",
        "\(signals.mostCopies)",
        "\(lateReplays(network))"
      )
    }
    return table
  }

  private var flags: TextTable {
    var table = TextTable(numbersIn: [2])
    for (network, signals) in survey.networks.prefix(top) {
      for (flag, count) in zip(TierFlags.names, signals.tierFlags)
      where count > 0 && TierFlags.edits.contains(flag.flag) {
        table.add(network, flag.name, "\(count)")
      }
    }
    return table
  }

  /// The alarms in sentences.
  private var alarms: String {
    let head =
      "\(report.tests.count) tests, p-values corrected by Holm's method: the chance of any alarm without a cause is "
      + "at most \(Int((SignalTest.level * 100).rounded())) %, however often you look, but for tests for one look"
    guard !report.alarms.isEmpty else { return "no alarm\n  (\(head))" }
    let lines = report.alarms.prefix(top).map(Self.line)
    let title = report.alarms.count == 1 ? "1 alarm" : "\(report.alarms.count) alarms"
    return "\(title)\n  (\(head))\n\n" + lines.joined(separator: "\n")
  }

  private static func sentence(_ test: SignalTest) -> String {
    SignalSentence(test: test).text.withControlCharactersEscaped
  }

  private static func line(_ test: SignalTest) -> String {
    "  \(sentence(test))\n    \(test.name.rawValue), p \(probability(test.correctedPValue))"
      + (test.campaigns.map { ", \($0.own) campaigns against \($0.others)" } ?? "")
      + (test.method.isValidAtAnyTime ? "" : ", for one look")
  }

  private var tests: TextTable {
    var table = TextTable(
      ["test", "party", "app", "of", "share", "others", "effect", "p"],
      numbersIn: [3, 4, 5, 6, 7]
    )
    for test in further.prefix(min(top, 10)) {
      table.add(
        test.name.rawValue + (test.value.map { " \($0)" } ?? ""),
        "\(test.party.kind.rawValue) \(test.party.name)",
        test.app ?? "all",
        "\(test.own.total)",
        "\(Share(test.own.count, of: test.own.total))",
        "\(Share(test.others.count, of: test.others.total))",
        "\((test.effect * 1000).rounded() / 1000)",
        Self.probability(test.correctedPValue)
      )
    }
    return table
  }

  /// A p-value for people.
  package static func probability(_ value: Double) -> String {
    value < 0.0001 ? "< 0.0001" : "\((value * 10_000).rounded() / 10_000)"
  }
}
