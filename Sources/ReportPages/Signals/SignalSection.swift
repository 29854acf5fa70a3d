internal import Answers
internal import ConversionModel
internal import DailyReports
internal import FraudSignals
internal import LookupTables
internal import Reporting
internal import Statistics
internal import PageMarkup

/// The part of a report that is about the tests of accepted postbacks and of copies.
struct SignalSection {
  let report: SignalReport
  /// The numbers of accepted postbacks and of rejects that were tested.
  let tested: (accepted: Int, rejected: Int)

  private static let shownTests = 10

  /// The names of the parties that raised values.
  var raisers: Set<String> {
    Set(report.alarms.filter { $0.name == .raisedValues || $0.name == .raisedRevenue }.map(\.party.name))
  }

  /// The forwarders with an alarm about values.
  var valueSuspects: Set<String> {
    Set(report.alarms.filter { $0.party.kind == .forwarder && ValueSuspicions.isAboutValues($0) }.map(\.party.name))
  }

  /// The days since which forwarders raise values, for those with an alarm and a change of their share.
  var onsets: [String: SignalOnset] {
    let raised = report.alarms.filter { $0.name == .raisedValues && $0.party.kind == .forwarder && !$0.isThroughout }
    return raised.reduce(into: [:]) { $0[$1.party.name] = $1.since }
  }

  /// The number of tests, what they looked for, and what could not be tested, in one or two sentences.
  var summary: String {
    let kinds = SignalName.allCases.count - report.omissions.count
    let found =
      report.alarms.isEmpty ? "No alarm" : report.alarms.count == 1 ? "1 alarm" : "\(report.alarms.count) alarms"
    let tests = """
      \(found) in \(Numbers.grouped(report.tests.count)) tests of \(kinds) kinds on \(Numbers.grouped(tested.accepted)) \
      accepted postbacks and \(Numbers.grouped(tested.rejected)) rejects: values, countries, impossible fields, copies, \
      late copies, signatures, transactions, campaigns.
      """
    func sentence(_ start: String, _ omissions: [SignalReport.Omission]) -> String {
      omissions.isEmpty ? "" : " \(start): \(omissions.map(\.name.words).joined(separator: ", "))."
    }
    return tests + sentence("Looked for and in no record of a party with a name", report.absent)
      + sentence("Not tested", report.untested)
  }

  var html: HTML {
    let alarms = report.alarms.enumerated().map(Self.alarm)
    let list: HTML = alarms.isEmpty ? "" : "<ol class=\"alarms\">\(alarms)</ol>\(numbers)"
    let removed: HTML = report.removalSentence.map { "<p class=\"note\">\($0)</p>" } ?? ""
    let left: HTML =
      report.leftOut == 0
      ? "" : "<p class=\"note\">\(Numbers.grouped(report.leftOut)) records were left out: there are too many.</p>"
    return """
      <p class="note">\(summary) A signal proves nothing: it shows where to look. The p-values are corrected by Holm's \
      method for all suspicions together, so that a report has an alarm without a cause with a chance of at most \
      \(Int((SignalTest.level * 100).rounded())) %, however often you look; a test for which that is not so says it. The filters \
      do not change this section.</p>
      \(removed)\(list)
      \(sentences("Differences", report.differences, Self.aboutDifferences))
      \(sentences("Withdrawn", report.withdrawn, "These were alarms on an earlier day, and are none any more."))
      \(others)
      \(omissions)\(left)
      """
  }

  private static func alarm(_ index: Int, _ test: SignalTest) -> HTML {
    let sentence = SignalSentence(test: test)
    let interval = WilsonRate(test.own.count, of: test.own.total).interval
    let range =
      interval.map { " The 95 % interval of the share is \(Numbers.percent($0.low)) to \(Numbers.percent($0.high))." }
      ?? ""
    let link: HTML =
      test.party.kind == .forwarder
      ? " <a href=\"\(ReportLink(.forwarder, test.party.name, at: "rejects-by-code").fragment)\">Only this forwarder</a>"
      : ""
    let sums = test.money.filter { $0.value != .zero }.sorted { $0.key < $1.key }
      .map { "\(Numbers.exact($0.value)) \($0.key)" }
    let money = sums.isEmpty ? "" : " The exact difference of the decoded revenue: \(sums.joined(separator: ", "))."
    let rest = "\(sentence.text)\(range)\(money) \(sentence.certainty)".withUnbreakableShares
    return """
      <li id="signal-\(index + 1)"><strong>\(test.party.name): \(test.name.words).</strong> \(rest)\(link)</li>

      """
  }

  private static let aboutDifferences = """
    Networks and campaigns differ in their audiences, countries and prices. A difference is no suspicion and accuses nobody.
    """

  /// A list of tests that are no alarms; nothing if there are none.
  private func sentences(_ title: String, _ tests: [SignalTest], _ note: String) -> HTML {
    guard !tests.isEmpty else { return "" }
    let lines = tests.prefix(Self.shownTests).map { test -> HTML in
      let sentence = SignalSentence(test: test)
      return "<li>\("\(sentence.text) \(sentence.certainty)".withUnbreakableShares)</li>\n"
    }
    let more = tests.count - lines.count
    let rest: HTML = more > 0 ? "<p class=\"note\">\(Numbers.grouped(more)) more are left out.</p>" : ""
    return "<h3>\(title)</h3><p class=\"note\">\(note)</p><ul>\(lines)</ul>\(rest)"
  }

