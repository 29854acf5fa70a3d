internal import Answers
internal import Analysis
internal import Base
internal import ConversionModel
internal import FraudSignals
internal import SKAdNetwork
internal import Signatures
internal import TableReading
internal import Tables
internal import PageMarkup

/// A case as one HTML file, which loads nothing from elsewhere and has no script.
struct CasePage {
  let answer: CaseAnswer

  private var file: CaseFile { answer.file }

  /// Returns the whole page. Throws if the digest for the security policy cannot be computed.
  func html() throws(LibcryptoFailure) -> HTML {
    """
    \(try PageHead("Case: \(answer.title)", styles: [.style, .caseStyle]).html())
    <body>
    <header>\(header)</header>
    <main>
    <h2 id="numbers">Numbers</h2>
    \(outcomes)\(days)\(revenue)\(senders)
    <h2 id="changes">What was changed</h2>
    \(edits)\(conflicts)
    <h2 id="signals">Signals</h2>
    \(signals)
    <h2 id="method">Method</h2>
    <ul>\(answer.method.map { sentence -> HTML in "<li>\(sentence)</li>" })</ul>
    <h2 id="limits">Limits</h2>
    <ul>\(answer.limits.map { sentence -> HTML in "<li>\(sentence)</li>" })</ul>
    <h2 id="examples">Examples</h2>
    \(CaseExamplesSection(keys: answer.keys, examples: answer.examples, pairs: answer.pairs, mask: answer.mask).html)
    </main>
    </body>
    </html>

    """
  }

  // MARK: - The head

  private var header: HTML {
    let span: HTML =
      file.received.map { received -> HTML in
        " Received from \("\(Timestamp(milliseconds: received.lowerBound))") to \("\(Timestamp(milliseconds: received.upperBound))")."
      } ?? ""
    let bound: HTML = file.isBounded ? " Some lists are incomplete, because there are more entries than are kept." : ""
    let skipped = file.unreadable.count
    let unreadable: HTML = skipped == 0 ? "" : " \(skipped) lines of the tables are not rows and were skipped."
    let paths = answer.shownPaths.joined(separator: ", ")
    let tables: HTML = paths.isEmpty ? "Without revenue, paths and the names of other parties." : "Tables: \(paths)."
    let read = file.records.total
    let names = [
      ("numbers", "Numbers"), ("changes", "What was changed"), ("signals", "Signals"), ("method", "Method"),
      ("limits", "Limits"), ("examples", "Examples"),
    ]
    return """
      <h1>Case: \(answer.title)</h1>
      <p class="note">\(tables)\(span)\(bound)\(unreadable)</p>
      <ul class="facts">
      <li><b>\(Numbers.grouped(read))</b> records</li>
      <li><b>\(Numbers.grouped(file.records.accepted))</b> accepted</li>
      \(HTML.facts(file.records.rejects, of: read))
      </ul>
      <p class="note print">Closed parts are not printed. Open them before.</p>
      <ul class="findings">\(findings.map { sentence -> HTML in "<li>\(sentence)</li>" })</ul>
      <nav>\(names.map { id, name -> HTML in "<a href=\"#\(id)\">\(name)</a> " })</nav>
      """
  }

  private static let mostFindings = 5

  /// The most important sentences.
  private var findings: [String] {
    let alarms = answer.tests.filter(\.isAlarm)
    var sentences = alarms.prefix(Self.mostFindings - 2).map { SignalSentence(test: $0).text }
    if alarms.count > sentences.count {
      sentences.append("\(alarms.count - sentences.count) further signals are below.")
    }
    if alarms.isEmpty { sentences.append("No test raised an alarm about this party.") }
    let suspicious = file.codes.first { RejectCode(rawValue: $0.code)?.rejectClass == .suspicious }
    if let first = suspicious {
      let meaning = (RejectCode(rawValue: first.code)?.explanation).map { " \($0)" } ?? ""
      let share = Share(first.tally.count, of: file.records.total)
      sentences.append(
        "\(Numbers.grouped(first.tally.count)) of \(Numbers.grouped(file.records.total)) records (\(share)) were rejected as "
          + "\(first.code).\(meaning)"
      )
    }
    return sentences
  }

