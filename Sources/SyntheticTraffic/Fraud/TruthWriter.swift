internal import Base
internal import SKAdNetwork

/// A writer of the truth of consecutive lines. It numbers the lines as they are in the dump, where frauds have added and
/// removed some.
struct TruthWriter: Sendable {
  let writesRows: Bool
  /// The traffic, if it has frauds.
  let fraudulent: CampaignTraffic?
  /// The number of lines of the dump so far.
  private(set) var written = 0

  /// The header of `truth_fraud.csv`.
  static let fraudHeader =
    "fraud,line,of_line,outcome,reject_code,network_name,forwarder,app_id,received_at,field,original,edited,"
    + "transaction_id\n"

  /// Appends the rows of the next lines, and those of the postbacks that a forwarder withholds.
  mutating func append(_ lines: FraudulentLines, to batch: inout GeneratedBatch) {
    var numbers: [Int: Int] = [:]
    if fraudulent != nil {
      for (index, plan) in lines.plans.enumerated() { numbers[plan.line] = written + index + 1 }
    }
    for plan in lines.plans + lines.withheld {
      let isClean = fraudulent == nil
      let line = isClean ? plan.line : numbers[plan.line]
      let originalLine = isClean ? plan.originalLine : plan.originalLine.flatMap { numbers[$0] }
      if writesRows { TruthRow(plan: plan, line: line, originalLine: originalLine).append(to: &batch.truth) }
      if let fraud = plan.fraud { append(fraud, plan, line, originalLine, to: &batch.fraud) }
    }
    written += lines.plans.count
  }

  private func append(
    _ fraud: FraudMark,
    _ plan: LinePlan,
    _ line: Int?,
    _ originalLine: Int?,
    to text: inout [UInt8]
  ) {
    let draft = plan.draft
    let network = (draft[draft.format.adNetwork]?.text ?? "").prefix { $0 != "." }
    let name = fraudulent?.plan.networks.first { $0.id == network }?.name
    let outcome = line == nil ? "withheld" : plan.rejectCode == nil ? "accepted" : "rejected"
    let change = fraud.change
    let cells = [
      fraud.kind.rawValue, line.map { "\($0)" }, line == nil ? nil : originalLine.map { "\($0)" }, outcome,
      line == nil ? nil : plan.rejectCode?.rawValue, name, plan.arrival?.forwarder, draft[draft.format.app]?.text,
      plan.arrival?.receivedAt.description, change?.field.name, change?.original, change?.edited,
      draft[draft.format.transaction]?.text,
    ]
    text.append(contentsOf: cells.map { $0 ?? "" }.joined(separator: ",").utf8)
    text.append(UInt8(ascii: "\n"))
  }
}
