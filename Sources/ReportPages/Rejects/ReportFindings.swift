internal import Answers
internal import Analysis
internal import Base
internal import JSON
internal import SKAdNetwork
internal import Tampering
internal import PageMarkup

/// The diagnoses of rejects and the related rejects, as HTML.
struct ReportFindings {
  /// The diagnoses of the rejects in the sample.
  let diagnoses: [DiagnosedReject]
  /// The groups of related rejects, among all rejects.
  let related: RelatedRejects
  /// The times of receipt of the rejects in the sample, by `raw_sha256`.
  private let times: [String: Int64]

  init(diagnoses: [DiagnosedReject], related: RelatedRejects, sample: RejectSample) {
    (self.diagnoses, self.related) = (diagnoses, related)
    let edited = Set(diagnoses.filter(\.isEdited).map(\.digest))
    var times: [String: Int64] = [:]
    for row in sample.rows {
      guard let row = try? JSONValue(parsing: row.line), let digest = row["raw_sha256"]?.text, edited.contains(digest),
        let time = row["received_at"]?.text.flatMap({ Timestamp($0) })?.milliseconds
      else { continue }
      times[digest] = min(times[digest] ?? time, time)
    }
    self.times = times
  }

  /// The tables of findings by forwarder and of changed values.
  var edits: HTML {
    let tampering = TamperingSurvey(diagnoses, diagnosable: diagnoses.count)
    guard tampering.diagnosed > 0 else {
      return "<p class=\"note\">The sample has no reject that can be diagnosed by its signature.</p>"
    }
    return HTML.edits(
      tampering,
      "Diagnoses of \(tampering.diagnosed) rejects of the sample, by forwarder",
      "Signed fields, before and after: what Apple signed, and what arrived",
      inWords: true
    )
  }

  /// The groups of postbacks with one signature, and of one transaction, each as a table.
  var relatedRejects: HTML {
    let parts = RelatedRejects.Bond.allCases.map(html)
    let limit: HTML =
      related.isComplete ? "" : "<p class=\"note\">Not all rejects were compared, because there are too many.</p>"
    return "\(parts)\(limit)"
  }

  private func html(_ bond: RelatedRejects.Bond) -> HTML {
    let groups = related.groups.filter { $0.bond == bond }
    let count = related.counts[bond] ?? 0
    let shown = count > groups.count ? ", of which the \(groups.count) with the most postbacks are shown" : ""
    let note: HTML = """
      <p class="note" id="one-\(bond.rawValue)">\(Numbers.grouped(count)) times \(bond.words)\(shown).</p>
      """
    let rest: HTML =
      groups.count < 2
      ? "" : "<details><summary>\(groups.count - 1) more</summary>\(groups.dropFirst().map(Self.html))</details>"
    return "\(note)\(groups.prefix(1).map(Self.html))\(rest)"
  }

  private static func html(_ group: RelatedRejects.Group) -> HTML {
    let rows = group.table(mostFields: 8, width: 200)
    var table = NumberTable("\(group.title), side by side", rows[0])
    for row in rows.dropFirst() {
      table.add(row[0], cells: row.dropFirst().enumerated().map { $0 == 2 ? .time($1) : .text($1) })
    }
    return table.html
  }
}

extension ReportFindings {
  /// Findings for each forwarder: the lost attributions that it presented as won, and its other edited rejects.
  var findings: [Finding] {
    Dictionary(grouping: diagnoses, by: \.forwarder).flatMap { forwarder, rejects -> [Finding] in
      let edited = rejects.filter(\.isEdited)
      let (won, others) = (edited.filter(\.isPresentedAsWon), edited.filter { !$0.isPresentedAsWon })
      let name = forwarder.map { "The forwarder \($0)" } ?? "A sender without a forwarder's name, such as a device,"
      let total = "\(Numbers.grouped(rejects.count)) diagnosed rejects"
      var findings: [Finding] = []
      if !won.isEmpty {
        let sentence =
          "\(name) presented lost attributions as won in \(Numbers.grouped(won.count)) of \(total)\(since(won))."
        findings.append(finding(sentence, of: won))
      }
      if let most = TamperingSurvey(others, diagnosable: others.count).groups.first {
        let sentence = """
          \(name) sent edited postbacks in \(Numbers.grouped(others.count)) of \(total)\(since(others)), \
          \(Numbers.grouped(most.count)) of them like this: \(most.summary)
          """
        findings.append(finding(sentence, of: others))
      }
      return findings
    }
  }

  private func since(_ rejects: [DiagnosedReject]) -> String {
    let first = rejects.compactMap { times[$0.digest] }.min()
    return first.map { ", first on \(Timestamp(milliseconds: $0).description.prefix(10))" } ?? ""
  }

  private func finding(_ sentence: String, of rejects: [DiagnosedReject]) -> Finding {
    Finding(
      sentence: sentence,
      certainty: "This is certain: Apple's signature fits the original.",
      section: Finding.Section(id: "tampering", name: "Tampering"),
      isSuspicion: true,
      rows: rejects.count
    )
  }
}

extension DiagnosedReject {
  /// Indicates that the signature proves an edit, or belongs to another postback.
  fileprivate var isEdited: Bool { ["recovered", "stolen_signature"].contains(diagnosis.code) }

  /// Indicates that a lost attribution was presented as won.
  fileprivate var isPresentedAsWon: Bool {
    guard case .recovered(let recovery) = diagnosis.finding else { return false }
    return recovery.edits.contains { $0.field == .didWin && $0.original == "false" && $0.arrived == "true" }
  }
}
