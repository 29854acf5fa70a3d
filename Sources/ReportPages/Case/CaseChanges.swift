internal import Answers
internal import Analysis
internal import FraudSignals
internal import LookupTables
internal import Statistics
internal import PageMarkup

/// The changes and the signals of a case on its page.
extension CasePage {
  var edits: HTML {
    guard let tampering = answer.edits else {
      return "<p class=\"note\">No rejects were searched for edits of signed fields.</p>"
    }
    guard tampering.diagnosable > 0 else {
      return "<p class=\"note\">No record has a signature that does not fit its signed fields.</p>"
    }
    return HTML.edits(
      tampering,
      "Signed fields: diagnoses of \(Numbers.grouped(tampering.diagnosed)) of the \(Numbers.grouped(tampering.diagnosable)) "
        + "rejects whose signature allows one",
      "Signed fields before and after",
      inWords: false
    )
  }

  var conflicts: HTML {
    guard let conflicts = answer.conflicts?.conflicts else {
      return "<p class=\"note\">No copies of these postbacks differ in an unsigned value.</p>"
    }
    return HTML.differences(
      "Unsigned values: \(Numbers.grouped(conflicts.copies)) copies differ from the first copy of the same postback",
      conflicts.differences
    )
  }

  var signals: HTML {
    let tests = answer.tests
    let all = "\(Numbers.grouped(answer.report.tests.count)) tests of all parties, p-values corrected by Holm's method."
    let alarms = tests.filter(\.isAlarm).map(SignalSentence.init).map { sentence -> HTML in
      "<li>\(sentence.text) \(sentence.certainty)</li>"
    }
    let head: HTML =
      alarms.isEmpty
      ? "<p>No test raised an alarm about this party.</p>" : "<ul>\(alarms)</ul>"
    guard !tests.isEmpty else { return "\(head)<p class=\"note\">\(all) No test was about this party.</p>" }
    let table = HTML.longTable(
      "Tests of this party. \(all)",
      ["test", "party", "app", "of", "share", "others", "p", "alarm"],
      tests
    ) { test, table in
      table.add(
        test.name.rawValue + (test.value.map { " \($0)" } ?? ""),
        cells: test.subject + test.own.cells.dropFirst() + [
          .share(test.others.count, of: test.others.total),
          .amount(SignalsAnswer.probability(test.correctedPValue)), .text(test.isAlarm ? "alarm" : ""),
        ]
      )
    }
    return "\(head)\(table)"
  }
}
