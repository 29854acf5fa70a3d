internal import Answers
internal import Analysis
internal import FraudSignals
internal import JSON
internal import SKAdNetwork
internal import PageMarkup

/// Two copies of one postback with other values, which a case shows side by side, with the numbers of their examples.
struct CasePair {
  let transaction: ConcernedTransaction
  /// The numbers of the examples with the rejected and with the accepted copy.
  let rejectedExample: Int
  let acceptedExample: Int

  /// Chooses the pairs that show the most: those that the first alarm about values is about, then others of the party, and
  /// then those of which one copy is a device's own. A forwarder's pairs need no name of another party.
  static func choose(
    _ rows: [ConcernedTransaction],
    _ alarms: [SignalTest],
    _ mask: CaseMask,
    most: Int
  ) -> [ConcernedTransaction] {
    let pairs = rows.filter { $0.code == RejectCode.duplicateConflict.rawValue && $0.first != nil }
    let change = alarms.lazy.compactMap(\.change).first
    func rank(_ row: ConcernedTransaction) -> Int {
      guard let (own, other) = row.ofDevice else { return 4 }
      guard mask.forwarders.isEmpty || other.origin.forwarder.map(mask.forwarders.contains) == true else { return 3 }
      guard let change, let index = ConcernedTransaction.fields.firstIndex(of: change.field.replacing("_", with: "-"))
      else { return 2 }
      let isOfAlarm = own.values[index] ?? "absent" == change.from && other.values[index] ?? "absent" == change.to
      return isOfAlarm ? 0 : 1
    }
    let ranked = pairs.enumerated().map { (rank: rank($1), place: $0, row: $1) }
      .filter { !mask.isForPartner || $0.rank < 3 }
    return ranked.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.prefix(most).map(\.row)
  }

  /// Both copies side by side, with their senders, their times and all values that Apple does not sign.
  func html(_ mask: CaseMask) -> HTML {
    guard let first = transaction.first else { return "" }
    var table = NumberTable(
      "Both copies of the postback \(transaction.transaction ?? "without a transaction")",
      ["", "accepted copy", "rejected copy"]
    )
    let copies = [first, transaction.later]
    func add(_ name: String, _ cell: (ConcernedTransaction.Copy) -> String) {
      table.add(name, cells: copies.map { .text(cell($0)) })
    }
    add("sender") { $0.origin.isDirect ? "the device itself (apple_direct)" : CopyOrigin.text(mask.origin($0.origin)) }
    add("received") { $0.receivedAt ?? "unknown" }
    for (index, field) in ConcernedTransaction.fields.enumerated() {
      let isOther = first.values[index] != transaction.later.values[index]
      add(FieldWords.name(field) + (isOther ? ": differs" : "")) { $0.values[index] ?? "none" }
    }
    table.add("example", cells: [.text("Example \(acceptedExample)"), .text("Example \(rejectedExample)")])
    let decision = transaction.attributedTo.map { mask.origin($0) }
    let note: HTML =
      decision.map { "The other copy is the device's own: the difference is of \(CopyOrigin.text($0))." }
      ?? "Neither copy, or both, came from a device itself, so that nothing tells whose the difference is."
    return "\(table.html)<p class=\"note\">\(note)</p>"
  }

  /// One JSON object.
  func json(_ mask: CaseMask) -> JSONValue {
    func copy(_ copy: ConcernedTransaction.Copy?, _ example: Int) -> JSONValue {
      let values = zip(ConcernedTransaction.fields, copy?.values ?? []).map { JSONValue.Member($0, .text($1)) }
      return .object([
        .init("from", .origin(mask.origin(copy?.origin))), .init("received_at", .text(copy?.receivedAt)),
        .init("values", .object(values)), .init("example", .integer(example)),
      ])
    }
    return .object([
      .init("transaction_id", .text(transaction.transaction)),
      .init("accepted", copy(transaction.first, acceptedExample)),
      .init("rejected", copy(transaction.later, rejectedExample)),
      .init("attributed_to", .origin(mask.origin(transaction.attributedTo))),
    ])
  }
}

/// The suspicious transactions of a case as CSV (RFC 4180), one for each rejected copy.
struct CaseTable {
  let rows: [ConcernedTransaction]
  let mask: CaseMask
  /// Indicates that the revenue of both values is included.
  let hasRevenue: Bool

  /// The table with a header; a null is an absent field.
  var csv: String {
    let copies = ["accepted", "rejected"]
    let columns =
      ["received_at", "channel", "forwarder"] + ConcernedTransaction.fields.map { $0.replacing("-", with: "_") }
    var header = [
      "transaction_id", "app_id", "ad_network_id", "postback_sequence_index", "reject_code", "attributed_to",
    ]
    header += copies.flatMap { copy in columns.map { "\(copy)_\($0)" } }
    if hasRevenue { header += ["accepted_revenue", "rejected_revenue", "currency"] }
    let lines = [header.joined(separator: ",")] + rows.map { $0.line(mask, hasRevenue: hasRevenue) }
    return lines.map { $0 + "\r\n" }.joined()
  }
}

extension ConcernedTransaction {
  fileprivate func line(_ mask: CaseMask, hasRevenue: Bool) -> String {
    func cells(_ copy: Copy?) -> [String?] {
      let values = copy?.values ?? Self.fields.map { _ in nil }
      return [copy?.receivedAt, copy?.origin.channel, mask.forwarder(copy?.origin.forwarder)] + values
    }
    let party = attributedTo.map { mask.forwarder($0.forwarder) ?? $0.channel ?? "" }
    var all: [String?] = [transaction, app, network, window, code, party]
    all += cells(first) + cells(later)
    if hasRevenue { all.append([first?.revenue, later.revenue].compactMap { $0?.currency }.first) }
    all = all.map { $0?.withoutFormula }
    if hasRevenue {
      let amounts = [first?.revenue, later.revenue].map { $0.map { "\($0.amount)" } }
      all.insert(contentsOf: amounts, at: all.count - 1)
    }
    return all.map { $0?.csvField ?? "" }.joined(separator: ",")
  }
}