  /// The numbers of all alarms.
  private var numbers: HTML {
    var table = NumberTable(
      "The numbers of the alarms, in the same order",
      [
        "looked for", "party", "app", "with it", "of", "share", "others with it", "of", "share", "effect", "campaigns",
        "p", "p, corrected",
      ]
    )
    for test in report.alarms {
      table.add(
        test.name.rawValue + (test.value.map { " (\($0))" } ?? ""),
        cells: test.subject + test.own.cells + test.others.cells + [
          .amount(Self.signed(test.effect)),
          .amount(test.campaigns.map { "\($0.own), \($0.others) of others" } ?? ""),
          .amount(SignalsAnswer.probability(test.pValue)),
          .amount(SignalsAnswer.probability(test.correctedPValue)),
        ]
      )
    }
    return table.html
  }

  private var others: HTML {
    let rest = Array(
      report.tests.lazy.filter { !$0.isSignificant && $0.withdrawnOn == nil }.prefix(Self.shownTests)
    )
    guard !rest.isEmpty else { return "" }
    var table = NumberTable(
      "The other tests with the least p-values",
      ["looked for", "party", "app", "with it", "of", "share", "others", "p, corrected"]
    )
    for test in rest {
      table.add(
        test.name.words + (test.value.map { " (\($0))" } ?? ""),
        cells: test.subject + test.own.cells + [
          .share(test.others.count, of: test.others.total),
          .amount(SignalsAnswer.probability(test.correctedPValue)),
        ]
      )
    }
    return "<details><summary>Tests that found nothing</summary>\(table.html)</details>"
  }

  private var omissions: HTML {
    guard !report.omissions.isEmpty || !report.partialOmissions.isEmpty else { return "" }
    let lines = (report.omissions + report.partialOmissions).map { omission -> HTML in
      "<li>\(omission.name.words) (<code>\(omission.name.rawValue)</code>): \(omission.reason)</li>\n"
    }
    return "<h3 id=\"not-tested\">Not found, not tested, or not in all parts</h3><ul>\(lines)</ul>"
  }

  private static func signed(_ effect: Double) -> String {
    let thousandths = (effect * 1000).rounded() / 1000
    return thousandths > 0 ? "+\(thousandths)" : "\(thousandths)".replacing("-", with: "−")
  }
}

extension SignalSection {
  /// A finding for each party with alarms: the alarm with the most money, and the others by name.
  var findings: [Finding] {
    struct Subject: Hashable {
      let party: SignalParty
      let isSuspicion: Bool
    }
    var parties: [Subject: [(place: Int, test: SignalTest)]] = [:]
    for (index, test) in report.alarms.enumerated() {
      parties[Subject(party: test.party, isSuspicion: test.name.isAboutParty), default: []].append((index, test))
    }
    return parties.values.compactMap { alarms -> Finding? in
      guard let lead = alarms.max(by: { Self.weight($0) < Self.weight($1) }) else { return nil }
      let others = alarms.filter { $0.place != lead.place && $0.test.name != lead.test.name }
        .reduce(into: [SignalName]()) { if !$0.contains($1.test.name) { $0.append($1.test.name) } }
      let sentence = SignalSentence(test: lead.test)
      let also = others.isEmpty ? "" : " Also: \(others.map(\.words).joined(separator: ", "))."
      return Finding(
        sentence: sentence.text + also,
        certainty: sentence.certainty,
        section: Finding.Section(id: "signal-\(lead.place + 1)", name: "Evidence"),
        isSuspicion: lead.test.name.isAboutParty,
        money: Self.money(lead.test),
        rows: lead.test.own.count
      )
    }
  }

  /// The late copies, as a finding; none if there are none.
  var lateCopies: [Finding] {
    let tests = report.tests.filter { $0.name == .lateCopies && $0.own.count > 0 }
    let count = tests.reduce(0) { $0 + $1.own.count }
    guard count > 0 else { return [] }
    let most = tests.max { ($0.own.count, $1.party) < ($1.own.count, $0.party) }
    let sender = most.map { ", most of them by \($0.party.name) (\(Numbers.grouped($0.own.count)))" } ?? ""
    let others = tests.contains(where: \.isSignificant) ? "" : " No forwarder sends significantly more than others."
    return [
      Finding(
        sentence: """
          \(Numbers.grouped(count)) postbacks came again more than \(SignalCounter.lateAfterDays) days after the first of the same sender, when Apple's retries have \
          ended\(sender). Identical copies change no number.\(others)
          """,
        section: Finding.Section(id: "signals", name: "Signals"),
        rows: count
      )
    ]
  }

  private static func weight(_ alarm: (place: Int, test: SignalTest)) -> (Double, Int, Int) {
    (money(alarm.test), alarm.test.own.count, -alarm.place)
  }

  private static func money(_ test: SignalTest) -> Double {
    test.money.values.map(\.approximation).max().map { max($0, 0) } ?? 0
  }
}

extension String {
  /// The text with an unbreakable space before each percent sign.
  var withUnbreakableShares: String { replacing(" %", with: "\u{a0}%") }
}
