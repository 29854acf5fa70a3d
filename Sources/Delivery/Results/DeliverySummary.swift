internal import DurableFiles
internal import Ledger
internal import JSON

/// The numbers of deliveries of each partner, each delivery in its last state.
package struct DeliverySummary: Sendable {
  /// The deliveries of a partner.
  package struct Line: Sendable {
    /// The id of the partner.
    package let partner: String
    /// The number of deliveries that the partner has confirmed.
    package let delivered: Int64
    /// The number of deliveries that will be attempted.
    package let pending: Int64
    /// The number of deliveries that the partner has refused, or that took too long.
    package let failed: Int64
    /// The number of deliveries that will not be sent, or not again.
    package let cancelled: Int64
    /// The number of corrections that the partner does not want.
    package let correctionsNotSent: Int64
    /// The numbers of postbacks that the filters of the partner leave out, of those that this process has planned.
    package let leftOut: [(filter: PartnerFilter, count: Int64)]
  }

  /// The partners, in the order of the configuration.
  package let lines: [Line]

  /// The summary as a JSON object.
  package var json: String {
    let partners = lines.map { line in
      JSONValue.object([
        .init("partner", .string(line.partner)), .init("delivered", .integer(line.delivered)),
        .init("pending", .integer(line.pending)), .init("failed", .integer(line.failed)),
        .init("cancelled", .integer(line.cancelled)), .init("corrections_not_sent", .integer(line.correctionsNotSent)),
        .init("left_out", .object(line.leftOut.map { .init($0.filter.rawValue, .integer($0.count)) })),
      ])
    }
    return JSONValue.object([.init("partners", .array(partners))]).description
  }
}

extension Outbox {
  /// Returns the numbers of deliveries of partners.
  func summary(
    of partners: [String],
    leftOut: [String: [PartnerFilter: Int64]]
  ) throws(FileFailure) -> DeliverySummary {
    var lines: [DeliverySummary.Line] = []
    for partner in partners {
      func count(_ state: DeliveryState) -> Int64 { counts[partner]?[state] ?? 0 }
      lines.append(
        DeliverySummary.Line(
          partner: partner,
          delivered: count(.delivered),
          pending: count(.pending),
          failed: count(.failed),
          cancelled: count(.cancelled) - (try revivedCount(of: partner)),
          correctionsNotSent: try correctionsNotSent(to: partner),
          leftOut: PartnerFilter.allCases.map { ($0, leftOut[partner]?[$0] ?? 0) }.filter { $0.1 > 0 }
        )
      )
    }
    return DeliverySummary(lines: lines)
  }

  /// Removes deliveries with a result that were planned more than 90 days ago. Those of a postback to a partner stay as long as
  /// one of them does: an event that is not known would be taken for a new one.
  func prune(at now: Int64) throws(FileFailure) {
    try statement(
      """
      DELETE FROM deliveries WHERE state <> 'pending' AND planned_at < ?1 AND NOT EXISTS (
        SELECT 1 FROM deliveries AS other
        WHERE other.postback_key = deliveries.postback_key AND other.partner = deliveries.partner
          AND (other.state = 'pending' OR other.planned_at >= ?1))
      """
    ).run(.integer(now - 7_776_000_000))
    try statement("DELETE FROM awaited_events WHERE planned_at < ?").run(.integer(now - 7_776_000_000))
  }
}