  // MARK: - Numbers

  private var outcomes: HTML {
    let read = file.records.total
    var table = NumberTable(
      "The \(Numbers.grouped(read)) records by outcome",
      ["outcome", "records", "of all", "class", "first seen", "last seen", "meaning"]
    )
    for (status, count) in file.statuses {
      table.add(
        "accepted, \(status)",
        .number(count),
        .share(count, of: read),
        .text("accepted"),
        .time(""),
        .time(""),
        .text(Self.meaning(of: status))
      )
    }
    for (code, tally) in file.codes {
      table.add(
        code,
        .number(tally.count),
        .share(tally.count, of: read),
        .text(RejectCode(rawValue: code)?.rejectClass.rawValue ?? ""),
        .time(tally.firstSeen.map { "\(Timestamp(milliseconds: $0))" } ?? "unknown"),
        .time(tally.lastSeen.map { "\(Timestamp(milliseconds: $0))" } ?? "unknown"),
        .text(RejectCode(rawValue: code)?.explanation ?? "")
      )
    }
    return table.html
  }

  /// The meaning of a `decode_status`.
  private static func meaning(of status: String) -> String {
    switch DecodeStatus(rawValue: status) {
    case .decoded: "Genuine, and the conversion value has a meaning."
    case .null: "Genuine, without a conversion value."
    case .notWon: "Genuine, but the attribution was lost."
    default: "Genuine. The conversion value has no meaning in the models."
    }
  }

  private var days: HTML {
    HTML.longTable(
      "Records by day of receipt (UTC)",
      ["day", "accepted", "suspicious", "noise", "copies", "suspicious, of the day", "most frequent code"],
      file.days
    ) { day, table in
      let most = day.codes.max { ($0.value, $1.key) < ($1.value, $0.key) }
      table.add(
        day.date ?? "unknown",
        cells: day.records.cells + [.text(most.map { "\($0.key) (\(Numbers.grouped($0.value)))" } ?? "")]
      )
    }
  }

  private var revenue: HTML {
    guard !answer.mask.isForPartner else { return "" }
    guard !answer.revenue.isEmpty else {
      return "<p class=\"note\">The conversion models give the accepted postbacks no revenue.</p>"
    }
    let table = HTML.longTable(
      "Revenue of the accepted postbacks by the conversion values of their first copies",
      ["app", "currency", "postbacks", "estimate", "at least", "at most"],
      answer.revenue
    ) { range, table in
      table.add(
        range.app,
        .text(range.currency),
        .number(range.postbacks),
        .amount("\(range.estimate)"),
        .amount("\(range.minimum)"),
        .amount(range.maximum.map { "\($0)" } ?? "no limit")
      )
    }
    return "\(table)<p class=\"note\">\(CaseMethod.firstCopies)</p>"
  }

  private var senders: HTML {
    let names = ["forwarder": "forwarder", "ad_network_id": "ad network", "app_id": "app"]
    let tables = zip(CaseFile.senderColumns, answer.senders).map { column, senders -> HTML in
      let name = names[column] ?? column
      return HTML.longTable(
        "Records by \(name)",
        [name, "accepted", "suspicious", "noise", "copies", "suspicious, of its records"],
        senders
      ) { sender, table in
        let unnamed = column == "forwarder" ? RejectReport.noForwarder : "unknown"
        table.add(sender.name ?? unnamed, cells: sender.records.cells)
      }
    }
    return "\(tables)"
  }
}

extension OutcomeCounts {
  /// The records by outcome, and the share of those that are suspicious.
  fileprivate var cells: [NumberTable.Cell] {
    [accepted, rejects.suspicious, rejects.noise, rejects.copies].map { .number($0) }
      + [.share(rejects.suspicious, of: total)]
  }
}
